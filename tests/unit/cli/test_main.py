"""The command line in one process, against the scripted engine: exit codes and streams."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fake_engine import FakeEnd, FakeEngine, FakeRun
from grading_bench import FAIL, PASS, write

from gradebox.graders.cli import main as cli
from gradebox.graders.cli.commands import grade as commands
from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode, Interrupted, OutputLost, ReaderGone
from gradebox.graders.grading.internal_error import write_bug_report
from gradebox.sandbox.engines import docker
from gradebox.sandbox.engines.engine import EngineInfo
from gradebox.sandbox.errors import EngineUnavailable
from gradebox.sandbox.session import Sandbox

CHECK = 'assertions: [{type: code-grader, command: ["check"]}]\n'


class Ran(NamedTuple):
    """What a command line left."""

    code: int
    out: str
    err: str


Grade = Callable[..., Ran]


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    def script(run: FakeRun) -> FakeEnd:
        answer = run.files.get("answer", b"")
        return FakeEnd(lost=True) if answer == b"lose" else PASS if answer == b"right" else FAIL

    engine = FakeEngine(script)
    monkeypatch.setattr(docker, "connect", lambda *_: engine)
    return engine


@pytest.fixture
def grade(
    tmp_path: Path, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Grade:
    """Run a command line beside a case called `case` and the submissions `right`, `wrong` and `lost`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    write(tmp_path, {"case/case.yaml": f"image: image\n{CHECK}", "right/answer": "right"})
    write(tmp_path, {"wrong/answer": "wrong", "lost/answer": "lose", "case/reference/answer": "right"})

    def call(*arguments: object) -> Ran:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        assert engine.open_containers == ()
        return Ran(code, *capsys.readouterr())

    return call


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["-s", "right"], ExitCode.PASSED),
        (["--reference"], ExitCode.PASSED),
        (["-s", "wrong"], ExitCode.FAILED),
        ([], ExitCode.FAILED),
        (["-s", "right", "-s", "wrong"], ExitCode.FAILED),
        (["-s", "lost"], ExitCode.NOT_GRADED),
        (["-s", "wrong", "-s", "lost", "-s", "right"], ExitCode.NOT_GRADED),
        (["-s", "right", "-k", "other"], ExitCode.NOTHING_SELECTED),
        (["-s", "wrong", "--exit-zero"], ExitCode.PASSED),
        (["-s", "lost", "--exit-zero"], ExitCode.PASSED),
    ],
)
def test_the_exit_code_is_that_of_the_verdicts(grade: Grade, arguments: list[str], code: ExitCode) -> None:
    assert grade("-c", "case", *arguments).code == code


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Name a case with --case."),
        (["--cse", "case"], "--case"),
        (["docter"], "Did you mean `doctor`?"),
        (["images", "biuld"], "Did you mean `build`?"),
        (["--case"], "requires an argument"),
        (["-c", "case", "-j", "0"], "--jobs"),
        (["-c", "case", "-j", "many"], "--jobs"),
        (["-c", "case", "--reference", "-s", "right"], "cannot be combined"),
        (["-c", "nowhere"], "nowhere: error: does not exist"),
        (["-c", "case", "-s", "nowhere"], "nowhere cannot be read: No such file or directory"),
        (["-c", "case", "-s", ""], "--submission is empty"),
        (["-c", "case", "-s", "right", "-s", "right"], "named twice"),
        (["-c", "case", "-s", "-", "-s", "-"], "named twice"),
        (["-c", "case", "-s", "right", "--runs", "right/answer"], "--runs"),
        (["plan", "nowhere"], "nowhere"),
        (["--host", "oci://runc", "-q", "doctor"], "--host, --quiet before `doctor` would have no effect"),
        (["plan", "case", "-s", "nowhere"], "nowhere"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_on_stderr_with_exit_code_2_and_nothing_is_run(
    grade: Grade, engine: FakeEngine, arguments: list[str], said: str
) -> None:
    ran = grade(*arguments)
    assert ran.code == ExitCode.USAGE
    assert said in ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert engine.created == []


def test_a_case_with_a_mistake_is_told_with_its_place(grade: Grade) -> None:
    Path("case/case.yaml").write_text(f"image: image\n{CHECK}limmits: {{}}\n")
    ran = grade("-c", "case")
    assert ran.code == ExitCode.USAGE
    assert "case/case.yaml:3:1: error: " in ran.err
    assert "Did you mean `limits`?" in ran.err


def test_what_can_be_graded_beside_a_broken_case_is_graded_and_the_exit_code_says_so(grade: Grade) -> None:
    write(Path(), {"broken/case.yaml": "limmits: {}\n"})
    for broken in ("broken", "nowhere"):
        ran = grade("-c", "case", "-c", broken, "-s", "right")
        assert ran.code == ExitCode.NOT_GRADED
        assert "PASSED  case  right" in ran.out


def test_no_engine_is_told_with_its_remedy(grade: Grade, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    def info(_: FakeEngine) -> EngineInfo:
        raise EngineUnavailable("It does not answer.", remedy="Start it.")

    monkeypatch.setattr(FakeEngine, "info", info)
    ran = grade("-c", "case")
    assert (ran.code, ran.out, ran.err) == (ExitCode.NOT_GRADED, "", "grade: It does not answer.\n  Start it.\n")
    assert not Path("runs").exists()


def test_json_lines_are_alone_on_stdout(grade: Grade) -> None:
    ran = grade("-c", "case", "-s", "right", "-s", "wrong", "--json")
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [(line["submission"], line["verdict"]) for line in lines] == [("right", "passed"), ("wrong", "failed")]
    assert "1 passed  1 failed" in ran.err
    (directory,) = Path("runs").iterdir()
    assert (directory / "results.jsonl").read_text() == ran.out
    assert f"run directory: {directory}" in ran.err.replace("\n", "")


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_a_reader_that_is_gone_ends_the_run_which_keeps_what_was_graded(
    grade: Grade, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch, extra: list[str]
) -> None:
    class Gone(io.StringIO):
        def write(self, _: str) -> int:
            raise ReaderGone

    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", Gone())
        with pytest.raises(ReaderGone):
            grade("-c", "case", "-s", "right", "-s", "wrong", "-s", "lost", "-j", "1", *extra)
    assert engine.open_containers == ()
    (directory,) = Path("runs").iterdir()
    assert '"submission":"right"' in (directory / "results.jsonl").read_text()
    assert grade("--resume", directory).code == ExitCode.NOT_GRADED


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_quiet_says_nothing_but_verdicts(grade: Grade, extra: list[str]) -> None:
    ran = grade("-c", "case", "-s", "right", "--quiet", *extra)
    assert ran.err == ""
    assert ran.out.count("\n") >= 1


def test_a_profile_without_its_runtime_is_one_warning_or_a_refusal(grade: Grade) -> None:
    ran = grade("-c", "case", "-s", "right", "-s", "wrong", "--profile", "strict", "--quiet")
    assert ran.code == ExitCode.FAILED
    assert ran.err.count("warning: The profile strict is for gVisor, which was not used") == 1
    ran = grade("-c", "case", "-s", "right", "--profile", "strict!", "--runs", "other")
    assert (ran.code, ran.out) == (ExitCode.USAGE, "")
    assert "The profile strict! requires gVisor" in ran.err
    assert not Path("other").exists()


def test_a_report_for_people_is_on_stdout(grade: Grade) -> None:
    ran = grade("-c", "case", "-s", "wrong")
    assert "FAILED  case  wrong   score 0.0000" in ran.out
    assert "0 passed  1 failed" in ran.err


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["-h"], ["plan", "-h"], ["images", "--help"]])
def test_version_and_help_need_no_engine(grade: Grade, engine: FakeEngine, arguments: list[str]) -> None:
    ran = grade(*arguments)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("grade 0." if arguments == ["--version"] else "Usage: grade")


def test_a_plan_runs_nothing(grade: Grade, engine: FakeEngine) -> None:
    ran = grade("plan", "case", "-s", "right")
    assert ran.code == 0
    assert "check: check" in ran.out
    assert engine.created == []


def raising(error: BaseException) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_a_bug_of_ours_leaves_a_report_without_the_users_environment(
    grade: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "hunter2")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["grade", "-c", "case"])
    monkeypatch.setattr(commands, "grade_all", raising(RuntimeError("boom\x1b[2J")))
    ran = grade("-c", "case")
    assert (ran.code, ran.out) == (ExitCode.INTERNAL_ERROR, "")
    (report,) = tmp_path.glob("gradebox-bug-*.txt")
    assert "Internal error in gradebox (RuntimeError: boom\\x1b[2J" in ran.err
    assert str(report) in ran.err
    assert "Traceback" not in ran.err
    text = report.read_text()
    assert "Traceback (most recent call last)" in text
    assert "command: grade -c case" in text
    assert "gradebox 0." in text
    assert "hunter2" not in text


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Interrupted()])
def test_an_interrupt_before_the_run_ends_with_130(
    grade: Grade, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    monkeypatch.setattr(commands, "grade_all", raising(error))
    assert grade("-c", "case", "--exit-zero").code == ExitCode.INTERRUPTED


@pytest.mark.parametrize("numbers", [(signal.SIGTERM,), (signal.SIGHUP,), (signal.SIGINT, signal.SIGINT)])
def test_a_stopped_run_keeps_what_was_graded_and_ends_with_130(
    grade: Grade, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch, numbers: tuple[signal.Signals, ...]
) -> None:
    killed = threading.Event()
    # Not of the engine: a sandbox that was started ahead ends earlier.
    monkeypatch.setattr(Sandbox, "kill", lambda *_: killed.set())
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]

    def script(run: FakeRun) -> FakeEnd:
        if run.files["answer"] == b"right":
            return PASS
        for number in numbers:
            os.kill(os.getpid(), number)
            # Two that come at the same time would be one.
            killed.wait(0.5)
        assert killed.wait(10), "the sandbox was not killed"
        return FakeEnd(lost=True)

    engine.script = script
    ran = grade("-c", "case", "-s", "right", "-s", "wrong", "-s", "lost", "--json", "--exit-zero", "-j", "1")
    assert ran.code == ExitCode.INTERRUPTED
    assert [json.loads(line)["submission"] for line in ran.out.splitlines()] == ["right"]
    assert "interrupted: 2 of 3 were not graded" in ran.err
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before


def test_an_interrupted_run_finishes_what_runs(grade: Grade, engine: FakeEngine) -> None:
    def script(run: FakeRun) -> FakeEnd:
        if run.files["answer"] == b"right":
            os.kill(os.getpid(), signal.SIGINT)
            # The handler runs in the main thread, and the run hears of it in another one.
            time.sleep(0.5)
        return PASS

    engine.script = script
    ran = grade("-c", "case", "-s", "right", "-s", "wrong", "-s", "lost", "--json", "-j", "1")
    assert ran.code == ExitCode.INTERRUPTED
    assert [json.loads(line)["submission"] for line in ran.out.splitlines()] == ["right"]
    assert "Finishing running gradings." in ran.err
    assert "interrupted: 2 of 3 were not graded" in ran.err


@pytest.mark.parametrize(
    ("submissions", "said"),
    [
        (["right"], "interrupted: everything had been graded\n"),
        (["right", "wrong"], "interrupted: 1 of 2 was not graded; continue with: grade --resume latest\n"),
    ],
)
def test_an_interrupted_run_says_what_is_missing_if_anything_is(
    grade: Grade, engine: FakeEngine, submissions: list[str], said: str
) -> None:
    def script(_: FakeRun) -> FakeEnd:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.3)
        return PASS

    engine.script = script
    ran = grade("-c", "case", "-j", "1", *(word for name in submissions for word in ("-s", name)))
    assert ran.code == ExitCode.INTERRUPTED
    assert said in ran.err


def test_a_run_goes_on_without_its_terminal_where_somebody_took_care_that_it_does(
    grade: Grade, engine: FakeEngine
) -> None:
    def script(_: FakeRun) -> FakeEnd:
        os.kill(os.getpid(), signal.SIGHUP)
        return PASS

    engine.script = script
    # As nohup does it.
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert grade("-c", "case", "-s", "right").code == ExitCode.PASSED
    finally:
        signal.signal(signal.SIGHUP, before)


def test_what_runs_is_killed_when_nobody_is_left_to_be_told(
    grade: Grade, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed, began = threading.Event(), threading.Event()
    # Not of the engine: a sandbox that was started ahead ends earlier.
    monkeypatch.setattr(Sandbox, "kill", lambda *_: killed.set())

    def script(run: FakeRun) -> FakeEnd:
        if run.files["answer"] == b"right":
            assert began.wait(10)
            return PASS
        began.set()
        assert killed.wait(10), "the sandbox was not killed"
        return FakeEnd(lost=True)

    class Full(io.StringIO):
        def write(self, _: str) -> int:
            raise OutputLost("stdout cannot be written: No space left on device.")

    engine.script = script
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", Full())
        with pytest.raises(OutputLost):
            grade("-c", "case", "-s", "right", "-s", "wrong", "-j", "2")
    assert engine.open_containers == ()
    (results,) = Path("runs").glob("*/results.jsonl")
    assert [json.loads(line)["submission"] for line in results.read_text().splitlines()] == ["right"]


def test_a_terminal_that_cannot_show_a_character_does_not_end_the_run(
    grade: Grade, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.script = lambda run: FakeEnd(exit_code=1, stdout="gemüse 漢字".encode())
    handlers = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", narrow)
    monkeypatch.setattr(sys, "argv", ["grade", "-c", "case"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    for number, handler in zip((signal.SIGINT, signal.SIGTERM), handlers, strict=True):
        signal.signal(number, handler)
    narrow.flush()
    assert end.value.code == ExitCode.FAILED
    assert b"gem\\xfcse \\u6f22\\u5b57" in narrow.buffer.getvalue()  # type: ignore[attr-defined]


def test_a_bug_is_told_whatever_bytes_were_in_its_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["grade", "caf\udce9"])
    report = write_bug_report(OSError("caf\udce9"))
    assert report.read_text("utf-8").count("caf\\udce9") == 2
