"""A run as a table for spreadsheets: a line for each verdict, and no cell is a formula."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from fabricated import check, graded, hostile, many, write

from gradebox.graders.model.result import Result
from gradebox.graders.reports.csv_report import COLUMNS, report


def rows(root: Path, *verdicts: Result) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(report(write(root, verdicts))), newline="")))


def test_every_verdict_is_a_line(tmp_path: Path) -> None:
    found = rows(tmp_path, *many(20))
    assert len(found) == 20
    assert tuple(found[0]) == COLUMNS
    assert [row["number"] for row in found] == [str(number) for number in range(1, 21)]


def test_lists_and_missing_values(tmp_path: Path) -> None:
    one = replace(graded("a", check("t", 1.0), tags=("x", "y")), target="gpt")
    lost = graded("b", check("t", None, "no engine"))
    first, second = rows(tmp_path, one, lost)
    assert (first["target"], first["tags"], first["score"], first["band"]) == ("gpt", "x; y", "1.0", "pass")
    assert (second["target"], second["tags"], second["score"], second["verdict"]) == ("", "", "", "error")


def test_model_and_sample_have_columns(tmp_path: Path) -> None:
    one = graded("a", check("t", 1.0), origin={"model": "gpt", "sample": 2})
    first, second = rows(tmp_path, one, graded("b", check("t", 1.0), check("judge", None, "401")))
    assert (first["model"], first["sample"], first["partial_score"]) == ("gpt", "2", "")
    assert (second["model"], second["sample"]) == ("", "")
    assert (second["score"], second["gated_score"], second["band"], second["partial_score"]) == ("", "", "", "1.0")


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_cell_is_a_formula(tmp_path: Path, name: str) -> None:
    (row,) = rows(tmp_path, graded("a", check("t", 1.0), submission=name))
    assert row["submission"][0] not in "=+-@\t\r"
    assert row["case"] == "a"


def test_nothing_in_a_cell_acts_on_a_terminal(tmp_path: Path) -> None:
    text = "".join(report(write(tmp_path, [hostile()])))
    assert all(character.isprintable() or character in "\r\n" for character in text)
    assert len(list(csv.reader(io.StringIO(text, newline="")))) == 2
