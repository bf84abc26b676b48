"""Names of verdicts: as long as they have to be, and found when they are cut short."""

from __future__ import annotations

import pytest
from fabricated import check, graded

from gradebox.graders.errors import UsageRefused
from gradebox.graders.grading.fingerprint import Key, key_of
from gradebox.graders.model.verdict_document import document
from gradebox.graders.reports.verdict_names import VerdictNames, select

KEYS = [Key("add", None, "x", 1), Key("add-auth", "gpt", "x", 1), Key("add-auth", "gpt", "x", 2)]


@pytest.mark.parametrize(
    ("others", "name"),
    [
        ([], "a"),
        ([Key("b", "gpt", "x", 1)], "a"),
        ([Key("b", "gpt", "y", 1)], "a / x"),
        ([Key("b", None, "x", 1)], "a / gpt"),
        ([Key("b", "gpt", "x", 2)], "a / repeat 1"),
        ([Key("b", None, "y", 2)], "a / x / gpt / repeat 1"),
    ],
)
def test_a_name_has_what_tells_verdicts_apart(others: list[Key], name: str) -> None:
    verdict = document(graded("a", check("t", 1.0), submission="x", target="gpt"))
    assert VerdictNames([key_of(verdict), *others]).name(verdict) == name


def test_a_whole_name_selects_itself_and_a_short_one_what_begins_like_it() -> None:
    assert select(KEYS, "add") == KEYS[:1]
    assert select(KEYS, "add-") == KEYS[1:]
    assert select(KEYS, "add-auth", "x", "g", 2) == KEYS[2:]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nothing",), "The run has no case nothing."),
        (("add-auth", "y"), "The run has no submission y of add-auth."),
        (("add", "x", "gpt"), "The run has no target gpt of add. It has no targets at all."),
        (("add-auth", "x", "gpt", 3), "The run has no repeat 3 of add-auth. It has 1, 2."),
        (("a",), "The case a is ambiguous: add, add-auth. Write one of them in full."),
    ],
)
def test_a_name_that_selects_nothing_or_too_much_is_refused(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageRefused) as caught:
        select(KEYS, *words)  # type: ignore[arg-type] # a row of the table
    assert f"{caught.value.message} {caught.value.remedy}".startswith(message)
