"""A composite whose command makes the score: it is told what its members came to."""

from __future__ import annotations

import json
from pathlib import Path

from graders.grader import Grader, load_case
from sandbox.fake_engine import FakeEnd, FakeEngine, FakeRun

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
