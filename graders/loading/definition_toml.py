"""``definition.toml``: a task of the Julia LLM Leaderboard -> `Case`.

One table, ``[code_generation]``, in ``<category>/<name>/definition.toml``. The file is validated in full. Its case has
four checks of weight 1: `parsed`, `executed`, `passed_unit_tests` and `executed_examples`.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from pydantic import Field, TypeAdapter

from graders.case import Place
from graders.loading.diagnostics import Findings, shown
from graders.loading.documents import Language
from graders.loading.entries import Entry
from graders.loading.fields import Image, SourceItem
from graders.loading.loaded import BrokenCase, Loaded, in_order
from graders.loading.reader import Reader, parsed, read_text
from graders.loading.toml_reader import read_toml

DEFINITION_FILE = "definition.toml"
CRITERIA = ("parsed", "executed", "passed_unit_tests", "executed_examples")
_MAX_BYTES = 1024 * 1024

Code = list[SourceItem]


class CodeGeneration(Entry):
    """The table of a definition."""

    kind: ClassVar[str] = "definition"

    name: SourceItem
    contributor: SourceItem
    criteria: Code
    prompt: SourceItem
    version: SourceItem
    examples: Code
    unit_tests: Code
    imports: Code
    reference_solution: SourceItem
    examples_setup: Code = Field(default_factory=list)
    examples_teardown: Code = Field(default_factory=list)
    unit_tests_setup: Code = Field(default_factory=list)
    unit_tests_teardown: Code = Field(default_factory=list)
    language: Language = "julia"
    image: Image | None = None


class DefinitionEntry(Entry):
    """The whole file."""

    code_generation: CodeGeneration


_DEFINITION: TypeAdapter[DefinitionEntry] = TypeAdapter(DefinitionEntry)
_NEEDED_BY = {"examples": "executed_examples", "unit_tests": "passed_unit_tests"}


def load_definition(file: Path, findings: Findings) -> Loaded:
    """Load the task of a ``definition.toml``."""
    name = shown(file.parent.name)
    text = read_text(file, findings, limit=_MAX_BYTES)
    document = parsed(file, findings, lambda _: read_toml(text)) if text is not None else None
    if document is not None:
        # There is nothing to put into a definition: `${{ NAME }}` is Julia here.
        reader = Reader(document, {}, findings)
        entry = reader.read(_DEFINITION, document.data)
        if entry is not None:
            name = entry.code_generation.name
            _check(reader, entry.code_generation)
            message = "a definition.toml can be validated by this version, and not graded"
            hint = "It has no checks `parsed` and `executed` yet; write a case.yaml with `examples` and `unit_tests`."
            reader.error(("code_generation",), message, hint)
    broken = BrokenCase(name, Place(file), in_order(findings))
    return Loaded((), (broken,), in_order(findings))


def _check(reader: Reader, entry: CodeGeneration) -> None:
    table = "code_generation"
    directory = reader.document.file.parent.name
    if entry.name != directory:
        message = f"`name` is `{shown(entry.name)}`, and the directory is `{shown(directory)}`"
        reader.warning((table, "name"), message, "Give both the same name.")
    for index, criterion in enumerate(entry.criteria):
        if criterion not in CRITERIA:
            hint = f"All of {', '.join(CRITERIA)} count, whatever is listed."
            reader.warning((table, "criteria", index), f"unknown criterion `{shown(criterion)}`", hint)
    for field, criterion in _NEEDED_BY.items():
        if criterion in entry.criteria and not getattr(entry, field):
            message = f"`{field}` is empty, and `criteria` has `{criterion}`"
            reader.error((table, field), message, "Write one, or remove the criterion.")
