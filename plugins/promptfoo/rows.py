"""Collects the tests of a file from all their sources: the file itself, other files, directories, tables, scenarios.

A row is one test with its context. Rows from another file keep their positions in that file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from gradebox.graders.cases.discovery import is_pattern, resolved, sources
from gradebox.graders.documents import globs
from gradebox.graders.documents.diagnostics import DocumentPath, Findings, shown
from gradebox.graders.documents.json import read_json
from gradebox.graders.documents.paths import is_file
from gradebox.graders.documents.positions import Document, Node
from gradebox.graders.documents.reader import Reader, open_document, parsed, read_lines
from gradebox.plugins.promptfoo.csv_rows import table
from gradebox.plugins.promptfoo.nodes import Fields, fields_of, in_our_words, items_of, moved, text_of, written
from gradebox.plugins.promptfoo.prompt_matrix import PROGRAMS
from gradebox.sandbox.records import dataclass

_ELSEWHERE = ("http://", "https://", "huggingface://", "package:")


@dataclass(frozen=True, slots=True)
class Row:
    """One test."""

    document: Document  # The test itself, with its positions.
    # The fields of the scenario's configuration with which it is combined.
    scenario: Fields = field(default_factory=dict)
    suffix: str = ""  # Distinguishes it from the same test with another configuration.
    is_crossed: bool = False  # Whether its scenario has several configurations.
    agentv_id: str = ""  # AgentV's id for it if it has no id of its own.
    case_file: Path | None = None  # Its file, if it is from a case directory.
    findings: Findings = field(default_factory=partial(Findings, limited=True))  # The mistakes found in it.


class _Around(NamedTuple):
    """The context that the tests of one source share."""

    plain: bool
    scenario: Fields = {}  # noqa: RUF012 - never changed
    suffix: str = ""
    is_crossed: bool = False
    ids: tuple[str, str] = ("", "")  # The configuration's id, and AgentV's id for it if it has none.

    def row(self, document: Document, agentv_id: str = "") -> Row:
        return Row(document, self.scenario, self.suffix, self.is_crossed, agentv_id)

    def id_of(self, index: int, count: int) -> str:
        """Return AgentV's id for a scenario's test that has no id of its own."""
        own, numbered = self.ids
        if own:
            return f"{own}__scenario_test_{index + 1}" if count > 1 else own
        return f"{numbered}-{index + 1}" if numbered else ""


def rows_of(reader: Reader, fields: Fields, *, plain: bool) -> Iterator[Row]:
    """Yield the tests of a file, then those of its scenarios; with `plain`, the file is in promptfoo's format."""
    if fields.keys().isdisjoint({"tests", "scenarios", "imports"}):
        reader.error((), "the file has no `tests`", "Write a list of tests.")
    imports = fields_of(reader, fields.get("imports"), ("imports",))
    for key in imports.keys() - {"tests"}:
        message = f"`{shown(key)}` are not imported: each suite has settings of its own"
        reader.error(("imports", key), message, "Grade them by themselves.")
    alone = _Around(plain)
    yield from _tests(reader, imports.get("tests"), ("imports", "tests"), alone)
    yield from _tests(reader, fields.get("tests"), ("tests",), alone)
    for number, (scenario, path, place) in enumerate(_scenarios(reader, fields.get("scenarios"))):
        inner = Reader(place, reader.environ, reader.findings)
        parts = fields_of(inner, scenario, path, ("config", "tests", "description", "id"), "a scenario")
        listed = items_of(parts.get("config")) or [written({}, scenario)]
        for index, config in enumerate(listed):
            own = fields_of(inner, config, (*path, "config", index))
            name = text_of(own.get("id")) or text_of(own.get("description")) or f"{number + 1}.{index + 1}"
            shared = {key: child for key, child in own.items() if key not in ("id", "description")}
            ids = (text_of(own.get("id")) or "", f"scenario-{number + 1}-{index + 1}")
            around = _Around(plain, shared, f" {name}", len(listed) > 1, ids)
            yield from _tests(inner, parts.get("tests"), (*path, "tests"), around)


def _scenarios(reader: Reader, node: Node | None) -> Iterator[tuple[Node, DocumentPath, Document]]:
    for index, one in enumerate(items_of(node)):
        text = text_of(one)
        if text is None:
            yield one, ("scenarios", index), reader.document
            continue
        for file in _files(reader, text, ("scenarios", index)):
            document = open_document(file, reader.findings)
            root = in_our_words(document.root) if document else written([], one)
            inner = root.value.get("scenarios", root) if isinstance(root.value, dict) else root
            yield from ((moved(part, one), ("scenarios", index), reader.document) for part in items_of(inner))


def _files(reader: Reader, text: str, path: DocumentPath) -> list[Path]:
    target = resolved(reader, text)
    found = [] if target is None else globs.expand(target) if is_pattern(target) else [target]
    files = [file for file in found if is_file(file)]
    if not files:
        hint = f"It is looked up from {reader.document.file.parent}."
        reader.error(path, f"the file `{shown(text)}` does not exist", hint)
    return files


def _tests(reader: Reader, node: Node | None, path: DocumentPath, around: _Around) -> Iterator[Row]:
    is_list = node is not None and isinstance(node.value, list)
    count = len(items_of(node))
    for index, one in enumerate(items_of(node)):
        at = (*path, index) if is_list else path
        parts = fields_of(reader, one, at)
        text = text_of(one) or text_of(parts.get("path")) or text_of(parts.get("include"))
        if text is None:
            yield around.row(Document(reader.document.file, one, at), around.id_of(index, count))
            continue
        if "select" in parts or text_of(parts.get("type")) == "suite":
            message = "an import of a suite, or of a part of a file, is not read"
            reader.error(at, message, "Name a file of tests, or grade the suite by itself.")
        run = {"run": parts["run"]} if "run" in parts else {}
        yield from _named(reader, text, at, around._replace(scenario={**around.scenario, **run}))


def _named(reader: Reader, text: str, path: DocumentPath, around: _Around) -> Iterator[Row]:
    name = text.strip().removeprefix("file://")
    if text.startswith(_ELSEWHERE):
        reader.error(path, f"`{shown(text)}` is not on this machine", "Fetch it, and name the file.")
    elif re.sub(r":\w+\Z", "", name).endswith(PROGRAMS):
        message = f"`{shown(name)}` is a program that makes tests, and it is not run"
        reader.error(path, message, "Write its tests into a file.")
    elif name.endswith(".csv"):
        for file in _files(reader, text, path):
            lines = enumerate(table(reader, file, has_ids=not around.plain), 1)
            yield from (around.row(document, f"row-{number}") for number, document in lines)
    else:
        for source in sources(reader, text, path):
            for document in _documents(reader, source.directory or source.file or Path()):
                yield replace(around.row(document), case_file=source.directory)


def _documents(reader: Reader, file: Path) -> Iterator[Document]:
    if file.suffix == ".jsonl":
        for number, line in read_lines(file, reader.findings):
            document = parsed(file, reader.findings, partial(read_json, line, first_line=number))
            if document is not None:
                yield Document(file, in_our_words(document.root), (f"line {number}",))
        return
    document = open_document(file, reader.findings)
    if document is None:
        return
    root = in_our_words(document.root)
    prefix: DocumentPath = ()
    if isinstance(root.value, dict) and isinstance(listed := root.value.get("tests"), Node):
        root, prefix = listed, ("tests",)
    is_list = isinstance(root.value, list)
    for index, one in enumerate(items_of(root)):
        yield Document(file, one, (*prefix, index) if is_list else prefix)
