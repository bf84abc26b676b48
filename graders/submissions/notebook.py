"""The code of a Jupyter notebook: its code cells in order, as one source file.

Reads nbformat 4, with cells at the top level, and nbformat 3, with cells in worksheets. The teacher's tests are left
out: cells that nbgrader marks with `grade` but without `solution` in `metadata.nbgrader`. `grade_id` identifies an
answer. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from gradebox.graders.languages import of_fence
from gradebox.graders.submissions.notebook_python import FileCell, cell_code, definitions, plain, source

SUFFIX = ".ipynb"
ANSWER_TAG = "answer"
"""If any cell has this tag, only the tagged cells are the answer."""
SKIPPED_TAGS = frozenset({"skip", "skip-execution"})
_PYTHON = "python"
_MOST_FILES = 1000
_ID = re.compile(r"[A-Za-z_][\w-]{0,99}", re.ASCII)


class NotNotebook(Exception):
    """The data is not a notebook. The message is a clause that says why."""


class NotebookCode(NamedTuple):
    """The code of a notebook."""

    suffix: str  # The suffix for a file with the code.
    text: str
    answers: Mapping[str, str] = MappingProxyType({})  # By id: the code of each answer, after that of earlier cells.
    files: Mapping[str, str] = MappingProxyType({})  # By path: what `%%writefile` writes.


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
    known = of_fence(language)
    suffix = "." + (known.answer_file.rpartition(".")[2] if known else "py")
    if language == _PYTHON:
        return _of_python(suffix, kept)
    kept = [(name, text.strip("\n")) for name, text in kept if text.strip()]
    answers = {name: _joined(kept[: _last(kept, name) + 1]) for name, _ in kept if name}
    return NotebookCode(suffix, _joined(kept), answers)


def _of_python(suffix: str, cells: list[tuple[str, str]]) -> NotebookCode:
    files: dict[str, str] = {}
    kept = []
    for name, code in ((name, cell_code(text)) for name, text in cells):
        if isinstance(code, FileCell) and (code.path in files or len(files) < _MOST_FILES):
            files[code.path] = files.get(code.path, "") * code.is_more + code.text
        elif isinstance(code, str) and code.strip():
            kept.append((name, code.strip("\n")))
    code = _joined(kept)
    ready = [(name, plain(text).strip("\n")) for name, text in kept]
    answers = {name: source(code, _joined(_around(ready, name))) for name, _ in ready if name}
    return NotebookCode(suffix, source(code, _joined(ready)), answers, files)


def _around(cells: list[tuple[str, str]], name: str) -> list[tuple[str, str]]:
    """Return the cells of an answer of Python with the others around it, whose errors are ignored.

    Of later cells, only new functions, classes and imports count: the answer may use them when it is called.
    """
    end = _last(cells, name) + 1
    found = [(other, text if other == name else _guarded(text)) for other, text in cells[:end]]
    later = [("", _guarded(part)) for _, text in cells[end:] for part in definitions(text)]
    return [*found, ("", "_defined = dict(globals())"), *later, ("", "globals().update(_defined)")] if later else found


def _last(cells: list[tuple[str, str]], name: str) -> int:
    """Return the place of an answer's last cell: Jupyter copies the metadata of a cell when a user splits it."""
    return max(place for place, (other, _) in enumerate(cells) if other == name)


def _joined(cells: list[tuple[str, str]]) -> str:
    return "\n\n".join(text for _, text in cells) + "\n"


def _guarded(text: str) -> str:
    return f"try:\n    exec(compile({text!r}, 'another cell', 'exec'))\nexcept (Exception, SystemExit):\n    pass"


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


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
