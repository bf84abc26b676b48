"""Names of tests as a case lists them, and what became of the tests that they mean. Pure.

A name means every test whose full name (``group::name``) or own name it is. ``*`` stands for any text, and nothing
else is special: names of tests are full of brackets and question marks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from graders.runners.test_reports.test_report import Reported, State

ANY = "*"


class Index:
    """The tests of a report by their names.

    Args:
        tests: In any order.
    """

    def __init__(self, tests: Iterable[Reported]) -> None:
        self._states: defaultdict[str, set[State]] = defaultdict(set)
        for test in tests:
            for name in (test.full_name, test.name):
                self._states[name].add(test.state)

    def state(self, listed: str) -> State:
        """Return what became of all the tests that a listed name means: failed if one did, skipped if none ran."""
        listed = listed.strip()
        if ANY in listed:
            parts = listed.split(ANY)
            states = {state for name, found in self._states.items() if _matches(name, parts) for state in found}
        else:
            states = self._states.get(listed, set())
        return next((state for state in (State.FAILED, State.PASSED) if state in states), State.SKIPPED)


def _matches(name: str, parts: list[str]) -> bool:
    """Say whether a name is made of these parts with any text between them; in time that grows with its length."""
    first, *middle, last = parts
    if len(name) < len(first) + len(last) or not name.startswith(first) or not name.endswith(last):
        return False
    at, end = len(first), len(name) - len(last)
    for part in middle:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
