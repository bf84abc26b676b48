"""Runs that are continued, repeated, ended early, and whose verdicts are taken over by later ones."""

from __future__ import annotations

import fcntl
import json
import re
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_engine import FakeEnd, FakeEngine
from hypothesis import given, settings
from hypothesis import strategies as st
from unpacked import unpacked
from world import ABSENT, CHECK, World, lines, the_run, verdicts

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode, RunRefused
from gradebox.graders.runs.saved_run import read_run
from gradebox.graders.runs.store import RESULTS, Store
from gradebox.sandbox.engines import docker


def test_a_run_that_is_whole_grades_nothing_again(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(world.arguments) == ExitCode.FAILED
    before, graded = (the_run() / RESULTS).read_bytes(), world.graded
    assert run(["--resume", str(the_run())]) == ExitCode.FAILED
    assert (the_run() / RESULTS).read_bytes() == before
    assert world.graded == graded
    said = capsys.readouterr().err
    assert "12 of 12 had been graded before" in said
    assert re.search(r"6 passed  6 failed  0 graded in \d+\.\d s\n$", said)


@settings(max_examples=25, deadline=None)
@given(cut=st.floats(0, 1))
def test_a_run_cut_off_at_any_byte_is_completed_as_if_nothing_had_happened(cut: float) -> None:
    with pytest.MonkeyPatch.context() as patch, _in_a_directory(patch):
        world = World()
        patch.setattr(docker, "connect", lambda *_: FakeEngine(world))
        run([*world.arguments, "-q"])
        whole = verdicts(the_run())
        results = the_run() / RESULTS
        data = results.read_bytes()
        kept = data[: int(len(data) * cut)]
        results.write_bytes(kept)
        world.graded = 0
        run(["--resume", str(the_run()), "-q"])
        assert verdicts(the_run()) == whole
        assert len(lines(the_run())) == len(whole)
        # What had its whole line is not graded again.
        assert world.graded == len(whole) - kept.count(b"\n")


def _in_a_directory(patch: pytest.MonkeyPatch) -> Any:
    import contextlib
    import tempfile

    @contextlib.contextmanager
    def entered() -> Any:
        with tempfile.TemporaryDirectory() as directory:
            patch.chdir(directory)
            yield
            patch.undo()

    return entered()


def test_what_was_withheld_is_told_and_written_once(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.write("suite/EVAL.yaml", "tests: ./cases/\n")
    world.write("suite/cases/a/case.yaml", CHECK)
    for name, more in (("b", ""), ("c", "on_dependency_failure: fail\n")):
        world.write(f"suite/cases/{name}/case.yaml", f"depends_on: a\n{more}{CHECK}")
    run(["-c", "suite", "-s", "work/two", "-q"])
    before = (the_run() / RESULTS).read_bytes()
    assert before.count(b"\n") == 3
    capsys.readouterr()
    run(["--resume", str(the_run())])
    captured = capsys.readouterr()
    assert (captured.out, "3 of 3 had been graded before" in captured.err) == ("", True)
    assert (the_run() / RESULTS).read_bytes() == before
    # What it depends on may pass another time.
    world.act = lambda ran: FakeEnd()
    run(["--resume", str(the_run()), "--rerun", "failed", "-q"])
    assert [verdict for *_, verdict, _ in verdicts(the_run())] == ["passed"] * 3


def test_order_is_that_of_the_command_line_whatever_was_graded_first(world: World) -> None:
    run([*world.arguments, "-j", "4", "-q"])
    wanted = [(case, name) for case in "abc" for name in ("one", "two", "three", "four")]
    assert [(case, name) for _, case, name, *_ in verdicts(the_run())] == wanted
    assert [number for number, *_ in verdicts(the_run())] == list(range(1, 13))


def test_failed_verdicts_are_found_anew_when_asked_and_the_others_are_not(world: World) -> None:
    run([*world.arguments, "-q"])
    world.graded = 0
    world.act = lambda _: FakeEnd()
    assert run(["--resume", str(the_run()), "--rerun", "failed", "-q"]) == ExitCode.PASSED
    assert world.graded == 6
    assert {verdict for *_, verdict, _ in verdicts(the_run())} == {"passed"}
    # The old lines stay, and do not count.
    assert len(lines(the_run())) == 18


def test_errors_are_found_anew_when_asked(world: World) -> None:
    world.act = lambda ran: FakeEnd(exit_code=1) if ran.files.get("answer") == b"wrong" else ABSENT
    assert run([*world.arguments, "-q"]) == ExitCode.NOT_GRADED
    world.act, world.graded = world.by_answer, 0
    assert run(["--resume", str(the_run()), "--rerun", "error", "-q"]) == ExitCode.FAILED
    assert world.graded == 6


def test_what_changed_since_is_graded_anew_and_said(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run([*world.arguments, "-q"])
    world.write("work/two/answer", "right")
    world.write("b/case.yaml", CHECK.replace('["check"]', '["check", "more"]'))
    world.graded = 0
    assert run(["--resume", str(the_run())]) == ExitCode.FAILED
    # `two` for three cases, and all four for case b.
    assert world.graded == 6
    said = capsys.readouterr().err
    assert "6 of 12 were graded again: something that it depends on has changed" in said
    assert re.search(r"  6 graded in \d+\.\d s\n$", said)
    assert [verdict for _, _, name, _, verdict, _ in verdicts(the_run()) if name == "two"] == ["passed"] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume", "RUN", "-c", "a"], "--case cannot be given with --resume"),
        (["--resume", "RUN", "--repeat", "2", "--reference"], "--reference and --repeat cannot be given"),
        (["--resume", "."], "is not a run directory"),
        (["--rerun", "failed", "-c", "a"], "--rerun needs --resume"),
        (["--rerun", "passed", "--resume", "RUN"], "--rerun takes failed or error, not passed"),
        (["--reuse", "--repeat", "2", "-c", "a"], "--reuse and --repeat cannot be combined"),
    ],
)
def test_what_makes_no_sense_is_refused(
    world: World, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    run(["-c", "a", "-q"])
    directory = str(the_run())
    assert run([directory if word == "RUN" else word for word in arguments]) == ExitCode.USAGE
    assert message in capsys.readouterr().err


def test_a_submission_from_standard_input_cannot_be_continued(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import io

    monkeypatch.setattr(
        sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+1\n"))
    )
    run(["-c", "a", "-s", "-", "-q"])
    assert run(["--resume", str(the_run())]) == ExitCode.USAGE
    assert "standard input" in capsys.readouterr().err


def test_two_runs_in_one_directory_are_refused(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run(["-c", "a", "-q"])
    with (the_run() / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert run(["--resume", str(the_run())]) == ExitCode.USAGE
    assert "Another run is writing to" in capsys.readouterr().err
    assert run(["--resume", str(the_run()), "-q"]) == ExitCode.FAILED


@pytest.mark.parametrize("damage", [b"not json\n", b'{"id": 1}\n', b"[]\n", b"\xff\xfe\n"])
def test_a_damaged_line_is_named_and_nothing_is_lost(
    world: World, capsys: pytest.CaptureFixture[str], damage: bytes
) -> None:
    run([*world.arguments, "-q"])
    results = the_run() / RESULTS
    data = damage + results.read_bytes()
    results.write_bytes(data)
    assert run(["--resume", str(the_run())]) == ExitCode.USAGE
    assert f"{RESULTS}:1 is not a verdict" in capsys.readouterr().err.replace("\n", " ")
    assert results.read_bytes() == data


def test_the_first_that_does_not_pass_ends_a_run_that_fails_fast(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*world.arguments, "--fail-fast", "-j", "1"]) == ExitCode.FAILED
    assert [verdict for *_, verdict, _ in verdicts(the_run())] == ["passed", "failed"]
    assert "10 of 12 were not graded" in capsys.readouterr().err
    # The rest can still be had.
    run(["--resume", str(the_run()), "-q"])
    assert len(verdicts(the_run())) == 12


def test_repeats_have_verdicts_of_their_own_and_what_differs_is_named(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.act = lambda _: FakeEnd(exit_code=world.graded % 2)
    assert run(["-c", "a", "-s", "work/one", "--repeat", "4", "-j", "1"]) == ExitCode.FAILED
    assert [(repeat, verdict) for _, _, _, repeat, verdict, _ in verdicts(the_run())] == [
        (1, "failed"), (2, "passed"), (3, "failed"), (4, "passed"),
    ]  # fmt: skip
    assert "flaky: a one: 2 failed, 2 passed; checks that differ: code-grader" in capsys.readouterr().err
    assert sorted(path.parent.name for path in unpacked(the_run()).glob("a/one/**/steps.jsonl")) == [
        "one", "repeat 2", "repeat 3", "repeat 4",
    ]  # fmt: skip


def test_repeats_that_agree_are_not_called_flaky(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run(["-c", "a", "-s", "work/one", "-s", "work/two", "--repeat", "3"])
    assert "flaky" not in capsys.readouterr().err


DEPENDENT = """
tests:
  - {id: a, image: image, criteria: x, input: y, assertions: [{type: code-grader, command: ["check"]}]}
  - {id: b, image: image, criteria: x, input: y, depends_on: [a], on_dependency_failure: HOW,
     assertions: [{type: code-grader, command: ["check"]}]}
"""


@pytest.mark.parametrize(("how", "withheld"), [("skip", "not_judged"), ("fail", "failed")])
def test_what_was_not_run_for_another_case_is_run_once_that_passes(world: World, how: str, withheld: str) -> None:
    world.write("two.eval.yaml", DEPENDENT.replace("HOW", how))
    world.act = lambda _: ABSENT
    run(["-c", "two.eval.yaml", "-s", "work/one", "-q"])
    assert [verdict for *_, verdict, _ in verdicts(the_run())] == ["error", withheld]
    world.act = world.by_answer
    assert run(["--resume", str(the_run()), "--rerun", "error", "-q"]) == ExitCode.PASSED
    assert [verdict for *_, verdict, _ in verdicts(the_run())] == ["passed", "passed"]


class TestReuse:
    def test_the_same_content_is_not_graded_again_whatever_it_is_called(self, world: World) -> None:
        run(["-c", "a", "-s", "work/one", "-s", "work/two", "-q"])
        world.graded = 0
        shutil.copytree("a", "elsewhere/a")
        shutil.copytree("work/two", "elsewhere/other")
        first = the_run().name
        assert run(["-c", "elsewhere/a", "-s", "elsewhere/other", "--reuse", "-q"]) == ExitCode.FAILED
        assert world.graded == 0
        second = next(path for path in Path("runs").iterdir() if path.name != first)
        (found,) = read_run(second).verdicts.values()
        assert (found.case, found.submission, found.verdict, found.reused) == ("a", "other", "failed", first)

    @pytest.mark.parametrize(
        ("path", "text"),
        [
            ("work/one/answer", "wrong"),
            ("work/one/more", ""),
            ("a/case.yaml", CHECK + "threshold: 0.5\n"),
            ("a/case.yaml", CHECK.replace('["check"]', '["check", "x"]')),
            ("a/workspace/file", ""),
            ("a/grading/test", ""),
        ],
    )
    def test_whatever_a_verdict_depends_on_makes_it_another(self, world: World, path: str, text: str) -> None:
        run(["-c", "a", "-s", "work/one", "-q"])
        world.graded = 0
        if "threshold" in text:
            text = CHECK + "execution: {threshold: 0.5}\n"
        world.write(path, text)
        run(["-c", "a", "-s", "work/one", "--reuse", "-q"])
        assert world.graded == 1

    def test_what_is_only_shown_does_not(self, world: World) -> None:
        run(["-c", "a", "-s", "work/one", "-q"])
        world.graded = 0
        world.write("a/case.yaml", CHECK + "description: Words.\nlicense: MIT\n")
        run(["-c", "a", "-s", "work/one", "--reuse", "-q"])
        assert world.graded == 0

    def test_an_error_is_never_taken_over(self, world: World) -> None:
        world.act = lambda _: ABSENT
        assert run(["-c", "a", "-s", "work/one", "-q"]) == ExitCode.NOT_GRADED
        world.act = world.by_answer
        assert run(["-c", "a", "-s", "work/one", "--reuse", "-q"]) == ExitCode.PASSED

    @pytest.mark.parametrize("damage", ["forged", "of another version"])
    def test_a_line_that_is_no_verdict_of_this_content_is_not_taken_over(self, world: World, damage: str) -> None:
        run(["-c", "a", "-s", "work/one", "-q"])
        results = the_run() / RESULTS
        (line,) = lines(the_run())
        if damage == "forged":
            # The verdict of something else, in which a judge says what looks like this one's.
            said = {"content": line["content"], "reused": "", "verdict": "failed"}
            line["checks"][0]["details"] = said
            line |= {"content": "0" * 64, "verdict": "error"}
        else:
            line["unknown"] = 1
        results.write_text(json.dumps(line, separators=(",", ":")) + "\n")
        world.graded = 0
        assert run(["-c", "a", "-s", "work/one", "--reuse", "-q"]) == ExitCode.PASSED
        assert world.graded == 1

    def test_without_being_asked_nothing_is_taken_over(self, world: World) -> None:
        run(["-c", "a", "-s", "work/one", "-q"])
        world.graded = 0
        run(["-c", "a", "-s", "work/one", "-q"])
        assert world.graded == 1


def test_half_a_line_is_no_verdict_while_a_run_goes_on(world: World) -> None:
    run(["-c", "a", "-s", "work/one", "-s", "work/two", "-q"])
    with (the_run() / RESULTS).open("ab") as stream:
        stream.write(b'{"id":"half')
    assert len(verdicts(the_run())) == 2


def test_a_directory_that_is_none_cannot_be_reopened(tmp_path: Path) -> None:
    with pytest.raises(RunRefused, match="is not a run directory"):
        Store.reopen(tmp_path)


def test_a_verdict_of_an_earlier_run_does_not_bring_along_whose_it_was(world: World) -> None:
    world.write("class/ada/answer", "right")
    world.write("class/cid/answer", "wrong")
    world.write("late/ben/answer", "right")
    run(["-c", "a", "--submissions", "class", "-q"])
    run(["-c", "a", "-s", "late/ben", "--reuse", "-q"])
    (found,) = (line for path in Path("runs").glob("[!.]*") for line in lines(path) if line["submission"] == "ben")
    assert found["reused"]
    assert found["origin"] == {}
