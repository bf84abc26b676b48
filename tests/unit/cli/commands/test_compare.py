"""``grade compare``: what was lost, what is missing, and the exit code for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_engine import FakeEnd
from world import CHECK, World, the_run

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


def test_a_comparison_says_what_differs_of_what_changed(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run([*world.arguments, "-q"])
    first = the_run()
    world.write("a/case.yaml", f"tags: [new]\n{CHECK}")
    world.act = lambda _: FakeEnd(exit_code=1)
    run(["regrade", str(first), "--execute", "--runs", "again", "-q"])
    (second,) = Path("again").glob("[!.]*")
    capsys.readouterr()
    run(["compare", str(first), str(second)])
    out = capsys.readouterr().out
    assert "  lost   a one: passed -> failed, 1.0000 -> 0.0000  (code-grader)  [case]\n" in out
    assert "  lost   b one: passed -> failed, 1.0000 -> 0.0000  (code-grader)  [nothing differs]\n" in out
    assert "  changed verdicts: 2 with another case, 4 though nothing differs\n" in out
    record = json.loads((second / "run.json").read_text())
    (second / "run.json").write_text(json.dumps({**record, "version": "0.1.0"}))
    run(["compare", str(first), str(second), "--json"])
    assert json.loads(capsys.readouterr().out)["pairs"][0]["differs"] == ["case", "version"]


def test_several_runs_are_compared_with_the_first(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    for name, answer in (("one", "right"), ("two", "wrong"), ("three", "right")):
        world.write("work/new/answer", answer)
        run(["-c", "a", "-s", "work/new", "--name", name, "-q"])
    capsys.readouterr()
    assert run(["compare", "one"]) == ExitCode.USAGE
    assert "Name two runs or more." in capsys.readouterr().err
    assert run(["compare", "one", "two", "three"]) == ExitCode.FAILED
    assert capsys.readouterr().out.startswith("compared with one\n")
    assert run(["compare", "two", "one", "three", "--json"]) == ExitCode.PASSED
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["before"], one["after"], one["regressed"]) for one in found] == [
        ("two", "one", 0),
        ("two", "three", 0),
    ]
