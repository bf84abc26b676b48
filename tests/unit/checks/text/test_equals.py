"""Text that is a value, begins or ends with it."""

from __future__ import annotations

from typing import Any

import pytest
from evidence_bench import text_is_judged

from gradebox.graders.checks.text.equals import EndsWith, Equals, StartsWith
from gradebox.graders.checks.text.text_check import TextCheck

TEXT = "The Answer\nis 42.\n"


@pytest.mark.parametrize(
    ("kind", "fields", "text", "met"),
    [
        (StartsWith, {"value": "The"}, f"\n {TEXT}", True),
        (StartsWith, {"value": "Answer"}, TEXT, False),
        (EndsWith, {"value": "42.\n"}, TEXT, True),
        (EndsWith, {"value": "42"}, TEXT, False),
        (Equals, {"value": "The Answer\nis 42."}, TEXT, True),
        (Equals, {"value": "The Answer is 42."}, TEXT, False),
    ],
)
def test_text_meets_a_check_or_its_opposite(kind: type[TextCheck], fields: Any, text: str, *, met: bool) -> None:
    text_is_judged(kind, fields, text, met=met)
