"""What a program must print: known to the host alone, and compared when the program has ended. Data only."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Protocol

from gradebox.sandbox.records import dataclass


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes of a case: in memory, or in a file that is read when they are needed.

    Attributes:
        data: The bytes, if they are in memory.
        file: Where they are read otherwise.
        size, sha256: Their number and their hexadecimal digest.
    """

    size: int
    sha256: str
    data: bytes = b""
    file: Path | None = None

    @classmethod
    def of(cls, data: bytes, file: Path | None = None) -> Content:
        """Return bytes as content; those of a file are not kept."""
        return cls(len(data), sha256(data).hexdigest(), b"" if file else data, file)

    def read(self) -> bytes:
        """Return the bytes. Raises OSError if their file cannot be read, or has changed since the case was loaded."""
        if self.file is None:
            return self.data
        data = self.file.read_bytes()
        if sha256(data).hexdigest() != self.sha256:
            raise OSError(0, "it changed after the case was loaded", str(self.file))
        return data


@dataclass(frozen=True, slots=True)
class OutputComparison:
    """What became of a comparison.

    Attributes:
        accepted: Whether the output is right.
        reason: Where it differs first, a clause; empty if it is right.
        expected, actual: The text around that place, with a mark there.
        problem: Why there is no answer, a clause, which is not the candidate's fault; empty if there is one.
    """

    accepted: bool
    reason: str = ""
    expected: str = ""
    actual: str = ""
    problem: str = ""


class Expectation(Protocol):
    """What the stdout of a step is compared with."""

    @property
    def digest(self) -> str:
        """The same for what accepts the same outputs."""

    def compare(self, output: bytes) -> OutputComparison:
        """Say whether an output is right. Raises OSError if what is expected cannot be read."""
