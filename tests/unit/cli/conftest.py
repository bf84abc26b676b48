"""A command line in one process, with a scripted engine behind it."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Grade, Ran
from fake_engine import FakeEnd, FakeEngine, FakeRun
from grading_bench import FAIL, PASS, Watch

from gradebox.graders.cli.main import run
from gradebox.sandbox.engines import docker


def look(run: FakeRun) -> FakeEnd:
    return PASS if run.files.get("answer") == b"right" else FAIL


@pytest.fixture
def watch() -> Watch:
    return Watch({"look": look, "fail": FAIL})


@pytest.fixture
def engine(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    engine = FakeEngine(watch)
    monkeypatch.setattr(docker, "connect", lambda *_: engine)
    return engine


@pytest.fixture
def grade(
    engine: FakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Grade:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*arguments: str) -> Ran:
        code = run(list(arguments))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("an engine was asked")

    monkeypatch.setattr(docker, "connect", refuse)
