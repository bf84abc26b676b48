"""``grade compare``: what was lost, what is missing, and the exit code for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_engine import FakeEnd
from world import World, the_run

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode


def test_a_comparison_ends_with_one_if_something_was_lost(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run(["-c", "a", "-s", "work/one", "-q"])
    first = the_run()
    assert run(["compare", str(first), str(first)]) == ExitCode.PASSED
    world.act = lambda _: FakeEnd(exit_code=1)
    run(["-c", "a", "-s", "work/one", "-q"])
    (second,) = {*Path("runs").iterdir()} - {first}
    capsys.readouterr()
    assert run(["compare", str(first), str(second)]) == ExitCode.FAILED
    assert "lost   a one: passed -> failed" in capsys.readouterr().out
    assert run(["compare", str(second), str(first), "--json"]) == ExitCode.PASSED
    assert json.loads(capsys.readouterr().out)["pairs"][0]["change"] == "gained"


def test_a_comparison_misses_what_passed_before(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run(["-c", "a", "-c", "b", "-s", "work/one", "-q"])
    first = the_run()
    run(["-c", "a", "-s", "work/one", "-q"])
    (second,) = {*Path("runs").iterdir()} - {first}
    capsys.readouterr()
    assert run(["compare", str(first), str(second)]) == ExitCode.FAILED
    assert "missing b one: passed -> no verdict" in capsys.readouterr().out
    assert run(["compare", str(first), str(second), "--common"]) == ExitCode.PASSED
    assert run(["compare", str(second), str(first)]) == ExitCode.PASSED
    run(["-c", "c", "-s", "work/two", "-q"])
    (third,) = {*Path("runs").iterdir()} - {first, second}
    assert run(["compare", str(third), str(second)]) == ExitCode.NOTHING_SELECTED
