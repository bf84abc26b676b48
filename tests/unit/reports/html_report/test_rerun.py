"""The command lines that grade a case of a run again, and that print everything about a verdict."""

from __future__ import annotations

import shlex
from pathlib import PurePath
from typing import Any

import pytest
from fabricated import graded

from gradebox.graders.model.verdict_document import document
from gradebox.graders.reports.html_report.rerun import CommandLines

ASKED: dict[str, Any] = {"cases": ["/b/suite.yaml"], "submissions": ["/w/model a", "/w/fix.diff"], "profile": "default"}


@pytest.mark.parametrize(
    ("case", "submission", "requested", "expected"),
    [
        ("a", "model a", {}, ["--case", "/b/suite.yaml", "-k", "a", "--submission", "/w/model a"]),
        ("a", "fix", {}, ["--case", "/b/suite.yaml", "-k", "a", "--submission", "/w/fix.diff"]),
        ("a*[", "fix", {}, ["--case", "/b/suite.yaml", "-k", "a[*][[]", "--submission", "/w/fix.diff"]),
        (
            "a",
            "gone",
            {},
            ["--case", "/b/suite.yaml", "-k", "a", "--submission", "/w/model a", "--submission", "/w/fix.diff"],
        ),
        (
            "a",
            "reference",
            {"submissions": [], "reference": True},
            ["--case", "/b/suite.yaml", "-k", "a", "--reference"],
        ),
        (
            "a",
            "t",
            {"submissions": [], "targets": "/t.yaml", "profile": "strict", "runtime": "runsc"},
            ["--case", "/b/suite.yaml", "-k", "a", "--targets", "/t.yaml", "--runtime", "runsc", "--profile", "strict"],
        ),
        (
            "a",
            "x",
            {"submissions": ["/1/x", "/2/x"]},
            ["--case", "/b/suite.yaml", "-k", "a", "--submission", "/1/x", "--submission", "/2/x"],
        ),
        ("a", "stdin", {"submissions": ["-"]}, None),
        ("a", "x", {"cases": None}, None),
        ("a", "x", {"cases": [{}], "submissions": 7}, None),
        ("a", "none of them", {"submissions": [f"/w/{number}" for number in range(21)]}, None),
    ],
)
def test_how_to_grade_again(case: str, submission: str, requested: dict[str, Any], expected: list[str] | None) -> None:
    lines = CommandLines(PurePath("runs/x"), ASKED | requested)
    found = lines.grade_again(document(graded(case, submission=submission)))
    assert (None if found is None else shlex.split(found)) == (None if expected is None else ["grade", *expected])


def test_how_to_show_it() -> None:
    verdict = document(graded("it's", submission="; rm -rf /"))
    shown = CommandLines(PurePath("runs/a b"), {}).show(verdict)
    assert shlex.split(shown) == ["grade", "show", "runs/a b", "it's", "--submission", "; rm -rf /"]
