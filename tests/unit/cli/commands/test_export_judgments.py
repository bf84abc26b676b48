"""The command that writes open questions; `test_exported_judgments` says which these are."""

from __future__ import annotations

import json

import pytest
from world import World, the_run

from gradebox.graders.cli.main import run


def test_questions_go_to_stdout_and_their_number_to_stderr(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.write("a/case.yaml", "image: image\nassertions: [It is right., {type: code-grader, command: [check]}]\n")
    run(["-c", "a", "-s", "work/one", "-s", "work/two", "-q"])
    capsys.readouterr()
    assert run(["export-judgments", str(the_run())]) == 0
    out, err = capsys.readouterr()
    assert [json.loads(line)["submission"] for line in out.splitlines()] == ["one", "two"]
    assert "2 questions" in err
    assert run(["export-judgments", str(the_run()), "-o", "none/open.jsonl"]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert run(["export-judgments", "none"]) == 2
