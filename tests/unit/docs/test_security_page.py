"""Whatever docs/security.md names is there: defences, attacks and tests, which belong together as its lists say."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from weakened_defences import Defence

from gradebox.sandbox.users import FIRST_UID, UID_COUNT, USERS

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
TESTS = ROOT / "tests"
# In the order of the page; the last has no attacks.
GROUPS = ("resources", "probing", "files", "forgery", "planted", "spoiling", "theft")
HOST = "the host"
QUOTED = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
ITEM = re.compile(r"\*\*(.+)\.\*\* Defence: (.+)\. Tests: (.+)\.")


class Row(NamedTuple):
    """An item of a list: the attack, the defences that stop it, and the tests that show it."""

    group: str
    attack: str
    defences: tuple[str, ...]
    tests: tuple[str, ...]


class Attack(NamedTuple):
    """An entry of a table of attacks."""

    group: str
    name: str
    defences: frozenset[str]


def read_rows() -> tuple[Row, ...]:
    _, *sections = re.split(r"^### (.+)\n", PAGE.partition("## Attacks, ")[2].partition("\n## ")[0], flags=re.MULTILINE)
    rows = []
    for heading, text in zip(sections[::2], sections[1::2], strict=True):
        for item in re.split(r"^- ", text.partition("\n\nHonest ")[0], flags=re.MULTILINE)[1:]:
            match = ITEM.fullmatch(" ".join(item.split()))
            assert match is not None, item
            attack, *names = match.groups()
            rows.append(Row(heading.lower(), attack, *(tuple(QUOTED.findall(part)) for part in names)))
    return tuple(rows)


def read_attacks() -> tuple[Attack, ...]:
    tables = {
        group: yaml.load((TESTS / f"hostile/{group}.yaml").read_text("utf-8"), yaml.CSafeLoader) for group in GROUPS
    }
    return tuple(
        Attack(group, entry["name"], frozenset({**table.get("defaults", {}), **entry}["defences"]))
        for group, table in tables.items()
        for entry in table["attacks"]
    )


def read_functions() -> frozenset[str]:
    # Not what attacks bring: some of it has the names of tests.
    brought = TESTS / "hostile"
    files = [path for path in TESTS.rglob("test_*.py") if path.parent == brought or brought not in path.parents]
    return frozenset(
        name for path in files for name in re.findall(r"^ *def (test_\w+)\(", path.read_text("utf-8"), re.MULTILINE)
    )


ROWS = read_rows()
ATTACKS = read_attacks()
FUNCTIONS = read_functions()


def attacks_of(row: Row) -> list[Attack]:
    """Return the attacks of its group that a row names, by name or pattern."""
    group = [attack for attack in ATTACKS if attack.group == row.group]
    names = [name for name in row.tests if not name.startswith(("test_", "make "))]
    found = [[attack for attack in group if fnmatchcase(attack.name, name)] for name in names]
    assert [name for name, attacks in zip(names, found, strict=True) if not attacks] == [], "no such attack"
    return [attack for attacks in found for attack in attacks]


def test_the_page_is_grouped_as_the_corpus_is() -> None:
    assert list(dict.fromkeys(row.group for row in ROWS)) == [*GROUPS, HOST]
    assert {attack.group for attack in ATTACKS} == set(GROUPS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.attack)
def test_a_row_names_what_there_is_and_what_belongs_together(row: Row) -> None:
    assert row.tests, "nothing shows it"
    assert [name for name in row.defences if name not in set(Defence)] == []
    functions = [name for name in row.tests if name.startswith("test_")]
    assert [name for name in functions if name not in FUNCTIONS] == []
    attacks = attacks_of(row)
    # Something of what holds an attack according to its own table stands beside it.
    assert [attack.name for attack in attacks if attack.defences and attack.defences.isdisjoint(row.defences)] == []
    # And nothing stands there that none of the attacks meets.
    met = frozenset[str]().union(*(attack.defences for attack in attacks))
    assert functions or set(row.defences) <= met


def test_every_defence_is_listed() -> None:
    named = {name for row in ROWS for name in row.defences}
    assert [defence.value for defence in Defence if defence not in named] == []


def test_every_test_that_the_page_names_exists() -> None:
    named = {name for name in QUOTED.findall(PAGE) if re.fullmatch(r"test_\w+", name)}
    assert len(named) > 20
    assert named <= FUNCTIONS


def test_every_file_that_the_page_names_exists() -> None:
    roots = ("sandbox/", "graders/", "tests/", "images/", "cases/")
    named = {name for name in QUOTED.findall(PAGE) if name.startswith(roots)}
    assert len(named) > 5
    assert [name for name in named if not list(ROOT.glob(name))] == []


def test_what_the_page_says_of_users_is_so() -> None:
    assert "users are below 65536" in PAGE
    assert FIRST_UID + UID_COUNT <= 65536
    assert f"Up to {UID_COUNT // USERS} sandboxes" in PAGE


@pytest.mark.parametrize("document", ["SECURITY.md", "docs/security.md", "README.md"])
def test_links_lead_to_headings_that_are_there(document: str) -> None:
    text = (ROOT / document).read_text("utf-8")
    for path, _, anchor in (link.partition("#") for link in LINK.findall(text) if "://" not in link):
        place = (ROOT / document).parent / path if path else ROOT / document
        assert place.exists(), path
        if anchor:
            assert anchor in {slug(title) for title in re.findall(r"^#+ (.+)$", place.read_text("utf-8"), re.MULTILINE)}


def slug(title: str) -> str:
    """Return the anchor that code hosts give a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
