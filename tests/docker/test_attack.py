"""Canned cheats against ordinary ways to write a case: those pass that must, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from grading_bench import write
from ways_of_grading import WAYS, Way

from gradebox.graders.authoring.attack.attempts import plan_attack
from gradebox.graders.authoring.case_quality import CheckedCase, find_cheats
from gradebox.graders.authoring.quality_gradings import Quality
from gradebox.graders.cases import load
from gradebox.graders.grading.grader import Grader
from gradebox.graders.model.verdict import Status
from gradebox.graders.submissions.source import read_reference
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

# One of each kind; `make thorough` tries all of them.
OFTEN = {"python-items", "python-items-apart", "asking-apart", "some-words", "bash-items"}


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


BASKET = """class Basket:
    def __init__(self, prices):
        self.prices = prices

    def total(self):
        return sum(self.prices)
"""
NEAR = """from basket import Basket


def test_near():
    assert abs(Basket([3, 4.5]).total() - 7.5) < 1e-9
    assert Basket([1, 2]).total() > 2
"""


@pytest.mark.parametrize(
    ("isolation", "reference", "outcome"),
    [("in-process", BASKET, "passed"), ("apart", "", "passed"), ("apart", BASKET, "failed")],
)
def test_a_class_whose_operators_agree_passes_what_lets_it_decide(
    engine: DockerEngine, tmp_path: Path, isolation: str, reference: str, outcome: str
) -> None:
    tests, place = ("grading", "") if isolation == "apart" else ("tests", "workspace/")
    checks = f"assertions: [{{type: code-grader, name: judge, command: python3 -m pytest -q {tests}}}]"
    write(
        tmp_path,
        {
            "case.yaml": f"input: x\nisolation: {isolation}\n{checks}\n",
            "workspace/basket.py": "class Basket:\n    pass\n",
            f"{place}{tests}/test_basket.py": NEAR,
            **({"reference/basket.py": reference} if reference else {}),
        },
    )
    (case,) = load(tmp_path).cases
    with Grader(engine=engine) as grader:
        tried = plan_attack(case, ["equal/class"]).carried_out(grader, jobs=2)
    assert tried is not None
    (cheat,) = [each for each in tried if each.cheat == "equal/class"]
    assert cheat.outcome == outcome, cheat
    assert all("compare data" in each for each in cheat.remedies if isolation == "apart")
