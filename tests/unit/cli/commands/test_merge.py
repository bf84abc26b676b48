"""``grade merge``: what it prints, and its exit code."""

from __future__ import annotations

from pathlib import Path

import pytest
from world import World

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode


def test_the_exit_code_is_that_of_the_verdicts(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["-c", "a", "-s", "work/one", "-q", "--runs", "first", "--shard", "1/1"]) == ExitCode.PASSED
    (first,) = Path("first").glob("[!.]*")
    capsys.readouterr()
    assert run(["merge", str(first), "-o", "out/whole"]) == ExitCode.PASSED
    printed = capsys.readouterr().err
    assert "1 of 1 verdict added\nrun directory: out/whole\n1 passed  merged from 1 run" in printed
    assert run(["merge", str(first), "-o", "out/whole", "-q"]) == ExitCode.PASSED
    assert capsys.readouterr().err == ""
    assert world.graded == 1


def test_what_is_no_run_is_refused(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.write("other/file", "x")
    assert run(["merge", "other", "-o", "whole"]) == ExitCode.USAGE
    assert "other is not a run directory" in capsys.readouterr().err
    assert not Path("whole").exists()
