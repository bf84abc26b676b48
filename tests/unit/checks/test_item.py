"""Items of examples and unit tests: their names, and texts that YAML has probably cut."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from graders.cases import Loaded
from graders.checks.item import Item
from graders.checks.items import Examples

LoadText = Callable[..., Loaded]


def test_items_get_numbers_for_names(load_text: LoadText) -> None:
    loaded = load_text("language: bash\nexamples: [a, {code: b, weight: 2, setup: s}, {code: c, name: last}]\n")
    (check,) = loaded.cases[0].checks
    assert isinstance(check, Examples)
    assert check.items == (
        Item(name="#1", code="a"),
        Item(name="#2", code="b", weight=2.0, setup="s"),
        Item(name="last", code="c"),
    )


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ("[a, {code: b, name: '#1'}]", "the name `#1` is taken by the item in line 2"),
        ("[{code: a, weight: 0}]", "the weights of all items are 0"),
    ],
)
def test_items_that_cannot_be_scored_are_refused(items: str, message: str, load_text: LoadText) -> None:
    assert [error.message for error in load_text(f"language: bash\nexamples: {items}\n").errors] == [message]


@pytest.mark.parametrize(
    ("language", "items", "message"),
    [
        ("python", "[assert f(1]", "the item is not Python: '(' was never closed"),
        ("bash", "['f a [1', '2]']", "a bracket of this item is closed in the next one, as if they were one text"),
        ("python", "['assert f([1, 2])']", ""),
        ("bash", "['echo \"[\"', 'echo \"]\"']", ""),
    ],
)
def test_an_item_that_was_probably_cut_is_a_warning(
    language: str, items: str, message: str, load_text: LoadText
) -> None:
    loaded = load_text(f"language: {language}\nexamples: {items}\n")
    assert [found.message for found in loaded.diagnostics] == ([message] if message else [])
    assert len(loaded.cases) == 1
