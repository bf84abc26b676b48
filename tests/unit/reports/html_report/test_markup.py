"""Text as markup: it is escaped, controls are visible, and only `markup` makes markup from strings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from gradebox.graders.reports.html_report import markup
from gradebox.graders.reports.html_report.markup import lines, marked_lines, shown, styled


@pytest.mark.parametrize(
    ("text", "plain", "marked"),
    [
        ("a <b>\n\tc", "a &lt;b&gt;\n\tc", "a &lt;b&gt;\n\tc"),
        ("\0\0\ta", "\\x00\\x00\ta", '<span class="ctl">\\x00\\x00</span>\ta'),
        ("\u202e'\"&", "\\u202e&#x27;&quot;&amp;", '<span class="ctl">\\u202e</span>&#x27;&quot;&amp;'),
    ],
)
def test_lines_are_kept_and_controls_are_visible(text: str, plain: str, marked: str) -> None:
    assert (lines(text), marked_lines(text)) == (plain, marked)


@given(st.lists(st.tuples(st.sampled_from(["", "add", "fg1 bg2"]), st.text(max_size=20)), max_size=5))
def test_styled_text_has_no_markup_but_ours(runs: list[tuple[str, str]]) -> None:
    found = styled(runs)
    assert isinstance(found, Markup)
    rest = re.sub(r'<span class="(?:add|fg1 bg2|ctl)">|</span>', "", found)
    assert not set(rest) & {"<", ">", '"', "'"}
    assert all(character.isprintable() or character in "\n\t" for character in found)


def test_values_of_templates() -> None:
    assert shown(None) == ""
    assert shown(3) == 3
    assert shown("a\n") == "a\\x0a"
    assert shown(Markup("<b>\n</b>")) == "<b>\n</b>"


def test_no_other_module_makes_markup_from_strings() -> None:
    for path in Path(markup.__file__).parent.glob("*.py"):
        found = re.findall(r"\bMarkup\(([^)]*)\)|\btrusted\(([^)]*)\)", path.read_text("utf-8"))
        if path.name != "markup.py":
            assert {one or other for one, other in found} <= {'""', "source", '"\\n"'}, path.name
