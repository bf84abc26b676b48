"""An attack on a case: what is graded, and what became of each cheat."""

from __future__ import annotations

from pathlib import Path

from evidence_bench import result as check_result
from grading_bench import write

from graders.authoring.attack.attempts import NOTHING, AttackOutcome, CaseAttack, plan_attack
from graders.cases import load
from graders.model.result import Result
from graders.model.verdict import decide

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
    attempts = job.attempts(results(job))
    assert job.outcome(attempts) is AttackOutcome.FAILED
    assert {attempt.outcome for attempt in attempts} == {"failed", "did not fit"}
    assert job.remedies(attempts) == {}


def test_a_cheat_that_passes_has_a_remedy(tmp_path: Path) -> None:
    job = plan(tmp_path)
    attempts = job.attempts(results(job, exit_at_load=1.0, frames_caller=1.0))
    assert job.outcome(attempts) is AttackOutcome.PASSED
    assert [attempt.cheat for attempt in attempts if attempt.outcome == "passed"] == ["exit/at-load", "frames/caller"]
    assert sorted(job.remedies(attempts).values()) == [["exit/at-load"], ["frames/caller"]]


def test_a_case_that_cannot_be_read_is_not_graded(tmp_path: Path) -> None:
    job = plan(tmp_path)
    job.case.reference.rename(tmp_path / "gone")  # type: ignore[union-attr]
    broken = plan_attack(job.case)
    assert broken.gradings == ()
    (attempt,) = broken.attempts([])
    assert attempt.outcome == "error"
    assert broken.outcome((attempt,)) is AttackOutcome.NOT_GRADED
