"""The expected output of a program: known only to the host, and compared after the program has ended. Data only."""

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
        file: The file with the bytes otherwise.
        size, sha256: The number of bytes, and their hexadecimal digest.
    """

    size: int
    sha256: str
    data: bytes = b""
    file: Path | None = None

    @classmethod
    def of(cls, data: bytes, file: Path | None = None) -> Content:
        """Return bytes as content; a file's bytes are not kept."""
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
    """The result of a comparison.

    Attributes:
        accepted: Whether the output is right.
        reason: The first difference, a clause; empty if the output is right.
        expected, actual: The text around the first difference, which is marked.
        problem: Why comparing failed, a clause; not the candidate's fault. Empty if it worked.
    """

    accepted: bool
    reason: str = ""
    expected: str = ""
    actual: str = ""
    problem: str = ""


class Expectation(Protocol):
    """The expected stdout of a step, and how to compare it."""

    @property
    def digest(self) -> str:
        """A hash, equal if the same outputs are accepted."""

    def compare(self, output: bytes) -> OutputComparison:
        """Return whether an output is right. Raises OSError if the expected output cannot be read."""
