"""Runs are found by path, `latest`, name and beginning, in this order."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from world import World

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode, RunRefused, UsageRefused
from gradebox.graders.runs.history.run_names import find_run, refuse_name, runs_below, shortest_name

OLD, NEW = "20260131-142501-3f9c2a", "20260201-000000-000000"
RUNS = Path("runs")


def make(name: str, root: Path = RUNS, recorded: int = 1_000, **record: object) -> Path:
    directory = root / name
    directory.mkdir(parents=True)
    (directory / "run.json").write_text(json.dumps(record))
    os.utime(directory / "run.json", ns=(recorded, recorded))
    return directory


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_latest_run_is_the_one_that_began_last() -> None:
    old, new = make(OLD), make(NEW)
    named = make("baseline", started="2026-01-31T20:00:00+00:00")
    (RUNS / "notes").mkdir()
    assert find_run("latest") == find_run("latest~0") == new
    assert find_run("latest~1") == named
    assert find_run("latest~2") == old
    with pytest.raises(RunRefused, match="There are 3 runs in runs") as refused:
        find_run("latest~3")
    assert refused.value.remedy == "The oldest is latest~2."


def test_of_two_runs_that_began_in_one_second_the_later_record_is_the_latest() -> None:
    later = make("20260201-000000-000001", recorded=2_000)
    make("20260201-000000-ffffff", recorded=1_000)
    assert find_run("latest") == later


@pytest.mark.parametrize(
    "started", [None, 7, "yesterday", "0001-01-01T00:00:00+23:00", {}], ids=["none", "number", "word", "early", "map"]
)
def test_a_run_whose_start_is_not_known_began_when_its_record_was_written(started: object) -> None:
    make("20251231-000000-000000")
    make("named", recorded=1_767_225_600 * 10**9, **({} if started is None else {"started": started}))
    make("20260102-000000-000000")
    assert [run.name for run in runs_below(RUNS)] == ["20251231-000000-000000", "named", "20260102-000000-000000"]


def test_a_time_without_a_zone_does_not_keep_runs_from_being_ordered() -> None:
    make(OLD)
    make("imported", started="2027-01-01T00:00:00")
    assert find_run("latest").name == "imported"


def test_a_path_wins_over_a_name_and_a_name_over_a_beginning() -> None:
    make("night")
    make("nightly")
    assert find_run("night") == RUNS / "night"
    assert find_run("nightl") == RUNS / "nightly"
    Path("night").mkdir()
    assert find_run("night") == Path("night")
    Path("latest").mkdir()
    assert find_run("latest") == Path("latest")


def test_a_word_with_a_separator_is_looked_up_below_its_directory() -> None:
    shard = make(OLD, Path("shards"))
    make(NEW)
    assert find_run("shards/latest") == find_run("shards/2026") == shard
    assert find_run("latest", Path("shards")) == shard


def test_a_beginning_of_several_runs_lists_them_newest_first() -> None:
    make(OLD)
    make(NEW)
    assert find_run("202601") == RUNS / OLD
    with pytest.raises(RunRefused, match=f"2026 is the beginning of 2 runs: {NEW}, {OLD}"):
        find_run("2026")
    for second in range(10, 20):
        make(f"20260301-0000{second}-000000")
    with pytest.raises(RunRefused, match=r"20260301 is the beginning of 10 runs: 20260301-000019.* and 5 more"):
        find_run("20260301")


def test_an_unknown_name_suggests_the_nearest() -> None:
    make("baseline")
    for word, remedy in (
        ("baselin3", "Did you mean baseline?"),
        ("lates", "Did you mean latest?"),
        ("runs/baselime", "Did you mean runs/baseline?"),
        ("x", "`grade runs` lists the runs."),
        ("run/baseline", "There is no run in run."),
    ):
        with pytest.raises(RunRefused, match=f"There is no run {word}") as refused:
            find_run(word)
        assert refused.value.remedy == remedy
    with pytest.raises(RunRefused, match="There is no run in elsewhere"):
        find_run("latest", Path("elsewhere"))


def test_a_link_to_a_run_is_no_run_of_its_own() -> None:
    run = make(OLD)
    (RUNS / "linked").symlink_to(run.name)
    make(".import-0a1b2c3d", recorded=2**62)
    assert [found.directory for found in runs_below(RUNS)] == [run]
    assert find_run("latest") == run


@pytest.mark.parametrize(
    "name", ["", "latest", "latest~1", "2026", "a/b", "..", "-x", ".hidden", "a b", "ü", "x\n", "a" * 65, "a~1"]
)
def test_no_name_looks_like_a_path_a_time_or_latest(name: str) -> None:
    with pytest.raises(UsageRefused, match=re.escape(f"--name {name} is not a valid run name.")):
        refuse_name(name, RUNS)


def test_a_name_is_free_here_and_among_the_runs() -> None:
    refuse_name("nightly", RUNS)
    refuse_name("latest-model", RUNS)
    make("nightly")
    with pytest.raises(UsageRefused, match="runs/nightly exists") as refused:
        refuse_name("nightly", RUNS)
    assert "`grade --resume nightly`" in refused.value.remedy
    Path("cases").mkdir()
    with pytest.raises(UsageRefused, match="--name cases is also a path here"):
        refuse_name("cases", RUNS)


def test_every_command_for_runs_takes_what_people_call_a_run(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["-c", "a", "-s", "work/one", "--name", "first", "-q"]) == ExitCode.PASSED
    assert run(["-c", "a", "-s", "work/one", "-q"]) == ExitCode.PASSED
    for command in (
        ["show", "first", "a"],
        ["report", "fir"],
        ["compare", "first", "latest"],
        ["export-judgments", "latest~1"],
        ["regrade", "first"],
        ["merge", "first", "-o", "runs/whole"],
        ["--resume", "first"],
    ):
        assert run(command) == ExitCode.PASSED, command
    assert world.graded == 2
    capsys.readouterr()
    assert run(["report", "firts"]) == ExitCode.USAGE
    assert "Did you mean first?" in capsys.readouterr().err


def test_a_run_is_continued_by_its_name_below_the_directory_of_runs(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["-c", "a", "-c", "b", "-s", "work/one", "--runs", "kept", "--fail-fast", "-q"])
    capsys.readouterr()
    assert run(["--resume", "latest", "--runs", "kept"]) == ExitCode.PASSED
    assert "2 of 2 had been graded before" in capsys.readouterr().err
    assert json.loads((find_run("kept/latest") / "run.json").read_text())["asked"]["tasks"] == 2


def test_a_name_is_refused_before_anything_is_graded(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    make(OLD)
    for arguments, words in (
        (["-c", "a", "--name", "2026"], "is not a valid run name"),
        (["-c", "a", "--name", "work"], "is also a path here"),
        (["--resume", "latest", "--name", "x"], "--name and --resume cannot be combined"),
    ):
        assert run(arguments) == ExitCode.USAGE
        assert words in capsys.readouterr().err
    assert world.graded == 0


def test_the_shortest_name_of_a_run_finds_it() -> None:
    old, new, other = make(OLD), make(NEW), make(NEW, Path("shards"))
    assert shortest_name(new.resolve()) == "latest"
    assert shortest_name(old) == OLD
    assert shortest_name(other) == str(other)
    Path("latest").touch()
    assert shortest_name(new) == NEW
