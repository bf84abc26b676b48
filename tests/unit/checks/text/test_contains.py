"""Text that holds a value, one of several, or all of them."""

from __future__ import annotations

from typing import Any

import pytest
from evidence_bench import judge, make, text_is_judged
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.checks.text.contains import (
    Contains,
    ContainsAll,
    ContainsAny,
    IContains,
    IContainsAll,
    IContainsAny,
)
from gradebox.graders.checks.text.text_check import TextCheck
from gradebox.graders.model.evidence import Evidence

TEXT = "The Answer\nis 42.\n"


@pytest.mark.parametrize(
    ("kind", "fields", "text", "met"),
    [
        (Contains, {"value": "Answer"}, TEXT, True),
        (Contains, {"value": "answer"}, TEXT, False),
        (IContains, {"value": "ANSWER"}, TEXT, True),
        (IContains, {"value": "STRASSE"}, "an der Straße", True),
        (IContains, {"value": "question"}, TEXT, False),
        (ContainsAny, {"value": ("41", "42")}, TEXT, True),
        (ContainsAny, {"value": ("answer", "41")}, TEXT, False),
        (ContainsAll, {"value": ("Answer", "42")}, TEXT, True),
        (ContainsAll, {"value": ("Answer", "41")}, TEXT, False),
        (IContainsAny, {"value": ("ANSWER", "41")}, TEXT, True),
        (IContainsAny, {"value": ("question",)}, TEXT, False),
        (IContainsAll, {"value": ("ANSWER", "IS")}, TEXT, True),
        (IContainsAll, {"value": ("ANSWER", "41")}, TEXT, False),
    ],
)
def test_text_meets_a_check_or_its_opposite(kind: type[TextCheck], fields: Any, text: str, *, met: bool) -> None:
    text_is_judged(kind, fields, text, met=met)


@given(st.text(), st.text())
def test_letters_of_either_case_are_found_where_the_same_letters_are(text: str, value: str) -> None:
    if judge(make(Contains, value=value), Evidence(output=text)).score:
        assert judge(make(IContains, value=value), Evidence(output=text)).score == 1.0
