"""No character of a file name or of what a candidate printed acts on a terminal."""

from __future__ import annotations

import pytest

from graders.documents.printable import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, gemüse, 漢字", "plain, gemüse, 漢字"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("a\tb\r\n", "a    b\\x0d\\x0a"),
        ("\u202eright to left", "\\u202eright to left"),
        ("\U000e0041", "\\U000e0041"),
        ("caf\udce9", "caf\\xe9"),
    ],
)
def test_characters_that_act_on_a_terminal_are_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown
