"""What the commands do with what was asked: which submissions, which order, which exit code, which plan."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from fake_engine import FakeEngine
from grading_bench import FAIL, PASS, write

from graders.cli.commands.grade import exit_code
from graders.cli.main import run
from graders.errors import ExitCode
from graders.model.result import Result
from graders.model.verdict import Status, decide
from graders.runs.statistics import Totals
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
    evidence = sorted(path.name for path in Path("runs").glob("*/evidence/one/*"))
    assert evidence == ["other", "x%2Fwork", "y%2Fwork"]


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


@pytest.mark.parametrize(
    ("statuses", "broken", "code"),
    [
        ([], False, ExitCode.NOTHING_SELECTED),
        ([], True, ExitCode.NOT_GRADED),
        (["passed"], False, ExitCode.PASSED),
        (["passed", "failed"], False, ExitCode.FAILED),
        (["failed", "error", "passed"], False, ExitCode.NOT_GRADED),
        (["passed"], True, ExitCode.NOT_GRADED),
        (["failed"], True, ExitCode.NOT_GRADED),
    ],
)
def test_exit_code(statuses: list[str], code: ExitCode, *, broken: bool) -> None:
    results = [replace(GRADED, verdict=replace(GRADED.verdict, status=Status(status))) for status in statuses]
    assert exit_code(Totals.of(results), broken=broken) is code


PLANNED = """\
image: image
language: bash
timeout_seconds: 20
limits: {memory: 256m, pids: 32}
setup: make
protect: ["*.txt"]
assertions:
  - {name: login, type: code-grader, command: ["pytest", "grading/test_login.py"], control: ["sh", "ctl.sh"]}
unit_tests: ["true", "false"]
"""


def plan(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["plan", *arguments])
    return (code, *capsys.readouterr())


def test_a_plan_shows_what_would_run_with_what_and_what_is_put_back(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    text = PLANNED.replace("timeout_seconds: 20", "execution: {timeout_seconds: 20}")
    files = {"case.yaml": text, "workspace/rules.txt": "", "grading/test_login.py": "", "grading/x": "", "ctl.sh": ""}
    write(Path("one"), files)
    code, out, err = plan(capsys, "one")
    assert (code, err) == (0, "")
    for said in (
        "one in image",
        "memory 256 MiB",
        "processes 32",
        "20 s in all",
        "put back before every stage: rules.txt",
        "setup: sh -c make",
        "check: pytest grading/test_login.py",
        "control: sh ctl.sh",
        "delivered: ctl.sh",
        "delivered: grading/",
        "2 items",
    ):
        assert said in out
    assert engine.created == []


def test_a_plan_shows_characters_of_a_name_and_markup_as_they_are_written(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    item = '{type: code-grader, name: "[bold]x[/]", command: ["a", "\\e[31m", "\\u202e", "[/]"]}'
    write(Path("one"), {"case.yaml": f"image: image\nassertions: [{item}]\n"})
    code, out, _ = plan(capsys, "one")
    assert code == 0
    assert "[bold]x[/]" in out
    assert "\\x1b[31m" in out
    assert "\u202e" not in out
    assert "\x1b" not in out


def test_a_plan_of_a_diff_that_does_not_apply_says_so(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.diff").write_text("--- a/missing\n+++ b/missing\n@@ -1 +1 @@\n-a\n+b\n")
    code, out, err = plan(capsys, "one", "-s", "bad.diff")
    assert code == 0
    assert "check: check" in out
    assert "does not apply" in err


def test_a_plan_of_several_cases_shows_those_that_are_whole_and_fails_for_those_that_are_not(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    write(Path(), {"all/good/case.yaml": CHECK, "all/bad/case.yaml": "limmits: {}\n"})
    code, out, err = plan(capsys, "all")
    assert code == ExitCode.NOT_GRADED
    assert "good in " in out
    assert f"{os.sep}bad{os.sep}case.yaml:1:1: error" in err
