"""A submission decides neither where a command of the case runs nor which file of the case it names by `..`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from grading_bench import write

from gradebox.graders import Grader, load_case
from gradebox.graders.model.verdict import Status
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

JUDGE = """import shutil, subprocess
run = ["python3", "/workspace/backend/app.py"]
run[:0] = ["candidate"] if shutil.which("candidate") else []
assert subprocess.run(run, capture_output=True).stdout == b"5\\n"
"""
APP = "print(5)\n"
# Each judges the same program: `grading/judge.py` if the case decides, `a/grading/judge.py` if the submission does.
CHECKS: dict[str, dict[str, Any]] = {
    "in a directory": {"type": "code-grader", "command": ["python3", "../grading/judge.py"], "cwd": "backend"},
    "in a line": {"type": "code-grader", "command": "cd backend && python3 ../grading/judge.py"},
    "in bash": {"type": "code-grader", "command": ["bash", "../grading/judge.sh"], "cwd": "backend"},
    "by a checker": {
        "type": "io", "cwd": "backend", "run": ["python3", "app.py"], "tests": [{"stdin": "", "stdout": "5"}],
        "checker": ["python3", "../grading/checker.py"],
    },
    "in an item": {
        "type": "unit-tests", "language": "python", "cwd": "backend",
        "items": ["import json; from app import five; assert five() == json.load(open('../five.json'))"],
    },
}  # fmt: skip
GRADING = {
    "grading/judge.py": JUDGE,
    "grading/judge.sh": '[ "$($(command -v candidate) python3 /workspace/backend/app.py)" = 5 ]',
    "grading/checker.py": "import sys; sys.exit(42 if sys.stdin.read().strip() == '5' else 43)",
    "workspace/five.json": "5",
}
HONEST = {"backend/app.py": f"def five(): return 5\n{APP}"}
# What the submission has in place of the case's files. It solves nothing.
FORGED = {
    "a/b/app.py": "def five(): return 0\nprint(0)\n", "a/grading/judge.py": "", "a/grading/judge.sh": "",
    "a/grading/checker.py": "", "a/five.json": "0",
}  # fmt: skip


def case_of(directory: Path, isolation: str) -> Path:
    checks = [{"name": name, **check} for name, check in CHECKS.items()]
    case = {"input": "x", "language": "python", "isolation": isolation, "assertions": checks}
    files = {"case.yaml": json.dumps(case), "workspace/backend/README": "x", **GRADING}
    write(directory, files | {f"reference/{path}": text for path, text in HONEST.items()})
    return directory


@pytest.mark.parametrize("isolation", ["apart", "in-process"])
def test_no_link_leads_a_command_to_other_files(engine: DockerEngine, tmp_path: Path, isolation: str) -> None:
    case = load_case(case_of(tmp_path / "case", isolation))
    write(tmp_path / "honest", HONEST)
    write(tmp_path / "forged", FORGED)
    (tmp_path / "forged" / "backend").symlink_to("a/b")
    with Grader(engine=engine) as grader:
        honest = grader.grade(case, read_submission(tmp_path / "honest")).verdict
        forged = grader.grade(case, read_submission(tmp_path / "forged")).verdict
    assert honest.status is Status.PASSED, honest.reasons
    assert {check.name: check.score for check in forged.checks} == dict.fromkeys(CHECKS, 0.0), forged.checks


def test_a_link_of_the_case_is_followed(engine: DockerEngine, tmp_path: Path) -> None:
    case_of(tmp_path / "case", "apart")
    (tmp_path / "case/workspace/backend").rename(tmp_path / "case/workspace/src")
    (tmp_path / "case/workspace/backend").symlink_to("src")
    write(tmp_path / "work", {path.replace("backend", "src"): text for path, text in HONEST.items()})
    with Grader(engine=engine) as grader:
        verdict = grader.grade(load_case(tmp_path / "case"), read_submission(tmp_path / "work")).verdict
    assert verdict.status is Status.PASSED, verdict.reasons
