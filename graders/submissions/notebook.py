"""The code of a Jupyter notebook: its code cells in order, as one source file.

Reads nbformat 4, with cells at the top level, and nbformat 3, with cells in worksheets. The teacher's tests are left
out: cells that nbgrader marks with `grade` but without `solution` in `metadata.nbgrader`. `grade_id` identifies an
answer. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from gradebox.graders.languages import of_fence

SUFFIX = ".ipynb"
ANSWER_TAG = "answer"
"""If any cell has this tag, only the tagged cells are the answer."""
SKIPPED_TAGS = frozenset({"skip", "skip-execution"})
_PYTHON = "python"
_ID = re.compile(r"[A-Za-z_][\w-]{0,99}", re.ASCII)
# A cell that begins with one of these magics is still Python code.
_HARMLESS = ("%%time", "%%timeit", "%%capture")


class NotNotebook(Exception):
    """The data is not a notebook. The message is a clause that says why."""


class NotebookCode(NamedTuple):
    """The code of a notebook."""

    suffix: str  # The suffix for a file with the code.
    text: str
    answers: Mapping[str, str] = MappingProxyType({})  # By id: the code of each answer, after that of earlier cells.


def code_of_notebook(data: bytes) -> NotebookCode:
    """Return the code of a notebook. Raises NotNotebook if the data is not a notebook."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NotNotebook("it is not JSON") from error
    if not isinstance(found, dict) or not isinstance(cells := _cells(found), list):
        raise NotNotebook("it has no list of cells")
    language = _language(found)
    code = [cell for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]
    chosen = [cell for cell in code if ANSWER_TAG in _tags(cell)] or code
    kept = [(_answer_id(cell), _text(cell)) for cell in chosen if not _is_left_out(cell)]
    if language == _PYTHON:
        kept = [(name, part) for name, text in kept for part in _without_magics(text)]
    kept = [(name, text.strip("\n")) for name, text in kept if text.strip()]
    known = of_fence(language)
    suffix = "." + (known.answer_file.rpartition(".")[2] if known else "py")
    answers = {name: _joined(kept, name, guarded=language == _PYTHON) for name, _ in kept if name}
    return NotebookCode(suffix, "\n\n".join(text for _, text in kept) + "\n", answers)


def _joined(cells: list[tuple[str, str]], name: str, *, guarded: bool) -> str:
    """Return the code of one answer after that of all earlier cells. If `guarded`, errors in earlier cells are ignored.

    An answer may have several cells: Jupyter copies the metadata of a cell when a user splits it.
    """
    last = max(place for place, (other, _) in enumerate(cells) if other == name)
    before = (_guarded(text) if guarded and other != name else text for other, text in cells[: last + 1])
    return "\n\n".join(before) + "\n"


def _guarded(text: str) -> str:
    return f"try:\n    exec(compile({text!r}, 'an earlier cell', 'exec'))\nexcept Exception:\n    pass"


def _answer_id(cell: Mapping[str, Any]) -> str:
    """Return the teacher's id of the answer in a cell, as a module name; "" if the cell is no answer."""
    graded = _mapping(_mapping(cell.get("metadata")).get("nbgrader"))
    name = graded.get("grade_id")
    return name.replace("-", "_") if graded.get("solution") and isinstance(name, str) and _ID.fullmatch(name) else ""


def _cells(notebook: Mapping[str, Any]) -> Any:
    sheets = notebook.get("worksheets")
    if "cells" not in notebook and isinstance(sheets, list):
        return [cell for sheet in sheets if isinstance(sheet, dict) for cell in _listed(sheet.get("cells"))]
    return notebook.get("cells")


def _language(notebook: Mapping[str, Any]) -> str:
    metadata = _mapping(notebook.get("metadata"))
    names = (_mapping(metadata.get(key)).get(of) for key, of in (("language_info", "name"), ("kernelspec", "language")))
    return next((name.lower() for name in names if isinstance(name, str) and name), _PYTHON)


def _is_left_out(cell: Mapping[str, Any]) -> bool:
    graded = _mapping(_mapping(cell.get("metadata")).get("nbgrader"))
    is_test = bool(graded.get("grade")) and not graded.get("solution")
    return is_test or not SKIPPED_TAGS.isdisjoint(_tags(cell))


def _tags(cell: Mapping[str, Any]) -> list[str]:
    return [tag for tag in _listed(_mapping(cell.get("metadata")).get("tags")) if isinstance(tag, str)]


def _text(cell: Mapping[str, Any]) -> str:
    source = cell.get("source", cell.get("input"))
    parts = source if isinstance(source, list) else [source]
    return "".join(part for part in parts if isinstance(part, str))


def _without_magics(text: str) -> Iterator[str]:
    """Yield the Python code of a cell without its magics; yield nothing if the cell is in another language."""
    first, _, rest = text.lstrip().partition("\n")
    if first.startswith("%%"):
        if not first.startswith(_HARMLESS):
            return
        text = rest
    yield "\n".join(map(_plain, text.split("\n")))


def _plain(line: str) -> str:
    """Return a line. Replace a notebook command by a `pass` statement with the same indentation."""
    code = line.lstrip()
    return f"{line[: len(line) - len(code)]}pass  # {code}" if code.startswith(("%", "!")) else line


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
