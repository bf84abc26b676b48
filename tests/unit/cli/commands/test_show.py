"""``grade show``: a case with all that was printed, found by the beginning of its name."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_engine import FakeEnd
from world import World, the_run

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.grading.fingerprint import Key
from gradebox.graders.reports.verdict_names import select


@pytest.fixture
def directory(world: World) -> Path:
    world.act = lambda ran: FakeEnd(exit_code=len(ran.files["answer"]) % 2, stdout=b"said\x1b[31m")
    run([*world.arguments, "-q"])
    return the_run()


def test_names_may_be_cut_short(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["show", str(directory), "b", "-s", "thr"]) == ExitCode.PASSED
    assert capsys.readouterr().out.count("evidence: ") == 1


def test_a_name_that_is_whole_means_itself() -> None:
    keys = [Key("add", None, "x", 1), Key("add-auth", "gpt", "x", 1), Key("add-auth", "gpt", "x", 2)]
    assert select(keys, "add") == keys[:1]
    assert select(keys, "add-") == keys[1:]
    assert select(keys, "add-auth", "x", "g", 2) == keys[2:]


def test_a_case_is_shown_with_all_that_was_printed(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["show", str(directory), "b", "-s", "two"]) == ExitCode.PASSED
    printed = capsys.readouterr().out
    assert "$ check" in printed
    assert "| said\\x1b[31m" in printed
    assert "evidence: " in printed


def test_a_long_output_is_shown_by_its_begin_and_end(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.act = lambda _: FakeEnd(stdout=b"begin" + b"x" * 200_000 + b"end")
    run(["-c", "a", "-q"])
    capsys.readouterr()
    run(["show", str(the_run()), "a"])
    printed = capsys.readouterr().out
    assert "| begin" in printed
    assert "xend" in printed
    assert "bytes omitted" in printed
