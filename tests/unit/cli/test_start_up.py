"""What `grade` imports before its first request to the engine: nothing that only later work needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# Reports, schemas, patterns, logs and the judging of a grading: needed after the engine has answered, or never.
LATE = (
    "asyncio", "concurrent.futures", "docker", "gradebox.graders.checks.composite",
    "gradebox.graders.checks.llm_grader", "gradebox.graders.formats", "gradebox.graders.grading.grade",
    "gradebox.graders.model.verdict_document", "gradebox.graders.reports.terminal", "gradebox.graders.runners.pytest",
    "gradebox.graders.runners.test_reports.junit", "gradebox.graders.targets", "gzip", "jinja2", "jsonschema", "regex",
    "requests", "rich", "structlog", "tomllib",
)  # fmt: skip
PROGRAM = """
import sys
from gradebox.sandbox.engines import docker
from gradebox.sandbox.errors import EngineUnavailable

def connect(*_):
    print(*sys.modules)
    raise EngineUnavailable("There is none.")

docker.connect = connect
from gradebox.graders.cli.main import run
run(sys.argv[1:])
"""


@pytest.mark.parametrize("more", [[], ["--json"], ["--reference"]])
def test_nothing_that_comes_later_is_imported_before_the_engine_is_asked(tmp_path: Path, more: list[str]) -> None:
    case = ROOT / "cases" / "add-auth"
    chosen = more if more == ["--reference"] else ["-s", str(case / "reference"), *more]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "--case", str(case), *chosen, "--runs", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT / ".ci" / "package")},
        check=True,
        capture_output=True,
        text=True,
    )
    imported = set(done.stdout.split())
    assert "gradebox.graders.cases" in imported
    assert imported & set(LATE) == set()
