"""Reads the checks of a case in order: its assertions, rubrics, examples, unit tests, then the suite's; and turns."""

from __future__ import annotations

import graphlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gradebox.graders.cases.case_fields import CaseEntry
from gradebox.graders.cases.message_documents import expected_output, messages
from gradebox.graders.cases.shared import check_files
from gradebox.graders.checks import evaluation
from gradebox.graders.checks.answers import why_not_exact
from gradebox.graders.checks.base import Check, Reading, Surroundings
from gradebox.graders.checks.items import Examples, ItemDefaults, Items, named_items
from gradebox.graders.checks.reading import read_check, read_checks, with_unique_names
from gradebox.graders.checks.rubric import numbered
from gradebox.graders.documents.diagnostics import DocumentPath, Findings, shown
from gradebox.graders.documents.entries import spellings
from gradebox.graders.documents.paths import named_file
from gradebox.graders.documents.reader import Reader
from gradebox.graders.documents.suggest import suggestion
from gradebox.graders.model.case import Case, Turn

_ITEM_FIELDS: Mapping[str, type[Items]] = MappingProxyType({"examples": Examples, "unit_tests": Items})


def case_checks(
    reader: Reader, path: DocumentPath, entry: CaseEntry, suite_language: str | None, suite: Iterable[Check]
) -> tuple[Check, ...]:
    """Read the checks of the case at a path; `suite` has the suite's checks, which come last.

    If the case has neither checks nor turns with checks, a judge decides by its criteria or expected output.
    """
    errors_before = reader.findings.errors
    defaults = {kind.type: _defaults(reader, path, entry, name) for name, kind in _ITEM_FIELDS.items()}
    around = Surroundings(entry.language or suite_language, entry.imports, defaults)
    checks = [*read_checks(reader, entry.assertions, (*path, "assertions"), around), *_own_rubrics(reader, path, entry)]
    for kind in _ITEM_FIELDS.values():
        own = _own_items(reader, entry, kind, defaults[kind.type], around)
        checks.extend([own] if own else [])
    checks.extend(suite)
    if reader.findings.errors > errors_before:
        return ()
    if not checks and any(turn.assertions for turn in entry.turns or ()):
        return ()
    checks = checks or _in_words(reader, path, entry)
    if not checks:
        reader.error(path, "the case has no checks", "Write `assertions`, `examples` or `unit_tests`, or `criteria`.")
    elif not any(check.weight for check in checks):
        reader.error((*path, "assertions"), "the weights of all checks are 0", "Give one of them a weight.")
    named = with_unique_names(checks)
    _refuse_lost_references(reader, path, named)
    return named


def check_contracts(findings: Findings, case: Case) -> None:
    """Report checks for which `contract: exact` cannot hold."""
    for check in evaluation.every(chain(case.checks, *(turn.checks for turn in case.turns))):
        why, hint = why_not_exact(check, case)
        if why:
            findings.error(check.place, why, hint=hint)


def _in_words(reader: Reader, path: DocumentPath, entry: CaseEntry) -> list[Check]:
    """Return the check by a judge, for a case with criteria or an expected output but no other checks."""
    name = "criteria" if entry.criteria else "expected_output"
    if not entry.criteria and entry.expected_output is None:
        return []
    place = reader.document.place((*path, name), of_key=True)
    from gradebox.graders.checks.llm_grader import LlmGrader  # noqa: PLC0415 - few cases are judged by words alone

    return [LlmGrader(name=name.replace("_", "-"), place=place, prompt="\n".join(entry.criteria) or None)]


def read_checks_alone(reader: Reader, value: Any, path: DocumentPath) -> None:
    """Report mistakes in the checks of a case whose other fields could not be read."""
    checks = value.get("assertions") if isinstance(value, dict) else None
    for index, check in enumerate(checks if isinstance(checks, list) else []):
        # Checks of items depend on fields that could not be read.
        if not any(_written_type(inner) in (Examples.type, Items.type) for inner in _with_members(check)):
            read_check(reader, check, (*path, "assertions", index), Surroundings())


def _defaults(reader: Reader, path: DocumentPath, entry: CaseEntry, name: str) -> ItemDefaults:
    written = getattr(entry, name)
    return ItemDefaults(
        path=(*path, name),
        items=(named_items(written, reader, (*path, name)) or ()) if written else None,
        setup="\n".join(getattr(entry, f"{name}_setup")),
        teardown="\n".join(getattr(entry, f"{name}_teardown")),
    )


def _own_rubrics(reader: Reader, path: DocumentPath, entry: CaseEntry) -> Iterator[Check]:
    if entry.rubrics is not None:
        rubrics = numbered(entry.rubrics, reader, (*path, "rubrics"))
        if rubrics is not None:
            from gradebox.graders.checks.rubrics import Rubrics  # noqa: PLC0415 - few cases have any

            place = reader.document.place((*path, "rubrics"), of_key=True)
            yield Rubrics(name=Rubrics.type, place=place, rubrics=rubrics)


def _own_items(
    reader: Reader, entry: CaseEntry, kind: type[Items], case: ItemDefaults, around: Surroundings
) -> Check | None:
    """Return a check for the items that the case itself has, unless one of its assertions uses them."""
    if not case.items:
        return None
    names = ("items", *spellings(kind)["items"])
    taken = any(
        _written_type(check) == kind.type and not any(check.get(key) for key in names)
        for listed in entry.assertions
        for check in _with_members(listed)
    )
    if taken:
        return None
    check = kind(name=kind.type, place=reader.document.place(case.path, of_key=True))
    read_members = partial(read_checks, reader, surroundings=around)
    return check.completed(Reading(reader, case.path, False, around, read_members))


def _written_type(check: Any) -> str:
    return str(check.get("type")).replace("_", "-") if isinstance(check, dict) else ""


def _with_members(check: Any) -> Iterator[Any]:
    """Yield an unread check and, recursively, its members."""
    yield check
    if isinstance(check, dict):
        # A composite check lists its members under the same names as a case lists its checks.
        for name in ("assertions", *spellings(CaseEntry)["assertions"]):
            listed = check.get(name)
            for member in listed if isinstance(listed, list) else ():
                yield from _with_members(member)


def _refuse_lost_references(reader: Reader, path: DocumentPath, checks: Sequence[Check]) -> None:
    """Report checks that refer to a check that the case does not have, or to each other in a circle."""
    needs = {check.name: list(check.references()) for check in checks}
    for check in checks:
        for name in needs[check.name]:
            if name not in needs:
                message = f"no check of the case is called `{shown(name)}`"
                others = [other for other in needs if other != check.name]
                _error(reader, path, check, name, message, suggestion(name, others))
    if not any(needs.values()):
        return
    try:
        graphlib.TopologicalSorter(needs).prepare()
    except graphlib.CycleError as error:
        circle: list[str] = error.args[1]
        names = ", ".join(f"`{shown(name)}`" for name in dict.fromkeys(circle))
        message = f"these checks take each other's results: {names}" if len(set(circle)) > 1 else "takes its own result"
        for check in checks:
            if check.name in circle:
                name = next(name for name in needs[check.name] if name in circle)
                _error(reader, path, check, name, message, "Remove one of the references.")


def _error(reader: Reader, path: DocumentPath, check: Check, name: str, message: str, hint: str) -> None:
    """Report an error at the place where a check names another, or else at the check itself, if it is the suite's."""
    document = reader.document
    if check.place.file == document.file:
        for at in _naming(document.part(path).data, name):
            within = document.place((*path, *at[:-1]))
            if (within.line, within.column) >= (check.place.line, check.place.column):
                reader.error((*path, *at), message, hint)
                return
    reader.findings.error(check.place, f"{check.name}: {message}", hint=hint)


def _naming(value: Any, name: str) -> Iterable[DocumentPath]:
    """Yield the paths of the keys `check` that have this name as value, in the order of the document."""
    if isinstance(value, dict):
        for key, child in value.items():
            if key == "check" and child == name:
                yield (key,)
            yield from ((key, *inner) for inner in _naming(child, name))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from ((index, *inner) for inner in _naming(child, name))


def read_turns(
    reader: Reader, entry: CaseEntry, path: DocumentPath, bases: tuple[Path, ...], suite_language: str | None
) -> tuple[Turn, ...]:
    """Convert the turns of the case at a path; its files are looked up in `bases`."""
    find = partial(named_file, bases=bases)
    around = Surroundings(entry.language or suite_language)
    turns = []
    for index, turn in enumerate(entry.turns or ()):
        at = (*path, "turns", index)
        for name in ("input", "expected_output"):
            check_files(reader, getattr(turn, name), (*at, name), bases)
        checks = with_unique_names(read_checks(reader, turn.assertions, (*at, "assertions"), around))
        turns.append(Turn(messages(turn.input, find), checks, expected_output(turn.expected_output, find)))
    if entry.mode and not turns:
        reader.error((*path, "mode"), "a conversation has no `turns`", "Write what the user says in each.")
    return tuple(turns)
