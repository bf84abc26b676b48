"""Notebooks among the files of a submission: if a case wants source, their code becomes a file beside them.

Each answer with an id of nbgrader also becomes a file, `cells/ID.py`, if the case names that path.
"""

from __future__ import annotations

from collections.abc import Callable

from gradebox.graders.model.tree import Tree, content, overlay
from gradebox.graders.submissions.notebook import SUFFIX, NotebookCode, NotNotebook, code_of_notebook
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry

MAX_NOTEBOOK_BYTES = 32 * 1024 * 1024
FOLDER = "cells"
"""Directory of the answers of a notebook."""


def code_as_file(entry: ArchiveEntry) -> ArchiveEntry | None:
    """Return the code of a notebook as a file of the same name with another suffix; None if it is not a notebook."""
    code = _code(entry)
    return code and _file(entry.path.removesuffix(SUFFIX) + code.suffix, code.text)


def written_files(entry: ArchiveEntry) -> Tree:
    """Return the files that the cells of a notebook write."""
    code = _code(entry)
    folder = entry.path[: entry.path.rfind("/") + 1]
    return Tree(
        {folder + path: _file(folder + path, text) for path, text in sorted(code.files.items())} if code else {}
    )


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

    None if it has none or several, or has a file of that name already.
    """
    notebooks = _notebooks(tree)
    made = code_as_file(notebooks[0]) if len(notebooks) == 1 else None
    if made is None or made.path in tree.entries:
        return None
    return overlay(overlay(Tree({made.path: made}), written_files(notebooks[0])), tree)


def answers_as_files(tree: Tree, is_wanted: Callable[[str], bool]) -> Tree:
    """Return the answers of the only notebook of a tree as files, if their paths are wanted; maybe none."""
    notebooks = _notebooks(tree)
    code = _code(notebooks[0]) if len(notebooks) == 1 else None
    paths = {f"{FOLDER}/{name}{code.suffix}": text for name, text in code.answers.items()} if code else {}
    return Tree({path: _file(path, text) for path, text in paths.items() if is_wanted(path)})


def _notebooks(tree: Tree) -> list[ArchiveEntry]:
    return [entry for entry in tree.files() if entry.path.endswith(SUFFIX)]
