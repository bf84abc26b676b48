"""The contract: paths and their steps, and what may come on them."""

from __future__ import annotations

from typing import Any

import pytest

from gradebox.graders.languages.python.inside.apart.contract import Contract, further


def test_paths_repeat_no_step_and_are_cut_in_the_middle() -> None:
    paths: tuple[tuple[str, ...], ...] = ((),)
    for step in ("m", ".next", ".next", "()"):
        paths = further(paths, step)
    assert paths == (("m", ".next", "()"),)
    for number in range(20):
        paths = further(paths, f".{number}")
    assert paths[0] == ("m", ".next", "()", ".0", ".1", ".2", ".14", ".15", ".16", ".17", ".18", ".19")


def test_data_on_any_known_path_wins_and_unknown_ones_are_neutral() -> None:
    contract = Contract()
    contract.begin({"a": ["object"], "b": ["data"], "c": ["data", "object"]}, False)
    came = {paths: contract.arrived([(path,) for path in paths], "object", False) for paths in ("a", "c", "ac", "ax")}
    assert all(came.values()), came
    refused = ("b", "x", "ab", "bc", "bx", "xy")
    assert not any(contract.arrived([(path,) for path in paths], "object", False) for paths in refused)
    # One that is known already.
    assert contract.arrived([("x",)], "object", True)
    assert not contract.arrived([("b",)], "object", True)


def test_items_have_steps_of_their_own_where_the_contract_has_them() -> None:
    recording, enforcing = Contract(), Contract()
    recording.begin(None, True)
    enforcing.begin({"m[0].x": ["data"], 'm["a"]': ["object"], "m[]": ["data"]}, False)
    keys: list[Any] = [0, 15, 16, -1, True, "a", 'a"', "b" * 33, None, (1,)]
    written = [recording.item((("m",),), key)[0][1] for key in keys]
    assert written == ["[0]", "[15]", "[]", "[]", "[]", '["a"]', '["a\\""]', "[]", "[]", "[]"]
    assert [enforcing.item((("m",),), key)[0][1] for key in (0, 1, "a", "b")] == ["[0]", "[]", '["a"]', "[]"]


CONTRACT = {
    "m": ["method f", "get size"], "m.f()": ["object", "function", "operator add"], "m.size": ["data", "call"],
    "m.tree": ["object", "get left"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("m", {"method f", "get f", "get size", "method size"}),
        ("m.f", {"call", "function"}),
        ("m.f()", {"operator add", "operator radd", "operator iadd", "get __name__", "get __doc__"}),
    ],
)
def test_what_a_word_implies_may_be_asked_as_well(path: str, words: set[str]) -> None:
    contract = Contract()
    contract.begin(CONTRACT, False)
    assert contract.words is not None
    assert words <= contract.words[path]


def test_a_part_of_a_tree_is_like_the_object_that_led_to_it() -> None:
    contract = Contract()
    contract.begin(CONTRACT, False)
    deep = ("m", ".tree", ".left", ".left")
    assert contract.of_object((deep,), {("m", ".tree")}) == (("m", ".tree"),)
    assert contract.of_object((deep,), set()) == (("m", ".tree"),)
    assert contract.of_object((("n",),), set()) == (("n",),)


def test_what_the_reference_does_not_raise_or_catch_is_told() -> None:
    contract = Contract()
    contract.begin({"m": ["raise KeyError", "catch ValueError"]}, False)
    assert contract.raises((("m",),), "KeyError")
    assert not contract.raises((("m",),), "IndexError")
    assert contract.caught((("m",),), ValueError())
    assert not contract.caught((("n",),), ValueError())
