"""Runs the installed ``grade`` command against the real engine, as a person would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from sandbox import hardening
from sandbox.docker_engine import DockerEngine
from sandbox.engine import Leftover

GRADE = Path(sys.executable).with_name("grade")


class Ran(NamedTuple):
    """What a finished ``grade`` left."""

    code: int
    stdout: str
    stderr: str


def start(*arguments: object, cwd: Path, **environment: str) -> subprocess.Popen[str]:
    """Start ``grade`` without waiting for it."""
    return subprocess.Popen(
        [GRADE, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "120", "NO_COLOR": "1", **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def grade(tmp_path: Path) -> Callable[..., Ran]:
    def run(*arguments: object, **environment: str) -> Ran:
        process = start(*arguments, cwd=tmp_path, **environment)
        stdout, stderr = process.communicate(timeout=240)
        return Ran(process.returncode, stdout, stderr)

    return run


@pytest.fixture(scope="session")
def engine() -> Iterator[DockerEngine]:
    engine = DockerEngine()
    yield engine
    engine.close()


def sandboxes(engine: DockerEngine, owner: int) -> list[Leftover]:
    """Return the containers on the engine that a process of this machine owns."""
    return [
        found
        for found in engine.leftovers()
        if found.kind == "container" and found.labels.get(hardening.LABEL_OWNER, "").split(":")[1:2] == [str(owner)]
    ]


@pytest.fixture
def make_case(tmp_path: Path) -> Callable[..., Path]:
    """Write a case directory from its text and its files."""

    def write(text: str, **files: str) -> Path:
        directory = tmp_path / "case"
        directory.mkdir()
        (directory / "case.yaml").write_text(text)
        for name, content in files.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return directory

    return write
