"""The reference page: current, and its links lead somewhere."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from gradebox.graders.cases.field_tables import markdown
from gradebox.graders.checks.registry import check_types

ROOT = Path(__file__).parents[3]


def test_the_reference_page_is_current_whatever_else_is_imported() -> None:
    page = (ROOT / "docs" / "case-reference.md").read_text("utf-8")
    # Its `Target` has the name that `TargetEntry` of a case gets.
    assert import_module("gradebox.graders.targets.targets_file")
    assert page == markdown(), "run: grade schema --markdown > docs/case-reference.md"


def test_every_link_of_the_page_leads_somewhere() -> None:
    page = markdown()
    titles = {line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")}
    links = {part.split(")")[0] for part in page.split("](#")[1:]}
    assert links <= titles
    assert all(f"`{first}`" in page for first in check_types())
