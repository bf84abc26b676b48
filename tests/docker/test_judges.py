"""A program that judges words, in a sandbox of its own on a real engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders import Grader
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

CASE = """\
image: gradebox/base
judge: {provider: command, command: [python3, tools/judge.py]}
assertions:
  - It rhymes.
  - {type: rubrics, rubrics: [{id: kind, outcome: It is kind., required: true}]}
"""
# It says what it sees of the case and of the submission beside the question.
JUDGE = """\
import json, os, sys
question = json.load(sys.stdin)
seen = sorted(os.path.join(place, name) for place, _, names in os.walk(".") for name in names)
checks = [{"id": one["id"], "reasoning": "It is.", "satisfied": True} for one in question["criteria"]]
free = {"reasoning": f"{seen} {os.getuid() >= 10000}", "score": 0.9}
print(json.dumps({"checks": checks} if checks else free))
"""


def graded(engine: DockerEngine, root: Path, judge: str) -> Result:
    for name, text in {"case.yaml": CASE, "grading/secret": "x", "tools/judge.py": judge}.items():
        (root / "c" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "c" / name).write_text(text)
    with Grader(engine=engine) as grader:
        return grader.grade(root / "c", answer="Autumn leaves,\nnobody grieves.\n")


def test_a_program_judges_and_sees_nothing_but_the_question(engine: DockerEngine, tmp_path: Path) -> None:
    found = graded(engine, tmp_path, JUDGE)
    assert [(check.status, check.score) for check in found.verdict.checks] == [
        (Status.PASSED, 0.9),
        (Status.PASSED, 1.0),
    ]
    assert found.verdict.checks[0].reason == "['./tools/judge.py'] True"


def test_a_program_that_fails_makes_an_error(engine: DockerEngine, tmp_path: Path) -> None:
    found = graded(engine, tmp_path, "raise SystemExit('out of paper')")
    assert found.verdict.status is Status.ERROR
    assert "the judge command failed: it ended with exit status 1: out of paper" in found.verdict.reasons[0]


@pytest.mark.parametrize(("convert", "status"), [("tr a-z A-Z", Status.PASSED), ("exit 3", Status.ERROR)])
def test_a_judge_reads_the_text_that_a_command_made_of_a_file(
    engine: DockerEngine, tmp_path: Path, convert: str, status: Status
) -> None:
    files = {
        "case.yaml": """
image: gradebox/base
judge: {provider: command, command: [python3, tools/judge.py]}
preprocessors: [{type: sheet, command: [sh, tools/text.sh]}]
input: [{role: user, content: [{type: file, value: a.sheet}, {type: text, value: Sum it up.}]}]
assertions: [It is right.]
""",
        "a.sheet": "one two",
        "tools/text.sh": f"cat .inputs/a.sheet | {{ {convert}; }}",
        "tools/judge.py": """
import json, sys
asked = sys.stdin.read()
print(json.dumps({"reasoning": asked[:2000], "score": float("ONE TWO" in asked and "one two" not in asked)}))
""",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    with Grader(engine=engine) as grader:
        (check,) = grader.grade(tmp_path, answer="4").verdict.checks
    assert check.status is status, check.reason
    assert ("text of a.sheet was not made: exit status 3" in check.reason) == (status is Status.ERROR)
