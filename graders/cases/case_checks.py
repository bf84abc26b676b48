"""All checks of a case, in order: its assertions, its rubrics, its examples, its unit tests, then its suite's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from graders.checks import (
    CheckSpec,
    Examples,
    Items,
    Rubrics,
)
from graders.documents import aliases
from graders.cases.check_specs import read_check, read_checks
from graders.cases.check_types import Surroundings
from graders.documents.diagnostics import DocumentPath
from graders.cases.documents import CaseEntry
from graders.cases.item_source import check_sources
from graders.cases.item_specs import ItemDefaults, known_language, read_items
from graders.cases.naming import refuse_lost_references, with_unique_names
from graders.documents.reader import Reader
from graders.cases.rubric_specs import read_rubrics

_ITEM_FIELDS: Mapping[str, type[Items]] = MappingProxyType({"examples": Examples, "unit_tests": Items})


def case_checks(
    reader: Reader, path: DocumentPath, entry: CaseEntry, suite_language: str | None, suite: Iterable[CheckSpec]
) -> tuple[CheckSpec, ...]:
    """Read the checks of a case.

    Args:
        reader: Gets what is wrong.
        path: Of the case.
        entry: The case.
        suite_language: The language of its items where it names none.
        suite: The suite's checks, which come last.
    """
    errors_before = reader.findings.errors
    defaults = {spec.type: _defaults(reader, path, entry, name) for name, spec in _ITEM_FIELDS.items()}
    around = Surroundings(entry.language or suite_language, tuple(entry.imports), defaults)
    checks = [*read_checks(reader, entry.assertions, (*path, "assertions"), around), *_own_rubrics(reader, path, entry)]
    for spec in _ITEM_FIELDS.values():
        own = _own_items(reader, entry, spec, defaults[spec.type], around)
        checks.extend([own] if own else [])
    checks.extend(suite)
    if reader.findings.errors > errors_before:
        return ()
    if not checks:
        reader.error(path, "the case has no checks", "Write `assertions`, `examples` or `unit_tests`.")
    elif not any(check.weight for check in checks):
        reader.error((*path, "assertions"), "the weights of all checks are 0", "Give one of them a weight.")
    named = with_unique_names(checks)
    refuse_lost_references(reader, path, named)
    return named


def read_checks_alone(reader: Reader, value: Any, path: DocumentPath) -> None:
    """Report what is wrong with the checks of a case whose other fields could not be read."""
    checks = value.get("assertions") if isinstance(value, dict) else None
    for index, check in enumerate(checks if isinstance(checks, list) else []):
        # Checks of items depend on fields that could not be read.
        if not any(_written_type(inner) in (Examples.type, Items.type) for inner in _with_members(check)):
            read_check(reader, check, (*path, "assertions", index), Surroundings())


def _defaults(reader: Reader, path: DocumentPath, entry: CaseEntry, name: str) -> ItemDefaults:
    written = getattr(entry, name)
    return ItemDefaults(
        path=(*path, name),
        items=(read_items(reader, written, (*path, name)) or ()) if written else None,
        setup="\n".join(getattr(entry, f"{name}_setup")),
        teardown="\n".join(getattr(entry, f"{name}_teardown")),
    )


def _own_rubrics(reader: Reader, path: DocumentPath, entry: CaseEntry) -> Iterator[CheckSpec]:
    """Yield the check of the case's own rubrics."""
    if entry.rubrics is not None:
        rubrics = read_rubrics(reader, entry.rubrics, (*path, "rubrics"))
        if rubrics is not None:
            place = reader.document.place((*path, "rubrics"), of_key=True)
            yield Rubrics(name=Rubrics.type, place=place, rubrics=rubrics)


def _own_items(
    reader: Reader, entry: CaseEntry, spec: type[Items], case: ItemDefaults, around: Surroundings
) -> CheckSpec | None:
    """Make the check of the case's own items, unless a check that is listed takes them."""
    taken = any(
        _written_type(check) == spec.type and not any(check.get(key) for key in ("items", "examples", "unit_tests"))
        for listed in entry.assertions
        for check in _with_members(listed)
    )
    if taken or not case.items:
        return None
    language = known_language(reader, around.language, case.path)
    if language is None:
        return None
    check_sources(reader, case.items, language, case.path)
    return spec(
        name=spec.type,
        place=reader.document.place(case.path, of_key=True),
        language=language,
        items=case.items,
        setup=case.setup,
        teardown=case.teardown,
        imports=around.imports,
    )


def _written_type(check: Any) -> str:
    return str(check.get("type")).replace("_", "-") if isinstance(check, dict) else ""


def _with_members(check: Any) -> Iterator[Any]:
    """Yield a check as it is written, and those inside it."""
    yield check
    if isinstance(check, dict):
        for name in ("assertions", *aliases.FIELDS["composite"]["assertions"]):
            listed = check.get(name)
            for member in listed if isinstance(listed, list) else ():
                yield from _with_members(member)
