"""A composite whose command makes the score: it is told what its members came to."""

from __future__ import annotations

import json
from pathlib import Path

from fake_engine import FakeEnd, FakeEngine, FakeRun

from gradebox.graders import Grader, load_case

CASE = """
image: image
assertions:
  - type: composite
    name: both
    aggregator: {type: code-grader, command: [aggregate]}
    assertions:
      - {type: code-grader, name: good, command: [good], weight: 3}
      - {type: code-grader, name: bad, command: [bad]}
"""


def test_the_command_gets_the_members_results_and_the_case(tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text(CASE)
    told: list[dict[str, object]] = []

    def script(run: FakeRun) -> FakeEnd:
        if run.argv == ("aggregate",):
            told.append(json.loads(run.stdin))
            return FakeEnd(stdout=b'{"score": 0.25}')
        return FakeEnd(exit_code=int(run.argv == ("bad",)))

    with Grader(engine=FakeEngine(script)) as grader:
        graded = grader.grade(load_case(tmp_path))
    (seen,) = told
    results = seen["results"]
    assert isinstance(results, dict)
    assert {name: (found["score"], found["weight"]) for name, found in results.items()} == {
        "good": (1.0, 3.0),
        "bad": (0.0, 1.0),
    }
    assert seen["id"] == tmp_path.name
    assert graded.verdict.score == 0.25


REFERRING = """
image: image
assertions:
  - type: composite
    name: outer
    assertions:
      - type: composite
        name: inner
        aggregator: {type: code-grader, command: [aggregate]}
        assertions:
          - {type: code-grader, name: own, command: [own]}
          - {type: check, check: judged, name: theirs}
      - {type: code-grader, name: sibling, command: [sibling]}
  - type: composite
    name: first
    aggregator: {type: code-grader, command: [aggregate]}
    assertions:
      - {type: check, check: quality, name: its quality, weight: 2, negate: true}
      - {type: check, check: judged, name: judged}
  - type: rubrics
    name: quality
    rubrics:
      - {outcome: It passes., id: passes, check: half}
  - {type: code-grader, name: unrelated, command: [unrelated]}
  - {type: code-grader, name: half, command: [half], protocol: json}
  - {type: code-grader, name: judged, command: [judged]}
"""


def test_members_that_are_other_checks_are_judged_before_the_command_is_told(tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text(REFERRING)
    told: list[dict[str, tuple[object, object]]] = []
    ran: list[str] = []

    def script(run: FakeRun) -> FakeEnd:
        ran.append(run.argv[0])
        if run.argv == ("aggregate",):
            results = json.loads(run.stdin)["results"]
            told.append({name: (found["verdict"], found["score"]) for name, found in results.items()})
            return FakeEnd(stdout=b'{"score": 0.75}')
        if run.argv == ("half",):
            return FakeEnd(stdout=b'{"score": 0.25}')
        return FakeEnd(exit_code=int(run.argv == ("judged",)))

    with Grader(engine=FakeEngine(script)) as grader:
        graded = grader.grade(load_case(tmp_path))
    # What is named runs before what names it, and the verdict lists the checks as the case does all the same.
    assert ran == ["unrelated", "half", "judged", "own", "aggregate", "sibling", "aggregate"]
    assert told == [
        {"own": ("passed", 1.0), "theirs": ("failed", 0.0)},
        {"its quality": ("failed", 0.75), "judged": ("failed", 0.0)},
    ]
    checks = graded.verdict.checks
    assert [check.name for check in checks] == ["outer", "first", "quality", "unrelated", "half", "judged"]
    assert [check.score for check in checks] == [0.875, 0.75, 0.25, 1.0, 0.25, 0.0]
