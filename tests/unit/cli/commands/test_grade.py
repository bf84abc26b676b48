"""What the commands do with what was asked: which submissions, which order, which exit code, which plan."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from fake_engine import FakeEngine
from grading_bench import FAIL, PASS, write
from unpacked import unpacked

from graders.cli.main import run
from graders.errors import ExitCode
from graders.model.result import Result
from graders.model.verdict import decide
from sandbox.engines import docker
from sandbox.engines.engine import EngineInfo

CHECK = 'assertions: [{type: code-grader, command: ["check"]}]\n'
DIFF = b"--- /dev/null\n+++ b/answer\n@@ -0,0 +1 @@\n+right\n"
GRADED = Result("0", "case", "work", decide([], threshold=0.8), datetime(2026, 1, 31, tzinfo=UTC))


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeEngine:
    engine = FakeEngine(lambda run: PASS if run.files.get("answer") == b"right\n" else FAIL)
    monkeypatch.setattr(docker, "connect", lambda *_: engine)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    for name in ("one", "two"):
        write(tmp_path, {f"{name}/case.yaml": f"image: image\n{CHECK}"})
    return engine


Lines = Callable[..., list[tuple[str, str, str]]]


@pytest.fixture
def graded(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> Lines:
    """Run a command line; return case, submission and verdict of each line on stdout."""

    def call(*arguments: str) -> list[tuple[str, str, str]]:
        run([*arguments, "--json", "--quiet"])
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        return [(line["case"], line["submission"], line["verdict"]) for line in lines]

    return call


def test_every_case_is_graded_with_every_submission_in_the_order_in_which_they_were_named(graded: Lines) -> None:
    write(Path(), {"b/answer": "right\n", "a/answer": ""})
    assert graded("-c", "two", "-c", "one", "-s", "b", "-s", "a", "-j", "4") == [
        ("two", "b", "passed"),
        ("two", "a", "failed"),
        ("one", "b", "passed"),
        ("one", "a", "failed"),
    ]


def test_submissions_of_one_name_are_told_apart_by_their_paths(graded: Lines) -> None:
    write(Path(), {"x/work/answer": "right\n", "y/work/answer": "", "other/answer": "right\n"})
    assert graded("-c", "one", "-s", "x/work", "-s", "y/work", "-s", "other") == [
        ("one", "x/work", "passed"),
        ("one", "y/work", "failed"),
        ("one", "other", "passed"),
    ]
    (directory,) = Path("runs").glob("[!.]*")
    assert sorted(path.name for path in (unpacked(directory) / "one").iterdir()) == ["other", "x%2Fwork", "y%2Fwork"]


@pytest.mark.parametrize("beside", [[], ["-s", "x/work", "-s", "y/work"], ["-s", "x/stdin"]])
def test_standard_input_is_read_once_for_all_cases_and_whatever_the_others_are_called(
    graded: Lines, monkeypatch: pytest.MonkeyPatch, beside: list[str]
) -> None:
    write(Path(), {"x/work/answer": "right\n", "y/work/answer": "right\n", "x/stdin/answer": "right\n"})
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(DIFF)))
    found = graded("-c", "one", "-c", "two", "-s", "-", *beside)
    assert len(found) == 2 * (1 + len(beside) // 2)
    assert {verdict for _, _, verdict in found} == {"passed"}
    assert len(set(found)) == len(found)
    assert {("one", "stdin", "passed"), ("two", "stdin", "passed")} <= set(found)


def test_the_reference_is_graded_under_that_name(graded: Lines) -> None:
    write(Path("one"), {"reference/answer": "right\n"})
    assert graded("-c", "one", "--reference") == [("one", "reference", "passed")]
    assert graded("-c", "one", "-c", "two", "--reference") == []


def test_a_case_that_is_named_twice_is_graded_once(graded: Lines) -> None:
    assert len(graded("-c", "one", "-c", "one")) == 1


def test_each_target_has_a_verdict_of_its_own(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    write(Path(), {"one/case.yaml": f"image: image\n{CHECK}execution: {{targets: [first, second]}}\n"})
    run(["-c", "one", "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["target"] for line in lines] == ["first", "second"]


def test_the_run_directory_says_what_was_asked(graded: Lines) -> None:
    write(Path(), {"work/answer": ""})
    graded("-c", "one", "-s", "work", "--runs", "kept")
    (directory,) = Path("kept").iterdir()
    record = json.loads((directory / "run.json").read_text())
    assert record["id"] == directory.name
    # Absolute, so that the run can be continued from anywhere.
    asked = record["asked"]
    assert (asked["cases"], asked["submissions"]) == ([str(Path("one").absolute())], [str(Path("work").absolute())])


def test_a_runtime_that_the_engine_lacks_is_refused_before_anything_is_run(
    engine: FakeEngine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    info = replace(engine.info(), runtimes=("runc",))
    monkeypatch.setattr(FakeEngine, "info", lambda _: info)
    assert run(["-c", "one", "--runtime", "runsc"]) == ExitCode.USAGE
    assert "no runtime runsc" in capsys.readouterr().err
    assert engine.created == []
    assert run(["-c", "one", "--runtime", "runc", "-q"]) == ExitCode.FAILED
    assert engine.created[0].runtime == "runc"
    assert isinstance(info, EngineInfo)
