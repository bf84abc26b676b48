"""An attack on a case: what is graded, and what became of each cheat."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evidence_bench import result as check_result
from grading_bench import write

from gradebox.graders.authoring.attack.attempts import (
    NOTHING,
    AttackOutcome,
    CaseAttack,
    by_remedy,
    outcome_of,
    plan_attack,
)
from gradebox.graders.cases import load
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import decide

CASE = "image: image\nassertions: [{name: it, type: code-grader, command: [python3, grading/judge.py]}]\n"


def plan(root: Path, *globs: str) -> CaseAttack:
    write(root, {"case.yaml": CASE, "grading/judge.py": "import a\n", "reference/a.py": "def f(): return 1\n"})
    (case,) = load(root).cases
    return plan_attack(case, globs)


def results(job: CaseAttack, **scores: float) -> list[Result]:
    found = []
    for submission in job.gradings:
        score = scores.get(submission.name.replace("/", "_").replace("-", "_"), 0.0)
        found.append(Result.of(job.case, submission.name, decide([check_result(score, "it")], threshold=0.8)))
    return found


def test_nothing_is_graded_first_and_then_each_cheat_that_fits(tmp_path: Path) -> None:
    job = plan(tmp_path, "exit/*")
    assert job.gradings[0].name == NOTHING
    assert {cheat.family for cheat in job.cheats} == {"nothing", "exit"}
    assert job.case.timeout_seconds == 20.0


def test_a_case_in_which_no_cheat_passes_holds(tmp_path: Path) -> None:
    job = plan(tmp_path)
    tried = job.tried(results(job))
    assert outcome_of(tried) is AttackOutcome.FAILED
    assert {attempt.outcome for attempt in tried} == {"failed", "did not fit"}
    assert by_remedy(tried) == {}


def test_a_cheat_that_passes_has_a_remedy(tmp_path: Path) -> None:
    job = plan(tmp_path)
    tried = job.tried(results(job, exit_at_load=1.0, frames_caller=1.0))
    assert outcome_of(tried) is AttackOutcome.PASSED
    assert [attempt.cheat for attempt in tried if attempt.outcome == "passed"] == ["exit/at-load", "frames/caller"]
    assert [[each.cheat for each in found] for found in by_remedy(tried).values()] == [
        ["exit/at-load"],
        ["frames/caller"],
    ]


def test_a_case_that_cannot_be_read_is_not_graded(tmp_path: Path) -> None:
    job = plan(tmp_path)
    job.case.reference.rename(tmp_path / "gone")  # type: ignore[union-attr]
    broken = plan_attack(job.case)
    assert broken.gradings == ()
    (attempt,) = broken.tried([])
    assert attempt.outcome == "error"
    assert outcome_of((attempt,)) is AttackOutcome.NOT_GRADED


def test_the_first_items_of_a_list_are_graded_first(tmp_path: Path) -> None:
    items = "language: python\nexamples: [assert 1, assert 2, assert 3]\nreference_solution: x = 1\n"
    write(tmp_path, {"case.yaml": items})
    job = plan_attack(load(tmp_path).cases[0])
    assert [len(check.items) for check in (*job.first.checks, *job.case.checks)] == [1, 3]  # type: ignore[attr-defined]


def test_where_the_untouched_workspace_may_pass_only_more_than_doing_nothing_is_a_cheat(tmp_path: Path) -> None:
    job = plan(tmp_path)
    job = replace(job, case=replace(job.case, expect_untouched="pass"))
    passing = {"nothing_done": 1.0, "exit_at_load": 1.0}
    assert outcome_of(job.tried(results(job, **passing))) is AttackOutcome.PASSED
    idle = job.tried(results(job, **passing, nothing_stubs=1.0))
    assert {attempt.outcome for attempt in idle} == {"did not fit"}
