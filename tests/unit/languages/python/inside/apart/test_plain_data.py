"""Values of a `defaultdict` of the submission: those that its function makes each time, or none."""

from __future__ import annotations

import collections
import itertools
import random
from typing import Any

import pytest
from apart_bench import pair, sent

from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer
from gradebox.graders.languages.python.inside.apart.plain_data import is_constant

COUNT = itertools.count()
LIMIT = 5


def _answers() -> int:
    return next(COUNT)


@pytest.mark.parametrize("function", [lambda: 0, lambda: [1], lambda: float("inf"), lambda: LIMIT, lambda: [0] * 3])
def test_a_function_that_names_data_and_types_alone_makes_the_same_each_time(function: Any) -> None:
    assert is_constant(function)
    found = sent(collections.defaultdict(function, a=1))
    assert found == {"a": 1}
    assert found["b"] == found["c"] == function()


@pytest.mark.parametrize(
    "function",
    [_answers, lambda: next(COUNT), lambda: random.random(), lambda x=1: x, lambda: (yield), lambda: lambda: 1, int],  # noqa: PLW0108
)
def test_others_are_not_called(function: Any) -> None:
    assert not is_constant(function)


def test_a_function_that_the_contract_has_not_makes_nothing() -> None:
    candidate, grader = pair()
    grader.checkpoint.begin({"m": ["get f"], "m.f": ["function"], "m()": ["data"]}, False)
    function = Reader(grader, (("m", ".f"),)).get(Writer(candidate).put(_answers))
    assert function is not None
    tree = Writer(candidate).put(collections.defaultdict(_answers))
    assert Reader(grader, (("m", "()"),)).get(tree).default_factory is None


def test_it_keeps_its_own_function_when_the_test_changes_the_mapping() -> None:
    candidate, grader = pair()
    own = collections.defaultdict(lambda: 7)
    found = Reader(grader).get(Writer(candidate).put(own))
    factory = own.default_factory
    found["x"] = 1
    candidate.read_changes(grader.put_changes(Writer(grader)))
    assert own.default_factory is factory
