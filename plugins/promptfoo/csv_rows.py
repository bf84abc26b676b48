"""Tests in a table (CSV): a variable in each column; columns that begin with two underscores are about the test.

``__expected`` and ``__expected2`` are checks: ``TYPE: VALUE``, ``TYPE(THRESHOLD)``, a file of code, or the answer.
``__description``, ``__threshold``, ``__provider``, ``__id``, ``__metric`` and ``__metadata:NAME`` set those fields;
``__config:__expected:threshold`` is the score that a check needs. Other such columns have no effect. In AgentV's
format, the column ``id`` has the ids of tests.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from gradebox.graders.documents.diagnostics import shown
from gradebox.graders.documents.positions import Document, Node
from gradebox.graders.documents.reader import Reader, read_text
from gradebox.graders.documents.scalars import plain_scalar
from gradebox.plugins.promptfoo.nodes import in_our_words, written

# Names of columns, and the fields that they set.
_TABLE = {"__description": "description", "__threshold": "threshold", "__provider": "provider", "__id": "id"}
_EXPECTED = re.compile(r"__expected\d*\Z")
_CHECK = re.compile(r"(not-)?([a-z][a-z:-]*?)(?:\(([0-9.]+)\))?(?::\s*(.*))?\Z", re.DOTALL)
_LISTS = ("contains-any", "contains-all", "icontains-any", "icontains-all")
_CODE = {"fn": "javascript", "eval": "javascript", "javascript": "javascript", "python": "python"}
_WORDS = ("grade", "llm-rubric")


def table(reader: Reader, file: Path, *, has_ids: bool) -> Iterator[Document]:
    """Yield the tests of a table, one for each line; with `has_ids`, the column `id` has their ids."""
    text = read_text(file, reader.findings)
    lines = csv.DictReader(io.StringIO(text or ""), restkey="")
    with suppress(csv.Error):
        for cells in lines:
            number = lines.line_num
            at = Node(None, number, 1)
            ids = {"id": cells["id"]} if has_ids and (cells.get("id") or "").strip() else {}
            yield Document(file, in_our_words(written({**ids, **_of_cells(cells)}, at)), (f"line {number}",))
        return
    reader.error((), f"`{shown(file.name)}` is not CSV in line {lines.line_num}", "Check its quotes.")


def _of_cells(cells: dict[str, Any]) -> dict[str, Any]:
    """Return a line of a table as a test."""
    row: dict[str, Any] = {"vars": {}, "assert": [], "metadata": {}}
    configs: dict[str, dict[str, Any]] = {}
    for column, cell in cells.items():
        name, value = (column or "").strip(), (cell or "") if isinstance(cell, str) else ""
        if name.startswith("__metadata:"):
            row["metadata"][name.removeprefix("__metadata:").removesuffix("[]")] = value
        elif name.startswith("__config:"):
            _, target, key = [*name.split(":"), "", ""][:3]
            configs.setdefault(target, {})["min_score" if key == "threshold" else key] = _number(value)
        elif _EXPECTED.match(name):
            if value.strip():
                row["assert"].append((name, _check(value.strip())))
        elif name in _TABLE:
            if value.strip():
                row[_TABLE[name]] = _number(value) if name == "__threshold" else value
        elif name == "__metric":
            row["metric"] = value
        elif name and not name.startswith("__"):
            row["vars"][name] = value
    metric = {"metric": row.pop("metric")} if row.get("metric") else {}
    row["assert"] = [{**check, **metric, **configs.get(name, {})} for name, check in row["assert"]]
    return {key: value for key, value in row.items() if value or key == "vars"}


def _check(text: str) -> dict[str, Any]:
    """Return a cell as a check: ``TYPE: VALUE``, ``TYPE(THRESHOLD)``, a file, or the whole answer."""
    if text.startswith("file://"):
        return {"type": "python" if ".py" in text else "javascript", "value": text}
    match = _CHECK.match(text)
    negated, kind, threshold, value = match.groups() if match else (None, "", None, None)
    if not match or (value is None and threshold is None and kind not in ("is-json", "contains-json", "is-xml")):
        return {"type": "equals", "value": text}
    kind = _CODE.get(kind, "llm-rubric" if kind in _WORDS else kind)
    found: dict[str, Any] = {"type": f"{negated or ''}{kind}"}
    if threshold is not None:
        found["threshold"] = _number(threshold)
    if value is not None:
        found["value"] = [part.strip() for part in value.split(",")] if kind in _LISTS else value.strip()
    return found


def _number(text: str) -> Any:
    """Return a cell as a number; any other text unchanged, which the reader of cases reports."""
    number = plain_scalar(text.strip())
    return number if isinstance(number, int | float) else text
