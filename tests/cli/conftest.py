"""What the tests of the command line share: the command, the engine, and a way to write cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from running import Ran, start

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine


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
