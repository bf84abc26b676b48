"""Notebooks among the files of a submission: their code becomes a file beside them, where a case wants source."""

from __future__ import annotations

from gradebox.graders.model.tree import Tree, content, overlay
from gradebox.graders.submissions.notebook import SUFFIX, NotNotebook, code_of_notebook
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry

MAX_NOTEBOOK_BYTES = 32 * 1024 * 1024


def code_as_file(entry: ArchiveEntry) -> ArchiveEntry | None:
    """Return the code of a notebook as a file of the same name with another suffix; None if it is not a notebook."""
    if not entry.path.endswith(SUFFIX) or entry.kind is not EntryKind.FILE or entry.size > MAX_NOTEBOOK_BYTES:
        return None
    try:
        code = code_of_notebook(content(entry))
    except NotNotebook:
        return None
    return file_entry(entry.path.removesuffix(SUFFIX) + code.suffix, code.text.encode("utf-8", "replace"))


def with_code_of_notebook(tree: Tree) -> Tree | None:
    """Return a tree with the code of its only notebook beside it.

    None if it has none or several, or has a file of that name already.
    """
    notebooks = [entry for entry in tree.files() if entry.path.endswith(SUFFIX)]
    made = code_as_file(notebooks[0]) if len(notebooks) == 1 else None
    if made is None or made.path in tree.entries:
        return None
    return overlay(tree, Tree({made.path: made}))
