"""A request, its record, and the request that continues a run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.cases.select import Selection
from gradebox.graders.errors import RunRefused, UsageRefused
from gradebox.graders.model.submission import HandIn
from gradebox.graders.runs.request import Request, continued, recorded
from gradebox.graders.runs.saved_run import SavedRun

FIRST = Request(
    cases=(Path("cases"),),
    submissions=("work",),
    selection=Selection(("a*",), ("python",), ("slow",), ("author=ann",)),
    repeat=3,
    profile="strict",
    runtime="runsc",
    time_factor=2.5,
)


def saved(tmp_path: Path, **changes: Any) -> SavedRun:
    record = json.loads(json.dumps(recorded(FIRST)))
    return SavedRun(tmp_path / "runs" / "one", record | changes, {})


def test_a_continued_run_grades_what_was_requested_first(tmp_path: Path) -> None:
    again = Request(cases=(), resume=tmp_path / "runs" / "one", jobs=4, max_failures=2)
    found = continued(again, saved(tmp_path))
    assert found.cases == (Path("cases").absolute(),)
    assert found.submissions == (str(Path("work").absolute()),)
    assert (found.selection, found.repeat, found.profile, found.runtime) == (FIRST.selection, 3, "strict", "runsc")
    assert found.time_factor == 2.5
    assert (found.jobs, found.max_failures, found.runs) == (4, 2, tmp_path / "runs")


@pytest.mark.parametrize(
    "changes",
    [
        {"cases": (Path("a"),)},
        {"repeat": 2},
        {"profile": "strict"},
        {"answers": Path("a.jsonl")},
        {"time_factor": 2.0},
        {"strict_layout": True},
        {"unreadable": "error"},
        {"folder": Path("handins")},
    ],
)
def test_another_request_cannot_be_given_with_resume(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(UsageRefused, match="cannot be given with --resume"):
        continued(replace(Request(cases=()), **changes), saved(tmp_path))


def test_a_submission_from_stdin_is_gone(tmp_path: Path) -> None:
    with pytest.raises(UsageRefused, match="standard input"):
        continued(Request(cases=()), saved(tmp_path, submissions=["-"]))


def test_a_continued_run_knows_the_names_of_a_class(tmp_path: Path) -> None:
    one = HandIn("/handins/a.zip", "Anna (1)", "Anna", "1", "2026-01-31T00:00:00+00:00")
    record = json.loads(json.dumps(recorded(replace(FIRST, submissions=(one.path,), hand_ins=(one,)))))
    found = continued(Request(cases=()), SavedRun(tmp_path, record, {}))
    assert found.hand_ins == (one,)
    assert found.submissions == (one.path,)


NEW = ("where", "time_factor", "strict_layout", "unreadable")


def test_a_record_of_version_0_1_has_no_conditions_and_no_factor(tmp_path: Path) -> None:
    run = saved(tmp_path)
    old = replace(run, requested={name: value for name, value in run.requested.items() if name not in NEW})
    found = continued(Request(cases=()), old)
    assert (found.selection.where, found.time_factor) == ((), 1.0)
    assert (found.strict_layout, found.unreadable) == (False, "failed")


def test_a_record_without_a_request_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunRefused, match="does not hold its request"):
        continued(Request(cases=()), SavedRun(tmp_path, {}, {}))


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (Request(cases=()), "Name a case with --case"),
        (
            Request(cases=(Path("a"),), submissions=("x",), reference=True),
            "--submission and --reference cannot be combined",
        ),
        (
            Request(cases=(Path("a"),), submissions=("x",), folder=Path("y")),
            "--submission and --submissions cannot be combined",
        ),
        (Request(cases=(Path("a"),), submissions=("x",), name_from="x"), "--name-from and --strip need --submissions"),
        (Request(cases=(Path("a"),), reuse=True, repeat=2), "--reuse and --repeat cannot be combined"),
    ],
)
def test_contradictions_are_refused(request_: Request, message: str) -> None:
    with pytest.raises(UsageRefused, match=message):
        request_.refuse_contradictions()


@pytest.mark.parametrize("path", ["a/b", "a/b/", "./a", "a/../b", "a//b", "/a/b", "/a/./b", "..", "."])
def test_a_record_has_the_absolute_paths_of_submissions(path: str) -> None:
    assert recorded(Request(cases=(), submissions=(path,)))["submissions"] == [str(Path(path).absolute())]
