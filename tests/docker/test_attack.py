"""Canned cheats against ordinary ways to write a case: those pass that must, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from ways_of_grading import WAYS, Way

from graders.authoring.attack.attempts import plan_attack
from graders.authoring.case_quality import CheckedCase, find_cheats
from graders.authoring.quality_gradings import Quality
from graders.cases import load
from graders.grading.grader import Grader
from graders.model.verdict import Status
from graders.submissions.source import read_reference
from sandbox.engines.docker.docker_engine import DockerEngine

# One of each kind; `make thorough` tries all of them.
OFTEN = {
    "python-items",
    "python-items-apart",
    "importing-script",
    "asking-apart",
    "some-words",
    "bash-items",
    "reward-file",
}


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "way", [pytest.param(way, id=way.name, marks=() if way.name in OFTEN else pytest.mark.thorough) for way in WAYS]
)
def test_cheats_pass_where_they_must_and_nowhere_else(way: Way, engine: DockerEngine, tmp_path: Path) -> None:
    (case,) = load(way.write(tmp_path)).cases
    job = plan_attack(case)
    with Grader(engine=engine) as grader:
        honest = grader.grade(case, read_reference(case))
        tried = job.carried_out(grader, jobs=2)
    assert tried is not None
    assert honest.verdict.status is Status.PASSED, honest.verdict.reasons
    assert [(each.cheat, each.reason) for each in tried if each.outcome == "error"] == []
    passed = {each.cheat.partition("/")[0] for each in tried if each.outcome == "passed"}
    assert passed == set(way.passes)
    quality = CheckedCase(case, (), tuple(find_cheats(tried)), tried).quality
    assert quality is (Quality.CHEATED if way.passes else Quality.PROVEN)
    assert all(each.remedies for each in tried if each.outcome == "passed")
