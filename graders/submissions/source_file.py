"""Submissions that are one source file: where it lies in the workspace, which depends on the case.

    its own name       if the workspace has a file of that name at its top
    `answer_file`      of the case, if it is in the same language
    its own name       if exactly one file of the workspace, anywhere, has it
    the language's     file for answers, if the case has a language, and this file is in it

A file that has no place is no submission of that case, and is refused.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from graders.errors import SubmissionRefused
from graders.languages import languages, of_fence
from graders.model.case import Case
from graders.model.submission import Form, Submission
from graders.model.tree import Tree, scan
from sandbox.archive import EntryKind, file_entry

MAX_SOURCE_BYTES = 4 * 1024 * 1024


def read_source_file(name: str, file_name: str, data: bytes) -> Submission:
    """Return the submission of a source file; it still has to be laid at its place with `placed`.

    The file name is without directories.
    """
    if len(data) > MAX_SOURCE_BYTES:
        return Submission(name, problem=f"The source file is larger than {MAX_SOURCE_BYTES} bytes.")
    mode = 0o755 if data.startswith(b"#!") else 0o644
    tree = Tree({file_name: file_entry(file_name, data, mode=mode)})
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return Submission(name, Form.SOURCE_FILE, tree, output=text)


def placed(case: Case, submission: Submission) -> Submission:
    """Return the submission of a source file as a tree with that file at its place in the case's workspace.

    Raises SubmissionRefused if the case has no place for it.
    """
    (entry,) = submission.tree.entries.values()
    path = _place(case, entry.path)
    if path is None:
        wanted = f"`answer_file` is {case.answer_file}" if case.answer_file else "it has no `answer_file`"
        raise SubmissionRefused(
            f"The case {case.id} has no place for the submission {entry.path}: its workspace has no file of that name, "
            f"and {wanted}.",
            remedy="Submit a directory, a diff, an archive or an answer, or rename the file.",
        )
    return replace(submission, form=Form.DIRECTORY, tree=Tree({path: replace(entry, path=path)}))


def _place(case: Case, file_name: str) -> str | None:
    try:
        workspace = scan(case.workspace, leave=[".git"]) if case.workspace else Tree()
    except OSError:
        # Reported where the case is graded.
        workspace = Tree()
    files = [path for path, entry in workspace.entries.items() if entry.kind is EntryKind.FILE]
    if file_name in files:
        return file_name
    default = languages().get(case.language or "")
    for path in (case.answer_file, default.answer_file if default and not case.answer_file else None):
        if path and path.rpartition("/")[2] == file_name:
            return path
    if case.answer_file:
        return case.answer_file if _alike(file_name, case.answer_file) else None
    same = [path for path in files if path.rpartition("/")[2] == file_name]
    if len(same) == 1:
        return same[0]
    return default.answer_file if default and _alike(file_name, default.answer_file) else None


def _alike(one: str, other: str) -> bool:
    """Return whether two files are in the same language, as far as their suffixes say."""
    first, second = (PurePosixPath(path).suffix.lower().removeprefix(".") for path in (one, other))
    return first == second or not second or (of_fence(first) is not None and of_fence(first) is of_fence(second))
