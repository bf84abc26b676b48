"""Comparisons of assertions raise audit events with both sides, and mean what they meant."""

from __future__ import annotations

import ast
import sys
from typing import Any

import pytest

from gradebox.graders.languages.python.inside.reported_comparisons import reported_comparisons

Events = list[tuple[str, object, object]]


def executed(source: str, monkeypatch: pytest.MonkeyPatch, **names: Any) -> Events:
    heard: Events = []
    monkeypatch.setattr(sys, "audit", lambda event, left, right: heard.append((event, left, right)))
    compared = reported_comparisons()
    tree = ast.parse(source)
    compared.watch(tree, compared.asserted(tree))
    exec(compared.sealed(compile(tree, "test", "exec")), names)
    return heard


@pytest.mark.parametrize(
    ("source", "events"),
    [
        ("assert x == 1", [("gradebox.equal", 1, 1)]),
        ("assert not x == 2", [("gradebox.equal", 1, 2)]),
        ("assert x in [1]", [("gradebox.in", 1, [1])]),
        ("assert x == 1 and x == 1.0", [("gradebox.equal", 1, 1), ("gradebox.equal", 1, 1.0)]),
        ("assert all(x == y for y in [1])", [("gradebox.equal", 1, 1)]),
        ("y = x == 1", []),
        ("assert x > 0", []),
    ],
)
def test_the_sides_of_what_is_asserted_are_reported(
    source: str, events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert executed(source, monkeypatch, x=1) == events


def test_a_false_comparison_still_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError, match="wrong"):
        executed("assert x == 2, 'wrong'", monkeypatch, x=1)


def test_methods_of_test_cases_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Case:
        def assertEqual(self, left: object, right: object) -> None:  # noqa: N802 - as unittest has it
            assert left == right

    assert executed("case.assertEqual(x, 1)", monkeypatch, x=1, case=Case()) == [("gradebox.equal", 1, 1)]
