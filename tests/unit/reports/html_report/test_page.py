"""The templates: they escape every value, and write nothing that the policy of the page forbids."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fabricated import check, graded
from html_reading import Page
from jinja2 import UndefinedError
from markupsafe import Markup

from gradebox.graders.model.verdict_document import document
from gradebox.graders.reports.html_report import page
from gradebox.graders.reports.html_report.page import anchor, environment, first_reason, is_long, other_reasons

TEMPLATES = sorted((Path(page.__file__).parent / "templates").iterdir())
TAG = re.compile(r"<[a-z][^<>]*(?:\{\{.*?\}\}[^<>]*)*>")
TEMPLATE_CODE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)


def rendered(source: str, **values: object) -> str:
    return environment().from_string(source).render(**values)


def test_a_value_is_escaped_in_text_and_in_attributes() -> None:
    found = rendered('<a href="{{ x }}">{{ x }}</a>', x="\"><script>'&\x1b")
    shown = Page()
    shown.feed(found)
    assert shown.structure() == [("a", ("href",))]
    assert shown.elements[0][1]["href"] == shown.written() == "\"><script>'&\\x1b"


def test_only_markup_passes_as_it_is_and_nothing_is_shown_for_none() -> None:
    assert rendered("{{ a }}|{{ b }}|{{ c }}", a=Markup("<b>x</b>"), b=None, c=7) == "<b>x</b>||7"


def test_a_name_that_is_not_defined_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        rendered("{{ verdict.nothing }}", verdict={})


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_a_template_escapes_everything_and_has_no_style_and_no_handler(template: Path) -> None:
    source = template.read_text("utf-8")
    assert not re.search(r"\|\s*safe\b|autoescape|\bMarkup\b|\|\s*(?:xmlattr|urlize|tojson)\b", source)
    markup = TEMPLATE_CODE.sub("", source)
    assert not re.search(r"<[^>]*\s(?:style|on\w+)\s*=", markup)
    assert not re.search(
        r"<(?:script|style|iframe|object|embed|base|img)\b",
        markup.replace("<style></style>", "").replace("<script></script>", ""),
    )
    # Where an attribute holds a value, quotes stand around it.
    for tag in re.findall(
        r"<[a-z][^>]*>", re.sub(r"\{\{.*?\}\}", "VALUE", re.sub(r"\{%.*?%\}|\{#.*?#\}", "", source, flags=re.DOTALL))
    ):
        assert not re.search(r"=\s*[^\"\s>]", re.sub(r'"[^"]*"', '""', tag)), tag
        assert "VALUE" not in re.sub(r'"[^"]*"', '""', tag), tag


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_a_template_is_one(template: Path) -> None:
    environment().get_template(template.name)


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        ("<p>\n  <b>x</b>\n</p>\n", "<p><b>x</b></p>"),
        ("<p>one\n   two</p>", "<p>one two</p>"),
        ("<p\n  class=x>y</p>", "<p class=x>y</p>"),
        ("{% if a %}\n  x\n{% endif %}", "{% if a %}x{% endif %}"),
        ("a <b>c</b> d", "a <b>c</b> d"),
    ],
)
def test_line_breaks_and_indentation_of_a_template_mean_nothing(
    source: str, kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "x").write_text(source)
    monkeypatch.setattr(page, "_HERE", tmp_path)
    assert page._source("x") == kept


def test_a_link_is_ascii_without_blanks() -> None:
    verdict = document(graded("a b", check("t", 1.0), submission="ä/ö", target="x y", repeat=2))
    found = anchor(verdict)
    assert found.startswith("case=")
    assert found.isascii()
    assert " " not in found
    assert found.endswith("repeat+2")


def test_reasons_of_a_verdict() -> None:
    verdict = document(graded("a", check("t", 1.0))).model_copy(
        update={"reasons": ["tampering (x): y", "first\nmore", "x" * 200]}
    )
    assert other_reasons(verdict) == ["first\nmore", "x" * 200]
    assert first_reason(verdict) == "tampering (x): y"
    assert first_reason(verdict.model_copy(update={"reasons": ["first\nmore"]})) == "first"
    assert first_reason(verdict.model_copy(update={"reasons": ["x" * 200]})) == "x" * 140 + "…"
    assert first_reason(verdict.model_copy(update={"reasons": []})) == ""


def test_only_long_text_can_be_scrolled() -> None:
    assert not is_long("a\n" * 9)
    assert is_long("a\n" * 10)
    assert is_long("a" * 800)
