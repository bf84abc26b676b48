"""An object gives as many items as it says, if the reference does so."""

from __future__ import annotations

from typing import Any

import pytest
from apart_bench import pair, sent

from gradebox.graders.languages.python.inside.apart.in_grader.lengths import Lengths
from gradebox.graders.languages.python.inside.apart.links import LINKS


class _Row:
    def __len__(self) -> int:
        return 2


class Row:
    """An object of the submission, and what is asked of it."""

    def __init__(self, contract: dict[str, list[str]] | None, *, record: bool = False) -> None:
        sides = pair()
        self.checkpoint = sides[1].checkpoint
        self.row, self.items = sent((_Row(), iter(())), sides)
        LINKS[id(self.row)].paths = (("m", "()"),)
        self.checkpoint.begin(contract, record)
        self.lengths = Lengths(self.checkpoint)

    def says(self, length: int) -> None:
        self.lengths.asked(("operator", self.row, "len"), length)

    def gives(self, count: int) -> None:
        self.lengths.asked(("operator", self.row, "iter"), self.items)
        LINKS[id(self.items)].taken += count + 1
        self.lengths.raised(("operator", self.items, "next"), StopIteration)


@pytest.mark.parametrize("is_first", [True, False])
def test_another_number_of_items_is_an_error(is_first: bool) -> None:
    row = Row({"m()": ["object"]})
    row.says(2)
    row.gives(2)
    steps: list[Any] = [lambda: row.gives(0)] if is_first else [lambda: row.says(3)]
    with pytest.raises(RuntimeError, match="says that it has"):
        steps[0]()


def test_an_item_that_is_missing_is_an_error() -> None:
    row = Row({"m()": ["object"]})
    row.says(2)
    row.lengths.raised(("operator", row.row, "getitem", 2), IndexError)
    with pytest.raises(RuntimeError, match="says that it has 2 items, and gives 1"):
        row.lengths.raised(("operator", row.row, "getitem", 1), IndexError)


@pytest.mark.parametrize("use", [("method", "add", (1,), ()), ("set", "x", 1), ("operator", "setitem", 0, 1)])
def test_what_may_have_changed_it_is_no_error(use: Any) -> None:
    row = Row({"m()": ["object"]})
    row.says(2)
    row.lengths.asked((use[0], row.row, *use[1:]), None)
    row.gives(3)
    row.lengths.asked(("call", row.items, (row.row,), ()), None)
    row.says(2)


def test_the_reference_may_do_so() -> None:
    recording = Row(None, record=True)
    recording.says(2)
    recording.gives(1)
    assert recording.checkpoint.noted == {"m()": {"other length"}}
    row = Row({"m()": ["object", "other length"]})
    row.says(2)
    row.gives(1)
    without = Row(None)
    without.says(2)
    without.gives(1)
