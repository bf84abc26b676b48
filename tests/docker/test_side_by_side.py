"""Two submissions of one case at the same time: neither sees the other one, nor takes what is its share."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from side_by_side import EXHAUST, HONEST

from gradebox.graders import Grader, Status, load_case
from gradebox.graders.grading.task import Task
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import CheckResult
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.types import Ending

CASE = """
language: python
limits: {memory: 256m, cpus: 0.5, pids: 32, disk: 16m, command_timeout_seconds: 20}
assertions:
  - {name: work, type: code-grader, command: [python3, -I, work.py], required: true}
  - {name: after, type: code-grader, command: [python3, -I, -c, ""], required: true}
"""
SHIPPED = Path(__file__).parents[2] / "cases" / "fix-null-check"
CPUS = 0.5


def graded_together(root: Path) -> dict[str, Result]:
    submissions = {"hostile": EXHAUST, "honest": HONEST}
    (root / "case" / "workspace").mkdir(parents=True)
    (root / "case" / "case.yaml").write_text(CASE)
    for name, text in submissions.items():
        (root / name).mkdir()
        (root / name / "work.py").write_text(text)
    with Grader() as grader:
        case = load_case(root / "case")
        tasks = [Task(case, read_submission(root / name)) for name in submissions]
        return {graded.submission: graded for graded in grader.grade_many(tasks, jobs=2)}


def test_one_that_uses_up_everything_is_not_noticed(tmp_path: Path) -> None:
    graded = graded_together(tmp_path)
    honest, hostile = graded["honest"], graded["hostile"]
    assert honest.outcomes is not None
    assert hostile.outcomes is not None
    (work,) = honest.outcomes.done["work"]
    assert (work.outcome.ending, work.outcome.stdout.text()) == (Ending.EXITED, "")
    assert (honest.verdict.status, honest.verdict.score) == (Status.PASSED, 1.0)
    (attack,) = hostile.outcomes.done["work"]
    assert (hostile.verdict.status, attack.outcome.ending) == (Status.FAILED, Ending.OUT_OF_MEMORY)
    # What counts is the share of each, however busy the machine is: the quota is an upper bound.
    for ran in (work, attack):
        usage = ran.outcome.usage
        assert usage.user_seconds + usage.system_seconds <= CPUS * usage.wall_seconds * 1.5 + 0.5


def what_counts(result: CheckResult) -> tuple[object, ...]:
    return (result.name, result.status, result.score, result.reason, result.tampering)


@pytest.mark.parametrize(
    ("submission", "status"),
    [("reference", Status.PASSED), pytest.param("nothing-done", Status.FAILED, marks=pytest.mark.thorough)],
)
def test_checks_in_another_order_give_the_same_verdict(engine: DockerEngine, submission: str, status: Status) -> None:
    case = load_case(SHIPPED)
    path = SHIPPED / ("reference" if submission == "reference" else f"submissions/{submission}")
    with Grader(engine=engine) as grader:
        orders = list(permutations(case.checks))[::2]
        tasks = [Task(replace(case, checks=order), read_submission(path)) for order in orders]
        verdicts = [graded.verdict for graded in grader.grade_many(tasks, jobs=2)]
    assert len(verdicts) == 3
    assert {(verdict.status, verdict.score) for verdict in verdicts} == {(status, verdicts[0].score)}
    assert len({frozenset(map(what_counts, verdict.checks)) for verdict in verdicts}) == 1
