"""Text that a regular expression matches."""

from __future__ import annotations

from typing import Any

import pytest
from evidence_bench import text_cannot_be_judged, text_is_judged

from gradebox.graders.checks.text.regex import Regex
from gradebox.graders.checks.text.text_check import TextCheck

TEXT = "The Answer\nis 42.\n"


@pytest.mark.parametrize(
    ("kind", "fields", "text", "met"),
    [
        (Regex, {"value": r"is\s\d+\.$"}, TEXT, True),
        (Regex, {"value": r"^is"}, TEXT, False),
        (Regex, {"value": r"^IS", "flags": "gim"}, TEXT, True),
        (Regex, {"value": r"Answer.is", "flags": "s"}, TEXT, True),
        (Regex, {"value": r"Answer.is"}, TEXT, False),
    ],
)
def test_text_meets_a_check_or_its_opposite(kind: type[TextCheck], fields: Any, text: str, *, met: bool) -> None:
    text_is_judged(kind, fields, text, met=met)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"value": r"(A+)+\1b", "flags": "i"}, "a" * 5000),
        ({"value": "(unclosed"}, "x"),
        ({"value": "x", "flags": "q"}, "x"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_an_error_whichever_way_round(
    monkeypatch: pytest.MonkeyPatch, fields: Any, text: str
) -> None:
    monkeypatch.setattr("gradebox.graders.checks.text.patterns.found.__kwdefaults__", {"seconds": 0.2})
    text_cannot_be_judged(Regex, fields, text)
