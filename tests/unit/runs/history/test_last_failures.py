"""What did not pass in the latest run is graded alone, or first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from world import World, lines

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.runs.history.last_failures import last_failures
from gradebox.graders.runs.history.run_names import find_run


def graded() -> list[tuple[str, str]]:
    return [(line["case"], line["submission"]) for line in lines(find_run("latest"))]


def test_only_what_did_not_pass_is_graded_until_all_of_it_passes(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["-c", "a", "-c", "b", "-s", "work/one", "-s", "work/two", "-s", "work/four", "-q"]
    assert run([*arguments, "--lf"]) == ExitCode.FAILED
    assert "there is no earlier run: grading all" in capsys.readouterr().err
    assert len(graded()) == 6
    assert last_failures(Path("runs")).gradings == {(case, name) for case in "ab" for name in ("two", "four")}
    world.write("work/two/answer", "right")
    assert run([*arguments, "--lf"]) == ExitCode.FAILED
    assert sorted(graded()) == [("a", "four"), ("a", "two"), ("b", "four"), ("b", "two")]
    run([*arguments, "--lf"])
    assert sorted(graded()) == [("a", "four"), ("b", "four")]
    assert run(["-c", "c", "-s", "work/one", "--lf"]) == ExitCode.NOTHING_SELECTED
    world.write("work/four/answer", "right")
    assert run([*arguments, "--lf"]) == ExitCode.PASSED
    capsys.readouterr()
    assert run([*arguments, "--lf"]) == ExitCode.PASSED
    assert "everything passed in" in capsys.readouterr().err
    assert len(graded()) == 6


def test_a_run_of_failures_is_continued_and_scored_again_as_it_was(world: World) -> None:
    arguments = ["-c", "a", "-s", "work/two", "-s", "work/one", "-s", "work/four", "-j", "1", "-q"]
    run(arguments)
    run([*arguments, "--lf", "-x"])
    assert graded() == [("a", "two")]
    run(arguments[:4])
    assert run(["--resume", "latest~1", "-q"]) == ExitCode.FAILED
    assert [(line["case"], line["submission"]) for line in lines(find_run("latest~1"))] == [("a", "two"), ("a", "four")]
    assert run(["regrade", "latest~1", "-q"]) == ExitCode.FAILED
    assert len(graded()) == 2


def test_what_did_not_pass_comes_first(world: World) -> None:
    arguments = ["-c", "a", "-s", "work/one", "-s", "work/two", "-s", "work/three", "-j", "1", "-q"]
    run(arguments)
    run([*arguments, "--ff"])
    assert [name for _, name in graded()] == ["two", "one", "three"]
    assert [line["number"] for line in lines(find_run("latest"))] == [2, 1, 3]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--resume", "latest", "--lf"], "--lf and --resume cannot be combined"),
        (["--resume", "latest", "--ff"], "--ff and --resume cannot be combined"),
        (["-c", "a", "--lf", "--shard", "1/2"], "--lf and --shard cannot be combined"),
        (["-c", "a", "--limit", "1", "--sample", "1"], "--limit and --sample cannot be combined"),
        (["-c", "a", "--seed", "1"], "--seed needs --sample"),
        (["-c", "a", "-k", "a and"], "-k a and: a word is missing at the end"),
    ],
)
def test_options_that_make_no_sense_together_are_refused(
    world: World, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    run(["-c", "a", "-q"])
    capsys.readouterr()
    assert run(words) == ExitCode.USAGE
    assert said in capsys.readouterr().err


def test_a_sample_stays_the_same_in_a_continued_run_and_in_shards(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*world.arguments, "--sample", "2", "--seed", "7"]
    run([*words, "--collect-only"])
    drawn = {line.split()[0] for line in capsys.readouterr().out.splitlines()}
    assert len(drawn) == 2
    for number in (1, 2):
        run([*words, "--shard", f"{number}/2", "--name", f"part{number}", "-q"])
    assert run(["merge", "part1", "part2", "-o", "runs/whole", "-q"]) == ExitCode.FAILED
    assert {line["case"] for line in lines(Path("runs/whole"))} == drawn
    run([*words, "--maxfail", "1", "-j", "1", "--name", "begun", "-q"])
    run(["--resume", "begun", "-q"])
    assert len(lines(Path("runs/begun"))) == 8
    assert {line["case"] for line in lines(Path("runs/begun"))} == drawn
    run([*world.arguments, "--sample", "2", "--shard", "2/2", "--name", "other", "-q"])
    capsys.readouterr()
    assert run(["merge", "part1", "other", "-o", "runs/none"]) == ExitCode.USAGE
    assert "--sample" in capsys.readouterr().err


def test_a_run_ends_after_so_many_failures_of_its_own(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run([*world.arguments, "--maxfail", "2", "-j", "1", "--name", "n"])
    err = capsys.readouterr().err
    assert "ended after 2 verdicts that are not passed: 8 of 12 were not graded" in err
    assert len(lines(Path("runs/n"))) == 4
    run(["--resume", "n", "-x", "-j", "1", "-q"])
    assert len(lines(Path("runs/n"))) == 6


def test_what_would_be_graded_is_listed(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-c", "a", "-c", "b", "-s", "work/one", "-s", "work/two"]
    assert run([*words, "--repeat", "2", "-k", "a", "--collect-only"]) == ExitCode.PASSED
    captured = capsys.readouterr()
    assert captured.out.splitlines() == ["a  one", "a  one  repeat 2", "a  two", "a  two  repeat 2"]
    assert captured.err == "4 gradings\n"
    assert (world.graded, Path("runs").exists()) == (0, False)
    run([*words, "-x", "-j", "1", "-q"])
    capsys.readouterr()
    assert run(["--resume", "latest", "--collect-only", "--json", "-q"]) == ExitCode.PASSED
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["case"], one["submission"]) for one in found] == [("b", "one"), ("b", "two")]
    run(["--resume", "latest", "-q"])
    assert run(["--resume", "latest", "--collect-only"]) == ExitCode.NOTHING_SELECTED


def test_the_longest_gradings_are_named(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run(["-c", "a", "-s", "work/one", "--durations", "3"])
    lines_of = capsys.readouterr().err.splitlines()
    assert lines_of[lines_of.index("took longest") + 1].split()[1:] == ["s", "a", "one"]
    assert not any("mean score" in line for line in lines_of)
    run([*world.arguments, "--durations", "3", "-q"])
    assert capsys.readouterr().err == ""
