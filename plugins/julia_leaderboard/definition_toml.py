"""``definition.toml``: a task of the Julia LLM Leaderboard -> `Case`.

One table, ``[code_generation]``, in ``<category>/<name>/definition.toml``. The file is validated in full. Its case has
four checks of weight 1: `parsed`, `executed`, `passed_unit_tests` and `executed_examples`. A submission is
an answer: markdown, or code.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Tag, TypeAdapter

from gradebox.graders.cases.collection import BrokenCase, Loaded, in_order
from gradebox.graders.checks.base import Check
from gradebox.graders.checks.items import Language
from gradebox.graders.documents.diagnostics import Findings, TooManyErrors, shown
from gradebox.graders.documents.entries import Entry, WrittenAs, by_shape
from gradebox.graders.documents.fields import Image, Seconds, Source, SourceItem
from gradebox.graders.documents.reader import Reader, parsed, read_text
from gradebox.graders.documents.toml import read_toml
from gradebox.graders.model.case import Case, Message, Place
from gradebox.plugins.julia_leaderboard.answer_protocol import whole_program
from gradebox.plugins.julia_leaderboard.definition import (
    DEFAULT_SECONDS,
    Executed,
    ExecutedExamples,
    Parsed,
    PassedUnitTests,
    runner_seconds,
)

DEFINITION_FILE = "definition.toml"
CRITERIA = ("parsed", "executed", "passed_unit_tests", "executed_examples")
_MAX_BYTES = 1024 * 1024
# Extra time for the work before and after the answer itself.
_GRACE_SECONDS = 60.0

Items = list[SourceItem]
_Lines = Annotated[
    Annotated[SourceItem, Tag("|text")] | Annotated[list[Source], Tag("|list")],
    by_shape("must be text, or a list of its lines", "text", "list"),
]


def _as_text(code: str | list[str]) -> str:
    return code if isinstance(code, str) else "\n".join(code)


# Source that runs before or after each item: a text, or the list of its lines.
Around = Annotated[str, WrittenAs(_Lines, _as_text)]


class CodeGeneration(Entry):
    """The table `code_generation` of a definition file."""

    kind: ClassVar[str] = "definition"

    name: SourceItem
    contributor: SourceItem
    criteria: Items
    prompt: SourceItem
    version: SourceItem
    examples: Items
    unit_tests: Items
    imports: Items
    reference_solution: SourceItem
    examples_setup: Around = ""
    examples_teardown: Around = ""
    unit_tests_setup: Around = ""
    unit_tests_teardown: Around = ""
    language: Language = "julia"
    image: Image | None = None
    timeout_seconds: Seconds = DEFAULT_SECONDS  # For each try and each item.


class DefinitionEntry(Entry):
    """A whole definition file."""

    code_generation: CodeGeneration


_DEFINITION: TypeAdapter[DefinitionEntry] = TypeAdapter(DefinitionEntry)
_NEEDED_BY = {"examples": "executed_examples", "unit_tests": "passed_unit_tests"}
# A function's name may end in `!`, which file names should avoid.
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9._-]")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def load_definition(file: Path, findings: Findings) -> Loaded:
    """Load the task of a ``definition.toml``."""
    name = shown(file.parent.name)
    text = read_text(file, findings, limit=_MAX_BYTES)
    document = parsed(file, findings, lambda _: read_toml(text)) if text is not None else None
    if document is not None:
        # No variables are substituted in a definition, because `${{ NAME }}` can be Julia code here.
        reader = Reader(document, {}, findings)
        with suppress(TooManyErrors):
            entry = reader.read(_DEFINITION, document.data)
            if entry is not None:
                name = entry.code_generation.name
                _check(reader, entry.code_generation)
                if not findings.errors:
                    return Loaded((_case(reader, entry.code_generation),), (), in_order(findings))
    broken = BrokenCase(name, Place(file), in_order(findings))
    return Loaded((), (broken,), in_order(findings))


def _case(reader: Reader, entry: CodeGeneration) -> Case:
    file = reader.document.file
    checks = _checks(reader, entry)
    seconds = entry.timeout_seconds
    return Case(
        id=_id(entry),
        place=Place(file),
        directory=file.parent,
        checks=checks,
        criteria="\n".join(entry.criteria),
        input=(Message("user", entry.prompt),),
        language=entry.language,
        image=entry.image,
        reference_text=entry.reference_solution,
        whole_answer=True,
        command_seconds=seconds,
        timeout_seconds=runner_seconds(seconds, len(entry.examples) + len(entry.unit_tests)) + _GRACE_SECONDS,
        category=file.parent.parent.name,
        metadata={"name": entry.name, "contributor": entry.contributor, "version": entry.version},
    )


def _checks(reader: Reader, entry: CodeGeneration) -> tuple[Check, ...]:
    def place(field: str) -> Place:
        return reader.document.place(("code_generation", field), of_key=True)

    examples = (whole_program(entry.examples_setup, code, entry.examples_teardown) for code in entry.examples)
    tests = (whole_program(entry.unit_tests_setup, code, entry.unit_tests_teardown) for code in entry.unit_tests)
    first = Parsed(
        name="parsed",
        place=place("name"),
        function=entry.name,
        examples=tuple(examples),
        unit_tests=tuple(tests),
        imports=tuple(entry.imports),
    )
    return (
        first,
        Executed(name="executed", place=place("name"), of=first.name),
        PassedUnitTests(name="passed_unit_tests", place=place("unit_tests"), of=first.name),
        ExecutedExamples(name="executed_examples", place=place("examples"), of=first.name),
    )


def _id(entry: CodeGeneration) -> str:
    return _NOT_IN_IDS.sub("_", entry.name)


def _check(reader: Reader, entry: CodeGeneration) -> None:
    table = "code_generation"
    directory = reader.document.file.parent.name
    if not _ID.fullmatch(_id(entry)):
        message = f"`name` cannot be `{shown(entry.name)}`"
        hint = "Begin with a letter or a digit, and use at most 128 characters."
        reader.error((table, "name"), message, hint)
    if entry.language != "julia":
        message = f"answers in {entry.language} cannot be graded by a definition"
        reader.error((table, "language"), message, "Write a case.yaml with `examples` and `unit_tests`.")
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
