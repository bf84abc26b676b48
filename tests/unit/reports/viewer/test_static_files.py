"""What pages are made of: the same escaping as in the report, and nothing that the policy forbids."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from gradebox.graders.reports import viewer
from gradebox.graders.reports.html_report.page import environment
from gradebox.graders.reports.viewer.static_files import STATIC, environment_of_viewer, render

TEMPLATES = sorted(path.name for path in (resources.files(viewer) / "templates").iterdir())
TEMPLATE_CODE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)


def test_values_are_escaped_and_the_report_is_left_as_it_is() -> None:
    made = environment_of_viewer()
    assert made.from_string("{{ x }}").render(x="<b>\x1b</b>") == "&lt;b&gt;\\x1b&lt;/b&gt;"
    assert "run_path" not in environment().globals
    assert render("welcome.html.j2", there='/x"><script>').count("<script>") == 0


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_has_no_script_style_or_handler_of_its_own(name: str) -> None:
    written = (resources.files(viewer) / "templates" / name).read_text("utf-8")
    source = TEMPLATE_CODE.sub("", written)
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:|<base|<iframe|<object|https?:", source)
    assert re.findall(r"<script[^>]*>", source) == re.findall(r'<script src="/static/[a-z]+\.js"(?: defer)?>', source)
    assert "|safe" not in written
    for values in re.findall(r'(?:href|action|src)="([^"]*)"', written):
        assert values.startswith(("/", "#", "data:,", "{{ "))


def test_style_and_scripts_load_nothing() -> None:
    assert set(STATIC) == {"view.css", "theme.js", "view.js", "icon.svg"}
    for name, answer in STATIC.items():
        text = answer.body.decode()
        assert not re.search(r"@import|url\(|\beval\b|new Function|\.innerHTML\s*=[^=]", text), name
