"""What a candidate may see: nothing that nobody has let out."""

from __future__ import annotations

import pytest

from gradebox.graders.model.visibility import DEFAULT_SHOWN, HIDDEN, Seen, Shown, Visibility, seen

CHECK = Seen(Visibility.VISIBLE, DEFAULT_SHOWN)
EVERYTHING = tuple(Shown)


def test_by_itself_nothing_is_seen() -> None:
    assert Seen().fields(after=True) == frozenset()
    assert seen(None, None) == HIDDEN
    assert seen(None, None, own=CHECK) == CHECK


def test_what_is_visible_afterwards_waits_for_it() -> None:
    later = seen("after", ["name"])
    assert later.fields(after=False) == frozenset()
    assert later.fields(after=True) == {Shown.NAME}
    assert seen("hidden", ["name"]).fields(after=True) == frozenset()


@pytest.mark.parametrize(
    ("visibility", "show", "around", "expected"),
    [
        ("visible", None, None, Seen(Visibility.VISIBLE, EVERYTHING)),
        (None, ["input"], None, Seen(Visibility.VISIBLE, (Shown.INPUT,))),
        (None, None, CHECK, CHECK),
        ("after", None, CHECK, Seen(Visibility.AFTER, EVERYTHING)),
        (None, ["output"], CHECK, Seen(Visibility.VISIBLE, (Shown.OUTPUT,))),
        ("visible", [], CHECK, Seen(Visibility.VISIBLE, ())),
        ("hidden", None, CHECK, HIDDEN),
    ],
)
def test_a_part_is_as_it_says_and_otherwise_as_what_is_around_it(
    visibility: str | None, show: list[str] | None, around: Seen | None, expected: Seen
) -> None:
    assert seen(visibility, show, around) == expected


def test_hidden_parts_are_not_named_and_a_hidden_whole_has_none() -> None:
    parts = {"a": CHECK, "b": HIDDEN}
    kept = {"a": CHECK}
    assert CHECK.with_parts(tests=parts, groups=parts) == Seen(Visibility.VISIBLE, DEFAULT_SHOWN, kept, kept)
    assert HIDDEN.with_parts(tests=parts, groups=parts) == HIDDEN


def test_fields_can_be_taken_away_only() -> None:
    everything = Seen(Visibility.VISIBLE, EVERYTHING, {"a": CHECK})
    assert everything.only(Shown.NAME) == Seen(Visibility.VISIBLE, (Shown.NAME,))
    assert CHECK.only(Shown.INPUT).show == ()
