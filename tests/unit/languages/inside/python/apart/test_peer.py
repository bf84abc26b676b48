"""The grader's objects give the other side nothing that leads to other code."""

from __future__ import annotations

from unittest import mock

import pytest
from apart_bench import pair


class _Passed:
    shown = 1
    _hidden = 2


@pytest.mark.parametrize(
    ("thing", "name"),
    [
        (_Passed(), "_hidden"),
        (_Passed(), "__class__"),
        (lambda: 1, "f_globals"),
        (pytest, "skip"),
        (_Passed.__init__, "x"),
    ],
)
def test_private_attributes_and_code_are_not_given(thing: object, name: str) -> None:
    with pytest.raises(AttributeError, match="for a submission"):
        pair()[1].perform("getattr", thing, name)


def test_public_attributes_and_mocks_are_given() -> None:
    grader = pair()[1]
    assert grader.perform("getattr", _Passed(), "shown") == 1
    assert grader.perform("method", mock.Mock(f=lambda: 3), "f", (), {}) == 3


def test_only_the_candidate_is_asked_for_all() -> None:
    with pytest.raises(TypeError, match="cannot do this"):
        pair()[1].perform("import", "os", (), False)
