"""Names of a submission stand for different objects where the reference's do."""

from __future__ import annotations

from typing import Any

import pytest
from apart_bench import pair, sent

from gradebox.graders.languages.python.inside.apart.in_grader.constants import Constants
from gradebox.graders.languages.python.inside.apart.links import LINKS


class _Error(Exception):
    pass


class _Missing(_Error):
    pass


class _Broken(_Error):
    pass


class _Thing:
    pass


class _Space:
    pass


def read(words: Any, **values: Any) -> tuple[str, set[str]]:
    """Return why a test fails that reads these attributes of a class, and the words of the last one."""
    sides = pair()
    grader, record = sides[1], words is None
    grader.checkpoint.begin(words, record=record)
    constants, space = Constants(grader.checkpoint), sent(_Space, sides)
    LINKS[id(space)].paths = (("space",),)
    for name, value in values.items():
        try:
            constants.asked(("get", space, name), sent(value, sides))
        except AttributeError:
            return str(grader.checkpoint.refused), set()
    return "", (grader.checkpoint.noted or {}).get(f"space.{name}", set())


def recorded(**values: Any) -> dict[str, set[str]]:
    names = [*values]
    return {
        f"space.{name}": {f"same space.{other}" for other in names if values[other] == values[name]} for name in names
    }


def test_the_contract_has_the_paths_of_the_same_constant() -> None:
    one = _Thing()
    assert read(None, A=one, B=_Thing()) == ("", {"same space.B"})
    assert read(None, A="x", B="x")[1] == {"same space.A", "same space.B"}
    assert read(None, Error=_Error, Broken=_Broken, Missing=_Missing)[1] == {"same space.Error", "same space.Missing"}


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"A": "x", "B": "x"}, "space.B and space.A are one here, unlike the reference's"),
        ({"a": "x", "b": "x"}, ""),
        ({"A": "x", "B": "y"}, ""),
        ({"A": 1, "B": 1}, ""),
        ({"A": _Missing, "B": _Missing}, "space.B and space.A are one here, unlike the reference's"),
        ({"A": _Missing, "B": _Error}, ""),
        ({"A": len, "B": len}, ""),
        ({"A": "x", "C": "x"}, ""),
    ],
)
def test_two_constants_of_the_reference_are_two(values: Any, why: str) -> None:
    assert read(recorded(A=1, B=2), **values)[0] == why
    assert read(recorded(A=1, B=1), **values)[0] == ""
