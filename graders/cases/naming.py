"""The names of checks: made unique, and looked up where one check speaks of another."""

from __future__ import annotations

import graphlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from graders.checks import CheckSpec
from graders.checks.check_reference import named_checks
from graders.documents.diagnostics import DocumentPath, shown
from graders.documents.suggest import suggestion
from graders.documents.reader import Reader


def with_unique_names(checks: Iterable[CheckSpec]) -> tuple[CheckSpec, ...]:
    """Number the names that occur more than once: ``code-grader``, ``code-grader-2``, ``code-grader-3``."""
    checks = tuple(checks)
    given = {check.name for check in checks}
    taken: set[str] = set()
    last: dict[str, int] = {}
    named: list[CheckSpec] = []
    for check in checks:
        name, number = check.name, last.get(check.name, 1)
        while name in taken or (number > 1 and name in given):
            number += 1
            name = f"{check.name}-{number}"
        last[check.name] = number
        taken.add(name)
        named.append(check if name == check.name else replace(check, name=name))
    return tuple(named)


def refuse_lost_references(reader: Reader, path: DocumentPath, checks: Sequence[CheckSpec]) -> None:
    """Report checks that speak of a check that the case does not have, or of each other in a circle.

    Args:
        reader: Gets what is wrong.
        path: Of the case.
        checks: All of the case.
    """
    needs = {check.name: list(named_checks(check)) for check in checks}
    for check in checks:
        for name in needs[check.name]:
            if name not in needs:
                message = f"no check of the case is called `{shown(name)}`"
                others = [other for other in needs if other != check.name]
                _error(reader, path, check, name, message, suggestion(name, others))
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


def _error(reader: Reader, path: DocumentPath, check: CheckSpec, name: str, message: str, hint: str) -> None:
    """Report a mistake where a check names another: in the case, or else at the check, which is its suite's."""
    document = reader.document
    if check.place.file == document.file:
        for at in _naming(document.part(path).data, name):
            within = document.place((*path, *at[:-1]))
            if (within.line, within.column) >= (check.place.line, check.place.column):
                reader.error((*path, *at), message, hint)
                return
    reader.findings.error(check.place, f"{check.name}: {message}", hint=hint)


def _naming(value: Any, name: str) -> Iterable[DocumentPath]:
    """Yield the paths of the keys `check` with this name, in the order in which they are written."""
    if isinstance(value, dict):
        for key, child in value.items():
            if key == "check" and child == name:
                yield (key,)
            yield from ((key, *inner) for inner in _naming(child, name))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from ((index, *inner) for inner in _naming(child, name))
