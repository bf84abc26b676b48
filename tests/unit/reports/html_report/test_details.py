"""Details of a grader become tables and text, whatever is in them."""

from __future__ import annotations

from typing import Any

from html_reading import Page
from hypothesis import given, settings
from hypothesis import strategies as st

from gradebox.graders.reports.html_report.details import details_of
from gradebox.graders.reports.html_report.page import environment

CONTROLS = st.characters(categories=["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"])
MARKUP = st.text("<>\"'&=/!-]`scriptSCRIPTon ;#x3", max_size=40)
TEXTS = st.text(max_size=40) | st.text(CONTROLS, max_size=12) | MARKUP
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, JSON, max_size=4))
@settings(max_examples=50, deadline=None)
def test_whatever_the_details_are_they_are_text(details: dict[str, Any]) -> None:
    templates = environment()
    parts = templates.get_template("parts.html.j2").module
    page = Page()
    page.feed(templates.get_template("details.html.j2").render(check={"details": details}, parts=parts))
    page.close()
    assert {tag for tag, _ in page.elements} <= {
        "div",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "pre",
        "code",
        "span",
    }
    assert not page.others
    assert not page.open


def test_a_list_of_records_is_a_table_and_the_rest_is_json() -> None:
    found = details_of({"tests": [{"name": "a", "ok": True}, {"name": "b", "share": 0.5}], "why": "x"})
    (table,) = found.tables
    assert (table.name, table.columns) == ("tests", ["name", "ok", "share"])
    assert table.rows == [["a", "yes", ""], ["b", "", "0.5"]]
    assert found.text == '{\n  "why": "x"\n}'


def test_tables_and_text_are_limited() -> None:
    found = details_of({"tests": [{"name": "x" * 500}] * 61, "why": "y" * 5000})
    (table,) = found.tables
    assert (len(table.rows), table.remark) == (60, ", the first 60 of 61")
    assert table.rows[0] == ["x" * 400 + " […]"]
    assert found.text.endswith("characters not shown …")
    assert len(found.text) < 4100
