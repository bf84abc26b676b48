"""The list of a class: how it is read, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.errors import UsageRefused
from gradebox.graders.reports.gradebook_report.roster import read_roster, remarks


def roster(root: Path, text: str) -> Path:
    file = root / "roster.csv"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    "text",
    [
        "name\nada\nben\n",
        "ada\n\nben\n",
        "Id,Student ,Group\n7,ada,A\n8, ben,B\n9,,B\n",
        '\ufeffname,id\n"ada",1\nben,2\n',
    ],
)
def test_names_are_in_a_column_of_that_name_or_in_the_only_one(tmp_path: Path, text: str) -> None:
    assert read_roster(roster(tmp_path, text)) == ("ada", "ben")


def test_letters_have_the_form_that_submissions_have(tmp_path: Path) -> None:
    assert read_roster(roster(tmp_path, "J\u006f\u0308rg\n")) == ("Jörg",)


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "names no student"), ("name\n", "names no"), ("a,b\n1,2\n", "no column"), ("ada\nben\nada\n", "ada twice")],
)
def test_a_mistake_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageRefused, match=said):
        read_roster(roster(tmp_path, text))
    with pytest.raises(UsageRefused, match="cannot be read"):
        read_roster(tmp_path / "missing.csv")


def test_those_who_submitted_nothing_and_those_who_are_not_listed_are_named(tmp_path: Path) -> None:
    file = roster(tmp_path, "ada\nben\n")
    assert list(remarks(file, {"ada", "dan", "cleo"})) == ["No submission of ben.", f"Not in {file}: cleo, dan."]
    assert list(remarks(file, {"ada", "ben"})) == list(remarks(None, {"ada"})) == []
    many = roster(tmp_path, "".join(f"s{number}\n" for number in range(20)))
    assert next(remarks(many, set())).endswith("s9 and 10 more.")
