"""The code of a Jupyter notebook: its code cells in order, as one source file.

Reads nbformat 4, with cells at the top level, and nbformat 3, with cells in worksheets. The teacher's tests are left
out: cells that nbgrader marks with `grade` but without `solution` in `metadata.nbgrader`. `grade_id` identifies an
answer. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.languages import of_fence
from gradebox.graders.submissions.notebook_python import FileCell, cell_code, definitions, first_lines, plain

SUFFIX = ".ipynb"
ANSWER_TAG = "answer"
"""If any cell has this tag, only the tagged cells are the answer."""
SKIPPED_TAGS = frozenset({"skip", "skip-execution"})
_PYTHON = "python"
_MOST_FILES = 1000
MAX_CODE_CHARACTERS = 4 * 1024 * 1024
"""Without outputs, text and the files that cells write."""
_ID = re.compile(r"[A-Za-z_][\w-]{0,99}", re.ASCII)


class NotNotebook(Exception):
    """The data is not a notebook. The message is a clause that says why."""


class NotebookRefused(SubmissionRefused):
    """The code of a notebook is too long, or its answers are; the message is a sentence."""


_Cells = Sequence[tuple[str, str]]
"""The code of cells in order, each after the id of its answer, which may be empty."""


class NotebookCode:
    """The code of a notebook. What costs time or memory is made only when it is wanted, and within limits.

    Attributes:
        suffix: The suffix for a file with the code.
        files: What `%%writefile` writes, by path.
    """

    def __init__(self, suffix: str, cells: _Cells, files: Mapping[str, str]) -> None:
        self.suffix = suffix
        self.files = files
        self._written = cells
        # Jupyter copies the metadata of a cell when a user splits it, so the last cell of an answer counts.
        self._ends = {name: place for place, (name, _) in enumerate(cells, 1) if name}

    @property
    def answers(self) -> Iterable[str]:
        """The ids of the answers."""
        return self._ends

    def text(self) -> str:
        """Return the code. Raises NotebookRefused if it is too long, as `answer` does."""
        return _joined(self._cells)

    def answer(self, name: str) -> str:
        """Return the code of an answer, after that of earlier cells."""
        return _joined(self._cells[: self._ends[name]])

    @cached_property
    def _cells(self) -> _Cells:
        if sum(len(text) for _, text in self._written) > MAX_CODE_CHARACTERS:
            raise NotebookRefused(f"The notebook has more than {MAX_CODE_CHARACTERS} characters of code.")
        return self._written


class _PythonCode(NotebookCode):
    """The code of a notebook in Python, without what only Jupyter understands."""

    def text(self) -> str:
        return self._first + _joined(self._ready)

    def answer(self, name: str) -> str:
        """Return the code of an answer with the other cells around it, whose errors are ignored.

        Of later cells, only new functions, classes and imports count: the answer may use them when it is called.
        """
        end = self._ends[name]
        around = zip(self._ready[:end], self._guarded, strict=False)
        found = [("", own[1] if own[0] == name else guarded) for own, guarded in around]
        if later := [("", part) for parts in self._defined[end:] for part in parts]:
            found += [("", "_defined = dict(globals())"), *later, ("", "globals().update(_defined)")]
        return self._first + _joined(found)

    @cached_property
    def _first(self) -> str:
        return first_lines(_joined(self._cells))

    @cached_property
    def _ready(self) -> _Cells:
        return [(name, plain(text).strip("\n")) for name, text in self._cells]

    @cached_property
    def _guarded(self) -> Sequence[str]:
        return [_guarded_code(text) for _, text in self._ready]

    @cached_property
    def _defined(self) -> Sequence[Sequence[str]]:
        return [[_guarded_code(part) for part in definitions(text)] for _, text in self._ready]


def code_of_notebook(data: bytes) -> NotebookCode:
    """Return the code of a notebook. Raises NotNotebook if the data is not a notebook."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NotNotebook("it is not JSON") from error
    if not isinstance(found, dict) or not isinstance(cells := _cells_of(found), list):
        raise NotNotebook("it has no list of cells")
    language = _language(found)
    code = [cell for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]
    chosen = [cell for cell in code if ANSWER_TAG in _tags(cell)] or code
    kept = [(_answer_id(cell), _text(cell)) for cell in chosen if not _is_left_out(cell)]
    known = of_fence(language)
    suffix = "." + (known.answer_file.rpartition(".")[2] if known else "py")
    if language == _PYTHON:
        return _of_python(suffix, kept)
    return NotebookCode(suffix, [(name, text.strip("\n")) for name, text in kept if text.strip()], {})


def _of_python(suffix: str, cells: _Cells) -> NotebookCode:
    files: dict[str, list[str]] = {}
    kept = []
    for name, code in ((name, cell_code(text)) for name, text in cells):
        if isinstance(code, FileCell) and (code.path in files or len(files) < _MOST_FILES):
            if not code.is_more:
                files[code.path] = []
            files.setdefault(code.path, []).append(code.text)
        elif isinstance(code, str) and code.strip():
            kept.append((name, code.strip("\n")))
    return _PythonCode(suffix, kept, {path: "".join(parts) for path, parts in files.items()})


def _joined(cells: _Cells) -> str:
    return "\n\n".join(text for _, text in cells) + "\n"


def _guarded_code(text: str) -> str:
    return f"try:\n    exec(compile({text!r}, 'another cell', 'exec'))\nexcept (Exception, SystemExit):\n    pass"


def _answer_id(cell: Mapping[str, Any]) -> str:
    """Return the teacher's id of the answer in a cell, as a module name; "" if the cell is no answer."""
    graded = _mapping(_mapping(cell.get("metadata")).get("nbgrader"))
    name = graded.get("grade_id")
    return name.replace("-", "_") if graded.get("solution") and isinstance(name, str) and _ID.fullmatch(name) else ""


def _cells_of(notebook: Mapping[str, Any]) -> Any:
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
