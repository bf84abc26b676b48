"""`--leaderboard`: verdicts of a run are written as evaluations; everything else is left alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from gradebox.graders.model import verdict
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.events import RunFinishing, VerdictReported
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.verdict import CheckResult
from gradebox.graders.runs.request import Request, continued, recorded
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.plugins.julia_leaderboard.definition import Parsed
from gradebox.plugins.julia_leaderboard.leaderboard_option import listener

HERE = Place(Path("definition.toml"))
PARSED = Parsed(name="parsed", place=HERE, function="add", examples=(), unit_tests=())
CASE = Case("add", HERE, Path(), (PARSED,), category="sums")


def reported(case: Case) -> VerdictReported:
    judged = verdict.decide([CheckResult("parsed", "parsed", verdict.Status.PASSED, 1.0, 1.0)], threshold=0.8)
    result = Result("0123456789abcdef", case.id, "mine", judged, datetime(2026, 1, 2, tzinfo=UTC))
    return VerdictReported(case, Submission("mine", output="add(x) = x"), result, resumed=False)


def test_a_verdict_becomes_an_evaluation(tmp_path: Path) -> None:
    take = listener(Request(cases=(), added={"leaderboard": tmp_path}), (CASE,))
    take(RunFinishing())
    take(reported(Case("other", HERE, Path(), ())))
    assert list(tmp_path.iterdir()) == []
    take(reported(CASE))
    (file,) = tmp_path.rglob("evaluation__*.json")
    assert file.relative_to(tmp_path).parts[:3] == ("sums", "add", "mine")
    assert json.loads(file.read_bytes())["parsed"] is True


def test_a_run_that_is_continued_writes_to_the_same_place() -> None:
    record = recorded(Request(cases=(Path("case"),), added={"leaderboard": Path("out")}))
    saved = SavedRun(Path("runs/one"), record, {})
    assert continued(Request(cases=()), saved).added == {"leaderboard": Path.cwd() / "out"}
