"""Malformed case files: each mistake is reported at its place, in words, with a hint, and never raised."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from malformed_checks import CHECKS
from malformed_files import FILES, Mistake
from malformed_groups import GROUPS

from gradebox.graders.cases import Loaded

MISTAKES = [*FILES, *CHECKS, *GROUPS]


@pytest.mark.parametrize("mistake", MISTAKES, ids=[mistake.name for mistake in MISTAKES])
def test_a_mistake_is_reported_at_its_place_with_a_hint(mistake: Mistake, load_text: Callable[..., Loaded]) -> None:
    loaded = load_text(mistake.text)
    assert loaded.cases == ()
    said = [str(found) for found in loaded.errors]
    matching = [
        found
        for found in loaded.errors
        if f"{found.line}:{found.column}" == mistake.place
        and mistake.says in f"{found.message}"
        and mistake.hint in found.hint
    ]
    assert matching, f"wanted {mistake.place} {mistake.says!r} {mistake.hint!r}, got:\n" + "\n".join(said)
    for line in said:
        assert not re.search(r"pydantic|https?://|Traceback|\bdict\b|(?<!!!)\bstr\b|NoneType|input_value|\|", line), (
            line
        )


def test_no_mistake_is_listed_twice() -> None:
    texts = [mistake.text for mistake in MISTAKES]
    assert len(set(texts)) == len(texts)


def test_all_mistakes_of_a_file_are_reported_at_once_in_order(load_text: Callable[..., Loaded]) -> None:
    text = "id: a b\ninput: no\nlimits: {memory: x}\n"
    text += "assertions:\n- type: code-grader\n  wieght: 1\n  command: []\nbogus: 1\n"
    assert [(found.line, found.column) for found in load_text(text).errors] == [
        (1, 5),
        (2, 8),
        (3, 18),
        (6, 3),
        (7, 12),
        (8, 1),
    ]
