"""What a run prints: it emits events, and here they become lines."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from fabricated import check, graded
from world import World

from gradebox.graders.cli.display import Display
from gradebox.graders.cli.main import run
from gradebox.graders.cli.run_output import OutputOptions, RunOutput
from gradebox.graders.errors import ExitCode
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.events import RunStarted, VerdictReported
from gradebox.graders.model.result import Result

CASE = Case("parser", Place(Path("case.yaml")), Path("/case"), ())


def reported(result: Result, *, resumed: bool = False) -> VerdictReported:
    return VerdictReported(CASE, "model-a", result, resumed=resumed)


def shown(*events: RunStarted | VerdictReported, count: int = 2, **options: object) -> RunOutput:
    chosen = OutputOptions(display=Display.NONE, **options)  # type: ignore[arg-type]
    with RunOutput(chosen, count, show_profile=True) as output:
        for event in events:
            output.take(event)
    return output


def test_verdicts_for_programs_are_objects_in_the_order_of_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = RunStarted(tmp_path / "20260101-000000-abcdef", "profile default")
    results = [graded("a", check("it", 1.0)), graded("b", check("it", 0.0))]
    shown(start, *map(reported, results), json_lines=True, quiet=True)
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["case"], one["verdict"], one["run"]) for one in printed] == [
        ("a", "passed", "20260101-000000-abcdef"),
        ("b", "failed", "20260101-000000-abcdef"),
    ]


def test_a_verdict_that_the_run_had_before_is_not_printed_again(capsys: pytest.CaptureFixture[str]) -> None:
    shown(reported(graded("a", check("it", 1.0)), resumed=True), json_lines=True)
    assert capsys.readouterr().out == ""


def test_people_see_every_check_of_a_few_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    shown(reported(graded("a", check("it", 0.0, "exit status 1"))))
    assert "exit status 1" in capsys.readouterr().out


def test_of_many_verdicts_those_that_passed_are_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    shown(reported(graded("a", check("it", 1.0))), count=100)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("PASSED")


def test_what_the_runtime_lacks_of_the_profile_is_one_warning_also_when_quiet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking = ("The profile strict is for gVisor, which was not used.",)
    result = reported(graded("a", check("it", 1.0), not_enforced=lacking))
    shown(RunStarted(tmp_path, "profile strict", lacking=lacking), result, result, quiet=True)
    assert capsys.readouterr().err == f"warning: {lacking[0]}\n"


@pytest.mark.parametrize("locked", [True, False])
def test_a_run_directory_without_a_lock_is_warned_of(
    locked: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown(RunStarted(tmp_path, "profile strict, runtime runsc", locked=locked))
    printed = capsys.readouterr().err
    assert "profile strict, runtime runsc" in printed
    assert ("cannot be locked" in printed) is not locked


def test_several_verdicts_end_with_a_table_and_commands_that_work(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["-c", "a", "-c", "b", "-s", "work/one", "-s", "work/two"]) == ExitCode.FAILED
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(("one ", "two "))] == ["one", "two"]
    assert "not passed, the worst first" in lines
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("  grade ")]
    assert commands == [["show", "latest", "a", "-s", "two"], ["report", "latest", "-f", "html", "-o", "report.html"]]
    assert [run(command) for command in commands] == [ExitCode.PASSED, ExitCode.PASSED]


@pytest.mark.parametrize("words", [["-q"], ["--json"], []])
def test_programs_and_single_verdicts_get_no_table(
    world: World, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    several = [*world.arguments, *words] if words else ["-c", "a", "-s", "work/two"]
    run(several)
    err = capsys.readouterr().err
    assert "not passed" not in err
    assert "next:" not in err
    assert err == "" or words != ["-q"]


def test_a_run_that_ended_early_says_how_to_go_on(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run(["-c", "b", "-c", "a", "-s", "work/two", "-s", "work/one", "--fail-fast", "-j", "1", "--name", "n", "-q"])
    assert "not graded; continue with: grade --resume latest" in capsys.readouterr().err
    run(["-c", "b", "-c", "a", "-s", "work/two", "-x", "-j", "1"])
    interrupted, directory, counts = capsys.readouterr().err.splitlines()
    assert interrupted.endswith("1 of 2 was not graded; continue with: grade --resume latest")
    assert (directory.split(":")[0], counts.split("  in ")[0]) == ("run directory", "0 passed  1 failed")
    run(["-c", "a", "-s", "work/two", "--runs", "my runs", "--name", "n", "--report", "html=x.html"])
    assert "next:" not in capsys.readouterr().err


def test_dots_take_the_place_of_verdicts(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*world.arguments, "--display", "dots", "-j", "1"]
    run(words)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[0] == ".F.F.F.F.F.F  12/12"
    run([*words, "--json"])
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 12
    assert captured.err.splitlines()[0] == ".F.F.F.F.F.F  12/12"
    run([*words, "-v"])
    assert capsys.readouterr().out.count("PASSED") == 6
    run([*words, "-q"])
    assert capsys.readouterr().err == ""
