"""``grade regrade``: the new verdicts, what changed, and the exit code; how it scores is tested with `runs.regrade`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_engine import FakeEnd
from world import CHECK, World, the_run

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode


def test_a_changed_threshold_gives_a_new_run_with_other_verdicts(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    two = f"{CHECK}execution: {{threshold: 0.9}}\n".replace("[{", "[{type: file-exists, path: answer}, {")
    world.act = lambda _: FakeEnd(exit_code=1)
    world.write("a/case.yaml", two)
    assert run(["-c", "a", "-s", "work/one", "-q"]) == ExitCode.FAILED
    first = the_run()
    world.write("a/case.yaml", two.replace("0.9", "0.5"))
    capsys.readouterr()
    assert run(["regrade", str(first), "--json"]) == ExitCode.PASSED
    out, err = capsys.readouterr()
    assert json.loads(out)["verdict"] == "passed"
    assert "1 of 1 verdicts changed\n" in err
    assert "1 passed  scored again\n" in err
    (second,) = {*Path("runs").iterdir()} - {first}
    assert f"run directory: {second.absolute()}" in err
    world.write("a/case.yaml", two)
    assert run(["regrade", str(first), "-q", "--runs", "other"]) == ExitCode.FAILED
    assert capsys.readouterr().err == ""
    assert len([*Path("other").iterdir()]) == 1


def test_a_run_whose_case_is_gone_is_refused_and_leaves_nothing(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["-c", "a", "-s", "work/one", "-q"])
    world.write("a/case.yaml", f"id: other\n{CHECK}")
    assert run(["regrade", str(the_run())]) == ExitCode.USAGE
    assert "Nothing was scored again." in capsys.readouterr().err
    assert len([*Path("runs").iterdir()]) == 1


def test_replies_to_questions_that_nobody_asked_are_named(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.write("a/case.yaml", "image: image\nassertions: [It is right., {type: code-grader, command: [check]}]\n")
    run(["-c", "a", "-s", "work/one", "-q"])
    run(["export-judgments", str(the_run()), "-o", "open.jsonl"])
    question = json.loads(Path("open.jsonl").read_text())
    replies = [{"key": question["key"], "reply": {"reasoning": "r", "score": 1}}, {"key": "k2", "reply": "x"}]
    Path("replies.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in replies))
    capsys.readouterr()
    assert run(["regrade", str(the_run()), "--judgments", "replies.jsonl"]) == ExitCode.PASSED
    assert "replies.jsonl: 1 key of no question of this run: k2\n" in capsys.readouterr().err
