"""A stand-in asks the other process, compares data here, and gives nothing of its own."""

from __future__ import annotations

import copy
import pickle
import weakref
from typing import Any

import pytest
from apart_bench import sent

from gradebox.graders.languages.python.inside.apart.links import LINKS


class _Thing:
    x = 1

    def __len__(self) -> int:
        return 1


class _Ten(int):
    pass


class _List(list):  # type: ignore[type-arg]
    pass


class _Asked:
    """A stand-in, and what is asked of its original."""

    def __init__(self, value: Any, answer: Any = None) -> None:
        self.thing, self.requests, self.answer = sent(value), list[tuple[Any, ...]](), answer
        self.checkpoint = LINKS[id(self.thing)].peer.checkpoint
        LINKS[id(self.thing)].peer.ask = self.ask

    def ask(self, what: str, thing: Any, *rest: Any) -> Any:
        assert thing is self.thing
        self.requests.append((what, *rest))
        return self.answer


@pytest.mark.parametrize(
    ("use", "wanted"),
    [
        (lambda thing: thing.x, ("get", "x")),
        (lambda thing: setattr(thing, "x", 5), ("set", "x", 5)),
        (lambda thing: delattr(thing, "x"), ("delete", "x")),
        (lambda thing: thing.__len__(), ("operator", "len")),
        (copy.copy, ("copy",)),
        (copy.deepcopy, ("deepcopy",)),
        (lambda thing: thing.__dir__(), ("dir",)),
    ],
    ids=["get", "set", "delete", "operator", "copy", "deepcopy", "dir"],
)
def test_what_is_done_to_it_is_asked_there(use: Any, wanted: tuple[Any, ...]) -> None:
    asked = _Asked(_Thing(), 1)
    use(asked.thing)
    assert asked.requests == [wanted]


@pytest.mark.parametrize("name", ["__getstate_x__", "pytestmark", "_gradebox_x"])
def test_other_names_are_not_asked_for(name: str) -> None:
    asked = _Asked(_Thing())
    with pytest.raises(AttributeError, match=name):
        getattr(asked.thing, name)
    assert asked.requests == []


def test_it_cannot_be_pickled() -> None:
    asked = _Asked(_Thing())
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(asked.thing)
    assert list(asked.checkpoint.limits) == ["an object of the submission cannot be pickled"]


def test_data_is_compared_here() -> None:
    assert sent(_Ten(10)) == 10
    assert sent(_Ten(10)) != 11
    asked = _Asked(_List([1]), [1])
    assert asked.thing == [1]
    assert asked.thing != [2]
    assert set(asked.requests) == {("plain",)}
    assert sent(_Thing()) != sent(_Thing())


def test_data_of_another_kind_is_none() -> None:
    asked = _Asked(_List([1]), "text")
    with pytest.raises(TypeError, match="the data of '_List' is none"):
        _ = asked.thing == [1]


def test_without_the_contract_its_text_is_ours() -> None:
    asked = _Asked(_Thing(), "forged")
    asked.checkpoint.begin({"m": []}, False)
    text = f"<{__name__}._Thing object of the submission>"
    assert (repr(asked.thing), str(asked.thing), f"{asked.thing}", asked.requests) == (text, text, text, [])


def test_a_weak_reference_that_ends_is_a_limit() -> None:
    made = sent(_Thing())
    checkpoint = LINKS[id(made)].peer.checkpoint
    reference = weakref.ref(made)
    assert checkpoint.refused is None
    del made
    assert reference() is None
    assert "weak reference" in str(checkpoint.refused)
