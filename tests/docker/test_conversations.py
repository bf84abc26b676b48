"""Conversations on a real engine: the grader of a turn reads the answer to that turn, and what was said before it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.usefixtures("engine"), pytest.mark.timeout(300)]

GRADER = """\
import json, sys
read = json.load(sys.stdin)
said = [message["content"] for message in read["input"]]
print(json.dumps({"score": float([*said, read["output"]] == read["config"]["wanted"])}))
"""
CASE = {
    "id": "sums",
    "language": "python",
    "aggregation": "min",
    "turns": [
        {
            "input": "15% of 200?",
            "assertions": [
                {
                    "type": "code-grader",
                    "protocol": "json",
                    "command": ["python3", "grader.py"],
                    "config": {"wanted": ["15% of 200?", "30"]},
                }
            ],
        },
        {
            "input": "Double it.",
            "assertions": [
                {
                    "type": "code-grader",
                    "protocol": "json",
                    "command": ["python3", "grader.py"],
                    "config": {"wanted": ["15% of 200?", "30", "Double it.", "60"]},
                }
            ],
        },
    ],
}


@pytest.mark.parametrize(("last", "scores"), [("60", [1.0, 1.0]), ("61", [1.0, 0.0])])
def test_the_grader_of_a_turn_reads_that_turn(tmp_path: Path, last: str, scores: list[float]) -> None:
    (tmp_path / "cases.json").write_text(json.dumps([CASE]))
    (tmp_path / "grader.py").write_text(GRADER)
    said = (("user", "15% of 200?"), ("assistant", "30"), ("user", "Double it."), ("assistant", last))
    lines = (json.dumps({"role": role, "content": content}) for role, content in said)
    (tmp_path / "gpt.jsonl").write_text("\n".join(lines))
    ran = subprocess.run(
        [Path(sys.executable).with_name("grade"), "--case", "cases.json", "-s", "gpt.jsonl", "--json"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    found = json.loads(ran.stdout)
    assert [(check["name"], check["score"]) for check in found["checks"]] == [
        (f"turn-{number}", score) for number, score in enumerate(scores, 1)
    ], ran.stdout + ran.stderr
    assert (found["score"], found["verdict"]) == (min(scores), "passed" if min(scores) else "failed")
