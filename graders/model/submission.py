"""A submission as data. `gradebox.graders.submissions` reads it and lays it over a workspace."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Mapping
from dataclasses import field
from enum import StrEnum
from hashlib import sha256
from itertools import chain, count
from typing import TYPE_CHECKING, Any, NamedTuple

from gradebox.graders.model.transcript import Transcript
from gradebox.graders.model.tree import Tree, pieces
from gradebox.graders.model.verdict import StepRecord
from gradebox.sandbox.records import dataclass

if TYPE_CHECKING:
    from gradebox.graders.model.patch import FilePatch


class Form(StrEnum):
    NOTHING = "nothing"
    DIRECTORY = "directory"
    DIFF = "diff"
    ANSWER = "answer"
    SOURCE_FILE = "source-file"


@dataclass(frozen=True, slots=True)
class Submission:
    """The work that is graded.

    Attributes:
        name: Shown in reports; names of submissions of one run are unique.
        tree: The files of a directory; for an answer, the file with its code; for a source file, that file under its
            own name.
        patches: The files of a diff.
        problem: Why it cannot be graded, through the submission's own fault; empty if it can.
        fault: Why it is missing, through no fault of its own; empty if it exists.
        unreadable: Why the input is not a submission, such as a broken archive; empty if it is one. The case
            decides whether this is a `problem` or a `fault`.
        deleted: Paths of the case's workspace that are missing in a submitted directory.
        output: The text of the answer.
        transcript: How the answer came about.
        steps: The commands of the target that made it.
        origin: Where the answer comes from, as far as known: `model`, `prompt_label`, `prompt_strategy`, `timestamp`,
            `parameters`, and `sample`, the number of this answer among several of one origin, from 1.
        target: The label of the target that made it, for a case that names no target.
        no_workspace: Why its workspace is not known although it had one; empty if it is known.
    """

    name: str
    form: Form = Form.NOTHING
    tree: Tree = Tree()
    patches: tuple[FilePatch, ...] = ()
    problem: str = ""
    fault: str = ""
    unreadable: str = ""
    deleted: tuple[str, ...] = ()
    output: str | None = None
    transcript: Transcript | None = None
    steps: tuple[StepRecord, ...] = ()
    origin: Mapping[str, Any] = field(default_factory=dict)
    target: str | None = None
    no_workspace: str = ""

    @property
    def memory_bytes(self) -> int:
        """How much memory its contents take, in bytes; files of a directory stay on disk."""
        files = sum(len(entry.data or b"") for entry in self.tree.entries.values())
        hunks = sum(len(hunk.body) for patch in self.patches for hunk in patch.hunks)
        said = sum(len(message.content) for message in self.transcript.messages) if self.transcript else 0
        return files + hunks + said + len(self.output or "")


class HandIn(NamedTuple):
    """One student's submission to a class."""

    path: str
    name: str  # The name of the submission, unique in the folder.
    student: str
    attempt: str  # Distinguishes several submissions of the student; empty if there is only one.
    submitted: str  # The modification time of its newest file, in ISO 8601, UTC.
    unreadable: str = ""  # Why it is not read; empty if it is.

    @property
    def origin(self) -> dict[str, Any]:
        """The origin that its verdict records."""
        known = {"student": self.student, "attempt": self.attempt, "submitted": self.submitted}
        return {name: value for name, value in known.items() if value}


UNTOUCHED = Submission("(untouched)")
_LONE = re.compile("[\ud800-\udfff]")


def encodable(text: str, *, backslash: str = "\\") -> str:
    r"""Return text that any writer can encode, different for different bytes.

    Bytes of file names that are not UTF-8 become escapes such as ``\xfc``, and lone surrogates, which JSON may contain,
    such as ``\ud800``. `backslash` is what they begin with.
    """
    if text.isascii():
        return text
    paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return _LONE.sub(lambda found: backslash + _escaped(ord(found[0])), paired)


def _escaped(code: int) -> str:
    # As Python writes a byte in a file name that is not UTF-8.
    return f"x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"u{code:04x}"


def unused(name: str, taken: Container[str]) -> str:
    """Return a name of a submission that is not taken, encodable: the name itself, or one with a number after it."""
    name = encodable(name)
    return next(one for one in chain([name], (f"{name} ({n})" for n in count(2))) if one not in taken)


def digest(submission: Submission) -> str:
    """Return a hash of everything in a submission, for comparing runs."""
    found = sha256(submission.form.encode())
    for entry in submission.tree.entries.values():
        found.update(
            b"\0".join([entry.path.encode("utf-8", "surrogateescape"), entry.kind.encode(), b"%o" % entry.mode])
        )
        # The length of what follows: otherwise the name of the next entry could be the end of a link's target.
        found.update(b"\0%d\0" % (entry.size or len(os.fsencode(entry.target))))
        for piece in pieces(entry):
            found.update(piece)
    for patch in submission.patches:
        found.update(repr(patch).encode("utf-8", "surrogateescape"))
    found.update(repr(submission.deleted).encode("utf-8", "surrogateescape"))
    found.update(submission.problem.encode("utf-8", "surrogateescape"))
    for name, why in (("fault", submission.fault), ("unreadable", submission.unreadable)):
        if why:
            found.update(f"\0{name}\0{why}".encode("utf-8", "surrogateescape"))
    if submission.output is not None:
        found.update(b"\0output\0" + submission.output.encode("utf-8", "surrogatepass"))
    if submission.transcript is not None:
        found.update(b"\0transcript\0" + repr(submission.transcript).encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def identity(submission: Submission, content: str) -> str:
    """Return a hash of a submission as it was handed in; `content` is its `digest`.

    It also covers what does not affect the files but is part of the verdict, such as ignored files.
    """
    beside = (*submission.tree.left_out, "", submission.no_workspace)
    if not any(beside):
        return content
    return sha256("\0".join((content, *beside)).encode("utf-8", "surrogatepass")).hexdigest()
