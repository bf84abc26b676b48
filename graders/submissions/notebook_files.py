"""Notebooks among the files of a submission: if a case wants source, their code becomes a file beside them.

Each answer with an id of nbgrader also becomes a file, `cells/ID.py`, if the case names that path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gradebox.graders.model.tree import Tree, content, overlay
from gradebox.graders.submissions.notebook import SUFFIX, NotebookCode, NotebookRefused, NotNotebook, code_of_notebook
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry

MAX_NOTEBOOK_BYTES = 32 * 1024 * 1024
MAX_ANSWERS_BYTES = 64 * 1024 * 1024
FOLDER = "cells"
"""Directory of the answers of a notebook."""


class MadeFiles(NamedTuple):
    """The files that a notebook becomes."""

    code: ArchiveEntry  # Has the name of the notebook with another suffix.
    written: Tree  # What its cells write.


def made_files(entry: ArchiveEntry) -> MadeFiles | None:
    """Return the files that a notebook becomes; None if it is not a notebook.

    Raises NotebookRefused if its code is too long.
    """
    code = _code(entry)
    if code is None:
        return None
    folder = entry.path[: entry.path.rfind("/") + 1]
    written = {folder + path: _file(folder + path, text) for path, text in sorted(code.files.items())}
    return MadeFiles(_file(entry.path.removesuffix(SUFFIX) + code.suffix, code.text()), Tree(written))


def _file(path: str, text: str) -> ArchiveEntry:
    return file_entry(path, text.encode("utf-8", "replace"))


def _code(entry: ArchiveEntry) -> NotebookCode | None:
    if not entry.path.endswith(SUFFIX) or entry.kind is not EntryKind.FILE or entry.size > MAX_NOTEBOOK_BYTES:
        return None
    try:
        return code_of_notebook(content(entry))
    except NotNotebook:
        return None


def with_code_of_notebook(tree: Tree) -> Tree | None:
    """Return a tree with the code of its only notebook beside it, and the files that its cells write.

    None if it has none or several, or has a file of that name already. Raises NotebookRefused if its code is too long.
    """
    notebooks = _notebooks(tree)
    made = made_files(notebooks[0]) if len(notebooks) == 1 else None
    if made is None or made.code.path in tree.entries:
        return None
    return overlay(overlay(Tree({made.code.path: made.code}), made.written), tree)


def answers_as_files(tree: Tree, is_wanted: Callable[[str], bool]) -> Tree:
    """Return the answers of the only notebook of a tree as files, if their paths are wanted; maybe none.

    Raises NotebookRefused if its code, or all these files together, are too long.
    """
    notebooks = _notebooks(tree)
    code = _code(notebooks[0]) if len(notebooks) == 1 else None
    if code is None:
        return Tree()
    found: dict[str, ArchiveEntry] = {}
    size = 0
    for name in code.answers:
        path = f"{FOLDER}/{name}{code.suffix}"
        if is_wanted(path):
            found[path] = _file(path, code.answer(name))
            size += found[path].size
        if size > MAX_ANSWERS_BYTES:
            raise NotebookRefused(f"The answers of the notebook become files of more than {MAX_ANSWERS_BYTES} bytes.")
    return Tree(found)


def _notebooks(tree: Tree) -> list[ArchiveEntry]:
    return [entry for entry in tree.files() if entry.path.endswith(SUFFIX)]
