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
    "asyncio", "concurrent.futures", "docker", "graders.checks.composite", "graders.checks.llm_grader",
    "graders.formats", "graders.grading.grade",
    "graders.model.verdict_document", "graders.reports.terminal", "graders.runners.pytest",
    "graders.runners.test_reports.junit", "graders.targets", "gzip", "jinja2", "jsonschema", "regex", "requests",
    "rich", "structlog", "tomllib",
)  # fmt: skip
PROGRAM = """
import sys
from sandbox.engines import docker
from sandbox.errors import EngineUnavailable

def connect(*_):
    print(*sys.modules)
    raise EngineUnavailable("There is none.")

docker.connect = connect
from graders.cli.main import run
run(sys.argv[1:])
"""


@pytest.mark.parametrize("more", [[], ["--json"], ["--reference"]])
def test_nothing_that_comes_later_is_imported_before_the_engine_is_asked(tmp_path: Path, more: list[str]) -> None:
    case = ROOT / "cases" / "add-auth"
    chosen = more if more == ["--reference"] else ["-s", str(case / "reference"), *more]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "--case", str(case), *chosen, "--runs", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
    )
    imported = set(done.stdout.split())
    assert "graders.cases" in imported
    assert imported & set(LATE) == set()
