"""Every decision has the same parts, in the same order, and is listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DECISIONS = Path(__file__).parents[3] / "docs" / "adr"
PARTS = ["Status", "Context", "Decision", "Alternatives", "Consequences"]
PAGES = sorted(DECISIONS.glob("0*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_decision_has_its_parts_in_order(page: Path) -> None:
    text = page.read_text("utf-8")
    assert re.findall(r"^\*\*(\w+)\.\*\* \S", text, re.MULTILINE) == PARTS
    assert re.search(r"^\*\*Status\.\*\* (Proposed|Accepted|Replaced)\.", text, re.MULTILINE)


def test_decisions_are_numbered_without_a_gap() -> None:
    numbers = [int(page.name[:4]) for page in PAGES]
    assert numbers == list(range(1, len(PAGES) + 1))
    titles = [page.read_text("utf-8").splitlines()[0] for page in PAGES]
    assert [int(re.match(r"# (\d+)\. ", title)[1]) for title in titles] == numbers  # type: ignore[index]


def test_the_list_of_decisions_has_each_of_them_in_order() -> None:
    listed = re.findall(r"^(\d+)\. \[[^\]]+\]\(([^)]+)\)$", (DECISIONS / "index.md").read_text("utf-8"), re.MULTILINE)
    assert [(int(number), name) for number, name in listed] == [(int(page.name[:4]), page.name) for page in PAGES]
