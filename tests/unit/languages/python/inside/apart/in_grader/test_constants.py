"""Names of a submission stand for different objects where the reference's do, and always for the same ones."""

from __future__ import annotations

from typing import Any

import pytest
from apart_bench import pair, sent

from gradebox.graders.languages.python.inside.apart.in_grader.constants import Constants, is_lasting
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


class _Peer:
    """A peer of whose attributes all stay the same."""

    def ask(self, *request: Any) -> bool:
        return True


def read(words: Any, **values: Any) -> tuple[str, set[str]]:
    """Return why a test fails that reads these attributes of a class, and the words of the last one."""
    sides = pair()
    grader, record = sides[1], words is None
    grader.checkpoint.begin(words, record=record)
    constants, space = Constants(grader.checkpoint), sent(_Space, sides)
    LINKS[id(space)].paths = (("space",),)
    for name, value in values.items():
        try:
            constants.asked(_Peer(), ("get", space, name), sent(value, sides))
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
    assert read(None, A=1, B=2)[1] == set()
    assert read(None, Error=_Error, Broken=_Broken, Missing=_Missing)[1] == {"same space.Error", "same space.Missing"}


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"A": "x", "B": "x"}, "space.B and space.A are one here, unlike the reference's"),
        ({"a": "x", "b": "x"}, ""),
        ({"A": "x", "B": "y"}, ""),
        ({"A": 1, "B": 1}, "space.B and space.A are one here, unlike the reference's"),
        ({"A": 1, "B": 1.0}, ""),
        ({"a": 1, "b": 1}, ""),
        ({"A": _Missing, "B": _Missing}, "space.B and space.A are one here, unlike the reference's"),
        ({"A": _Missing, "B": _Error}, ""),
        ({"A": len, "B": len}, ""),
        ({"A": "x", "C": "x"}, ""),
    ],
)
def test_two_constants_of_the_reference_are_two(values: Any, why: str) -> None:
    assert read(recorded(A=1, B=2), **values)[0] == why
    assert read(recorded(A=1, B=1), **values)[0] == ""


class _Reading:
    """A peer that answers what a module has now, and counts what it is asked."""

    generation = connection = 1

    def __init__(self, grader: Any, **values: Any) -> None:
        self.values, self.grader, self.asked, self.answers = values, grader, list[Any](), self
        self.last, self.heard = ["=", 0, [], [], "a tree"], list[Any]()

    def ask(self, what: str, _: Any, name: str = "") -> Any:
        self.asked.append((what, name))
        if name not in self.values:
            raise AttributeError(name)
        return self.values[name]

    def hear(self, tree: Any, paths: Any, request: str) -> None:
        self.heard.append((tree[4], paths, request))


def pinned(words: Any, **values: Any) -> tuple[Constants, Any, Any]:
    """Return the constants of a module that was imported while it had these values."""
    sides = pair()
    sides[1].checkpoint.begin({f"space.{name}": each for name, each in words.items()}, record=False)
    peer, space = _Reading(sides[1], **values), sent(_Space, sides)
    LINKS[id(space)].paths, LINKS[id(space)].generation = (("space",),), 1
    constants = Constants(sides[1].checkpoint)
    constants.pin(peer, space, "space")
    return constants, peer, space


def test_a_constant_is_read_once_and_counts_as_an_answer_each_time() -> None:
    constants, peer, space = pinned({"RED": ["data"], "count": ["data", "changing"], "_own": ["data"]}, RED=1, count=0)
    assert peer.asked == [("get", "RED")]
    peer.values["RED"] = 2
    assert [constants.kept(peer, ("get", space, name)) for name in ("RED", "count", "RED")] == [(1,), None, (1,)]
    assert peer.heard == [("a tree", (("space", ".RED"),), "get")] * 2


def test_a_class_that_two_modules_have_is_read_once_through_both() -> None:
    sides = pair()
    words = {"a.Light": ["class"], "b.Light": ["class"], "a.Light.RED": ["data"], "b.Light.GREEN": ["data"]}
    sides[1].checkpoint.begin(words, record=False)
    light = sent(_Thing, sides)
    peer, constants = _Reading(sides[1], Light=light, RED=1, GREEN=2), Constants(sides[1].checkpoint)
    for name, module in (("a", sent(_Space, sides)), ("b", sent(_Missing, sides))):
        constants.pin(peer, module, name)
    LINKS[id(light)].generation = peer.generation = sides[1].generation
    peer.values.update(RED=3, GREEN=4)
    assert [constants.kept(peer, ("get", light, name)) for name in ("RED", "GREEN")] == [(1,), (2,)]


def test_what_was_not_there_comes_no_later() -> None:
    constants, peer, space = pinned({"RED": ["object"]})
    peer.values["RED"] = 2
    with pytest.raises(AttributeError, match="'RED' was not there when its module was imported"):
        constants.kept(peer, ("get", space, "RED"))


def test_what_a_test_replaces_is_asked_for_again() -> None:
    constants, peer, space = pinned({"RED": ["data"]}, RED=1)
    constants.asked(peer, ("replace", space, "RED", 5), None)
    assert constants.kept(peer, ("get", space, "RED")) is None


@pytest.mark.parametrize("value", [[1], {"a": 1}, (1, [2]), ValueError("x")])
def test_containers_and_exceptions_are_asked_for(value: Any) -> None:
    assert not is_lasting(value)
    assert is_lasting((1, "a", frozenset([2])))


def test_the_contract_tells_what_has_changed() -> None:
    sides = pair()
    sides[1].checkpoint.begin(None, record=True)
    constants, space = Constants(sides[1].checkpoint), sent(_Space, sides)
    LINKS[id(space)].paths = (("space",),)
    for name, same in (("A", True), ("b", False)):
        constants.asked(_Reading(sides[1], **{name: same}), ("get", space, name), 5)
    assert sides[1].checkpoint.noted == {"space.b": {"changing"}}
