"""The pages are plain English: short sentences, short cells, short lines, and one word for one thing.

Code is left out, and so are the pages that are generated: their texts come from the code. The words are those of
docs/glossary.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
GENERATED = {"case-reference.md", "cli-reference.md"}
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name not in GENERATED),
    ROOT / "cases" / "README.md",
    ROOT / "tests" / "hostile" / "README.md",
]

SENTENCE_WORDS = 30
CELL_WORDS = 25
LINE_CHARACTERS = 120

FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"``.+?``|`[^`]+`", re.DOTALL)
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
# A heading, an item of a list, or a row of a table begins a new block, as a blank line does.
BLOCK = re.compile(r"\n(?=\s*(?:\n|#+ |[-*] |\d+\. |\|))")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')*_]*\s+")
CELL_END = re.compile(r"(?<!\\)\|")

# What the pages must not say, and what the glossary says in its place.
BANNED = {
    r"hand(?:ed|s|ing)? in\b": "submit, submission",
    r"bugs? of ours": "internal error",
    r"faults? of ours": "error of the infrastructure",
    r"gates?\b": "required check",
    r"put(?:s|ting)? back": "restored",
    r"meddl\w+": "tampering",
    r"accus\w+": "flagged as tampering",
    r"ben(?:d|ds|t|ding) (?:a|the|its|their) (?:judge|grader)s?": "manipulate the grader",
    r"anew": "again",
    r"who(?:m)?ever": "name the person or the thing",
    r"(?:is|are|was|were) told": "reported",
    r"as (?:is|was) asked": "requested",
    r"steers?\b": "configures",
    r"judges? of ours": "grader",
    r"held against": "flagged as tampering",
    r"thicker walls": "stronger isolation",
}


def prose(text: str) -> str:
    """Return a page without code, and with links as their words."""
    return LINK.sub(r"\1", INLINE_CODE.sub("CODE", FENCE.sub("", text)))


def blocks(text: str) -> Iterator[str]:
    yield from (" ".join(block.split()) for block in BLOCK.split(f"\n{prose(text)}"))


def sentences(text: str) -> Iterator[str]:
    for block in blocks(text):
        if not block.startswith("|"):
            yield from SENTENCE_END.split(block)


def cells(text: str) -> Iterator[str]:
    for block in blocks(text):
        if block.startswith("|"):
            yield from (cell.strip() for cell in CELL_END.split(block))


def count_words(text: str) -> int:
    return sum(any(character.isalnum() for character in word) for word in text.split())


def identify(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=identify)
def test_no_sentence_is_longer_than_thirty_words(page: Path) -> None:
    long = [(count_words(one), one) for one in sentences(page.read_text("utf-8")) if count_words(one) > SENTENCE_WORDS]
    assert long == []


@pytest.mark.parametrize("page", PAGES, ids=identify)
def test_no_table_cell_is_longer_than_twenty_five_words(page: Path) -> None:
    long = [(count_words(cell), cell) for cell in cells(page.read_text("utf-8")) if count_words(cell) > CELL_WORDS]
    assert long == []


@pytest.mark.parametrize("page", PAGES, ids=identify)
def test_no_line_is_longer_than_120_characters(page: Path) -> None:
    lines = enumerate(page.read_text("utf-8").splitlines(), 1)
    assert [(number, len(line)) for number, line in lines if len(line) > LINE_CHARACTERS] == []


@pytest.mark.parametrize("page", PAGES, ids=identify)
def test_a_page_uses_the_words_of_the_glossary(page: Path) -> None:
    text = " ".join(prose(page.read_text("utf-8")).split())
    found = [
        (match[0], f"say: {better}")
        for pattern, better in BANNED.items()
        for match in re.finditer(rf"\b{pattern}", text, re.IGNORECASE)
    ]
    assert found == []


def test_the_terms_of_the_glossary_are_in_order_and_defined_once() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    for section in page.split("\n## ")[1:]:
        terms = re.findall(r"^\*\*(.+?)\*\*", section, re.MULTILINE)
        assert terms
        assert terms == sorted(set(terms), key=str.lower)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One sentence. Another one!\n", ["One sentence.", "Another one!"]),
        ("A list:\n- first item\n- second [item](there.md)\n", ["A list:", "- first item", "- second item"]),
        ("Runs `a. b. c` once.\n\n```\nnot. this.\n```\n", ["Runs CODE once."]),
        ("| a. b | c |\n", []),
    ],
)
def test_sentences_are_those_of_the_text_alone(text: str, found: list[str]) -> None:
    assert [one for one in sentences(text) if one] == found


def test_cells_are_split_at_their_bars() -> None:
    assert [cell for cell in cells("| one | two words `a|b` |\n") if cell] == ["one", "two words CODE"]
