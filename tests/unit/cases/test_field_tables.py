"""The reference page: current, and its links lead somewhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from graders.cases.field_tables import markdown
from graders.checks.registry import check_types

ROOT = Path(__file__).parents[3]


def test_the_reference_page_is_current() -> None:
    page = (ROOT / "docs" / "case-reference.md").read_text("utf-8")
    # In a process of its own: other tests register plug-ins and define models.
    program = "import sys; from graders.cases.field_tables import markdown; sys.stdout.write(markdown())"
    made = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True)
    assert page == made.stdout.decode("utf-8"), "run: grade schema --markdown > docs/case-reference.md"


def test_every_link_of_the_page_leads_somewhere() -> None:
    page = markdown()
    titles = {line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")}
    links = {part.split(")")[0] for part in page.split("](#")[1:]}
    assert links <= titles
    assert all(f"`{first}`" in page for first in check_types())
