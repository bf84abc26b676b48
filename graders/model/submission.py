"""A submission: what a candidate hands in, read from a path, and laid over the case's workspace.

Everything here is hostile input. A directory is scanned without following links; a diff is applied in memory by
`diff`, strictly; nothing is executed and no other program is asked.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from graders.documents.suggest import did_you_mean
from graders.errors import SubmissionRefused
from graders.formats.julia_leaderboard.recorded import is_conversation, read_conversation
from graders.model.transcript import Transcript
from graders.model.tree import (
    Tree,
    content,
    overlay,
    parents,
    pieces,
    remove,
    scan,
)
from graders.model.verdict import StepRecord
from graders.submissions import diff
from sandbox.archive import Kind, file_entry
from sandbox.session import SNAPSHOT_MAX_BYTES

STDIN = "-"
MAX_DIFF_BYTES = 32 * 1024 * 1024
MAX_ANSWER_BYTES = 4 * 1024 * 1024
# More is in no workspace that a sandbox could remember.
MAX_DIRECTORY_BYTES = SNAPSHOT_MAX_BYTES
# What ends like this is an answer, markdown or code, and is laid down under this name.
ANSWER_FILES = {".md": "answer.md", ".jl": "answer.jl"}


class Form(StrEnum):
    """What a submission is."""

    NOTHING = "nothing"
    DIRECTORY = "directory"
    DIFF = "diff"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Submission:
    """A candidate's work.

    Attributes:
        name: Shown in reports; names of submissions of one run are unique.
        form: What it is.
        tree: The files of a directory; of an answer, the one file that it is laid down as.
        patches: The files of a diff.
        problem: Why it could not be taken, which is the candidate's fault; empty when it could.
        fault: Why there is none, which is not the candidate's fault; empty when there is one.
        deleted: Paths of the case's workspace that are gone in the tree of a directory.
        output: The text of the answer, None when there is none.
        transcript: How the answer came about, None when that is not known.
        steps: What ran to make it, where a target did.
    """

    name: str
    form: Form = Form.NOTHING
    tree: Tree = Tree()
    patches: tuple[diff.FilePatch, ...] = ()
    problem: str = ""
    fault: str = ""
    deleted: tuple[str, ...] = ()
    output: str | None = None
    transcript: Transcript | None = None
    steps: tuple[StepRecord, ...] = ()


UNTOUCHED = Submission("(untouched)")


def read_submission(path: str | Path, *, name: str | None = None) -> Submission:
    """Read a submission: a directory, a file that holds a unified diff, or ``-`` for a diff on stdin.

    A file whose name ends in ``.md`` or ``.jl`` is an answer, and so is a recorded ``conversation__...json``.

    Raises:
        SubmissionRefused: If there is nothing of that name, or it is neither.
    """
    if str(path) == STDIN:
        return _diff(name or "stdin", sys.stdin.buffer.read(MAX_DIFF_BYTES + 1))
    place = Path(path)
    try:
        mode = place.stat().st_mode
        if stat.S_ISDIR(mode):
            return _directory(name or place.resolve().name, place)
        if stat.S_ISREG(mode):
            with place.open("rb") as stream:
                data = stream.read(MAX_DIFF_BYTES + 1)
            if is_conversation(place.name):
                return answer(name or place.stem, read_conversation(data).answer)
            if place.suffix in ANSWER_FILES:
                # An editor's line ends are nothing that was answered.
                text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
                return answer(name or place.stem, text, file=ANSWER_FILES[place.suffix])
            return _diff(name or place.stem, data)
    except OSError as error:
        raise SubmissionRefused(
            f"The submission {place} cannot be read: {error.strerror or error}.", remedy=did_you_mean(place) or ""
        ) from error
    except ValueError as error:
        raise SubmissionRefused(f"The submission {place} cannot be read: {error}.") from error
    raise SubmissionRefused(f"The submission {place} is neither a directory nor a file.")


def _directory(name: str, place: Path) -> Submission:
    try:
        tree = scan(place, leave=[".git"])
    except SubmissionRefused as error:
        return Submission(name, Form.DIRECTORY, problem=error.message)
    except OSError as error:
        # A path too long is the candidate's doing, and no reason not to grade the others.
        if error.errno != errno.ENAMETOOLONG:
            raise
        first = os.path.relpath(error.filename, place).partition("/")[0]
        return Submission(name, Form.DIRECTORY, problem=f"It holds paths that are too long, below {first!r}.")
    if tree.size_bytes > MAX_DIRECTORY_BYTES:
        # A sparse file takes nothing on the candidate's disk, and all of its size here.
        return Submission(name, Form.DIRECTORY, problem=f"It holds more than {MAX_DIRECTORY_BYTES} bytes.")
    return Submission(name, Form.DIRECTORY, tree)


def answer(name: str, text: str, *, file: str = ANSWER_FILES[".md"]) -> Submission:
    """Return the submission of an answer: a text, which lies in the workspace as a file where it is graded.

    Args:
        name: Of the submission.
        text: The answer. In markdown, what of it is code is decided where it is graded; text without any fence counts.
        file: Which of ANSWER_FILES it is laid down as: markdown, or what is code from end to end.
    """
    data = text.encode("utf-8", "replace")
    if len(data) > MAX_ANSWER_BYTES:
        return Submission(name, Form.ANSWER, problem=f"The answer is larger than {MAX_ANSWER_BYTES} bytes.")
    return Submission(name, Form.ANSWER, Tree({file: file_entry(file, data)}), output=text)


def _diff(name: str, data: bytes) -> Submission:
    if len(data) > MAX_DIFF_BYTES:
        return Submission(name, Form.DIFF, problem=f"The diff is larger than {MAX_DIFF_BYTES} bytes.")
    try:
        return Submission(name, Form.DIFF, patches=diff.parse(data))
    except diff.DiffError as error:
        return Submission(name, Form.DIFF, problem=f"The diff cannot be read: {error}")


@dataclass(frozen=True, slots=True)
class Laid:
    """A workspace with a submission laid over it.

    Attributes:
        tree: The result.
        problem: Why the submission could not be laid over it, which is the candidate's fault.
    """

    tree: Tree
    problem: str = ""


def lay(workspace: Tree, submission: Submission) -> Laid:
    """Lay a submission over a case's workspace."""
    if submission.problem:
        return Laid(workspace, submission.problem)
    match submission.form:
        case Form.NOTHING:
            return Laid(workspace)
        case Form.DIRECTORY | Form.ANSWER:
            return Laid(overlay(remove(workspace, submission.deleted), submission.tree))
        case Form.DIFF:
            return _patch(workspace, submission.patches)


def _patch(workspace: Tree, patches: tuple[diff.FilePatch, ...]) -> Laid:
    def read(path: str) -> bytes | None:
        entry = workspace.entries.get(path)
        return content(entry) if entry is not None and entry.kind is Kind.FILE else None

    try:
        changes = diff.apply(patches, read)
    except diff.DiffError as error:
        return Laid(workspace, f"The diff does not apply to the case's workspace: {error}")
    # A deletion may make room for a file where a directory was, so deletions come first.
    tree = remove(workspace, [change.path for change in changes if change.content is None])
    made = {}
    for change in changes:
        if change.content is None:
            continue
        problem = _in_the_way(tree, change.path)
        if problem:
            return Laid(workspace, f"The diff does not apply to the case's workspace: {problem}")
        before = workspace.entries.get(change.origin or change.path)
        mode = change.mode or (before.mode if before else 0o644)
        made[change.path] = file_entry(change.path, change.content, mode=mode)
    return Laid(overlay(tree, Tree(made)))


def _in_the_way(tree: Tree, path: str) -> str:
    """Say what keeps a file from being written where a diff wants it; `diff` itself knows of files only."""
    there = tree.entries.get(path)
    if there is not None and there.kind is not Kind.FILE:
        return f"{path!r} is a {there.kind}."
    for parent in parents(path):
        entry = tree.entries.get(parent)
        if entry is not None and entry.kind is Kind.LINK:
            return f"{parent!r} is a link, and {path!r} lies beyond it."
    return ""


def digest(submission: Submission) -> str:
    """Return a hash of all that a submission brings, for comparing runs."""
    found = sha256(submission.form.encode())
    for entry in submission.tree.entries.values():
        found.update(
            b"\0".join([entry.path.encode("utf-8", "surrogateescape"), entry.kind.encode(), b"%o" % entry.mode])
        )
        found.update(b"\0%d\0" % entry.size)
        for piece in pieces(entry):
            found.update(piece)
    for patch in submission.patches:
        found.update(repr(patch).encode("utf-8", "surrogateescape"))
    found.update(repr(submission.deleted).encode("utf-8", "surrogateescape"))
    found.update(submission.problem.encode("utf-8", "surrogateescape"))
    if submission.output is not None:
        found.update(b"\0output\0" + submission.output.encode("utf-8", "surrogatepass"))
    if submission.transcript is not None:
        found.update(b"\0transcript\0" + repr(submission.transcript).encode("utf-8", "surrogatepass"))
    return found.hexdigest()
