"""Shards put together: the same as the whole run, each verdict once, and nothing of another request."""

from __future__ import annotations

import gc
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from fake_engine import FakeEnd
from unpacked import unpacked
from world import ABSENT, CHECK, World, lines

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.runs import saved_run
from gradebox.graders.runs.evidence_log import LOG, Work, members
from gradebox.graders.runs.saved_evidence import steps_of
from gradebox.graders.runs.saved_run import SavedRun, read_run
from gradebox.graders.runs.store import RECORD, RESULTS, Store

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
from same_verdicts import VARYING

OUT = Path("whole")
# In the header of a piece of the log.
_LENGTH_AT = 16
T = TypeVar("T")


def shards(world: World, count: int, *more: str, into: str = "shards") -> list[str]:
    """Grade every shard of a run, and return the run directories."""
    had = set(Path(into).glob("[!.]*"))
    made = []
    for number in range(1, count + 1):
        code = run([*world.arguments, *more, "-q", "--shard", f"{number}/{count}", "--runs", into])
        assert code in (ExitCode.PASSED, ExitCode.FAILED)
        (new,) = set(Path(into).glob("[!.]*")) - had
        had.add(new)
        made.append(str(new))
    return made


def same(directory: Path) -> list[dict[str, Any]]:
    """Return the verdicts of a run without what differs between two gradings of the same."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            kept = ((key, inner) for key, inner in value.items() if key not in VARYING and not key.endswith("seconds"))
            return {key: plain(inner) for key, inner in kept}
        return [plain(inner) for inner in value] if isinstance(value, list) else value

    return [plain(one.model_dump(mode="json")) for one in read_run(directory).verdicts.values()]


def outputs(directory: Path) -> Iterator[list[tuple[str, bytes]]]:
    saved = read_run(directory)
    for verdict in saved.verdicts.values():
        yield [(step.name, step.stdout.head) for step in steps_of(saved, verdict)]
        assert saved.outcomes(verdict) is not None


@pytest.mark.parametrize("count", [3, 8])
def test_the_shards_are_the_whole_run(world: World, count: int) -> None:
    world.act = lambda ran: FakeEnd(exit_code=world.by_answer(ran).exit_code, stdout=b"seen " + ran.files["answer"])
    assert run([*world.arguments, "-q", "--repeat", "2"]) == ExitCode.FAILED
    (whole,) = Path("runs").glob("[!.]*")
    parts = shards(world, count, "--repeat", "2")
    assert run(["merge", *reversed(parts), "-o", str(OUT)]) == ExitCode.FAILED
    assert same(OUT) == same(whole)
    assert len(same(OUT)) == 24
    assert list(outputs(OUT)) == list(outputs(whole))
    assert {line["run"] for line in lines(OUT)} == {"whole"}


def test_merging_again_changes_nothing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    parts = shards(world, 3)
    run(["merge", *parts, "-o", str(OUT)])
    before = {path.name: path.read_bytes() for path in OUT.iterdir()}
    capsys.readouterr()
    assert run(["merge", *parts, "-o", str(OUT)]) == ExitCode.FAILED
    assert "0 of 12 verdicts added" in capsys.readouterr().err
    assert run(["merge", str(OUT), "-o", str(OUT)]) == ExitCode.FAILED
    assert {path.name: path.read_bytes() for path in OUT.iterdir()} == before
    run(["merge", str(OUT), parts[1], "-o", "again"])
    assert same(Path("again")) == same(OUT)


def test_missing_shards_are_named_and_can_be_added(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, third, *_ = parts = shards(world, 4)
    assert run(["merge", first, third, "-o", str(OUT)]) == ExitCode.NOT_GRADED
    assert "2 of 4 shards missing: 2/4, 4/4" in capsys.readouterr().err
    assert run(["merge", second, parts[3], "-o", str(OUT)]) == ExitCode.FAILED
    assert len(same(OUT)) == 12
    assert "missing" not in capsys.readouterr().err
    # What is missing can be graded here, too.
    run(["merge", first, "-o", "rest"])
    assert run(["--resume", "rest", "-q"]) == ExitCode.FAILED
    assert same(Path("rest")) == same(OUT)


def test_with_the_whole_run_nothing_is_missing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    # A shard of few cases, or of none.
    run([*world.arguments, "-q", "--shard", "1/99", "--runs", "shards"])
    (first,) = Path("shards").glob("[!.]*")
    run([*world.arguments, "-q", "--runs", "all"])
    run(["merge", str(first), "-o", "part"])
    capsys.readouterr()
    (whole,) = Path("all").glob("[!.]*")
    assert run(["merge", "part", str(whole), "-o", "more"]) == ExitCode.FAILED
    assert run(["merge", "more", "-o", str(OUT)]) == ExitCode.FAILED
    assert "missing" not in capsys.readouterr().err
    assert len(same(OUT)) == 12


def test_a_shard_that_ended_early_is_named(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    parts = shards(world, 2)
    results = Path(parts[0]) / RESULTS
    results.write_text("".join(results.read_text().splitlines(keepends=True)[:-1]))
    assert run(["merge", *parts, "-o", str(OUT)]) == ExitCode.NOT_GRADED
    error = capsys.readouterr().err
    assert f"1 of 12 gradings of these shards have no verdict: continue {Path(parts[0]).name}" in error


def test_a_shard_that_was_graded_twice_counts_once(world: World) -> None:
    parts = shards(world, 2)
    run([*world.arguments, "-q", "--shard", "1/2", "--runs", "shards", "--reuse"])
    again = [str(path) for path in Path("shards").glob("[!.]*")]
    assert len(again) == 3
    assert run(["merge", *again, "-o", str(OUT)]) == ExitCode.FAILED
    assert len(lines(OUT)) == 12
    assert all(not line["reused"] for line in lines(OUT))
    assert len(parts) == 2


def test_an_error_gives_way_to_a_verdict(world: World) -> None:
    world.act = lambda _: ABSENT
    run([*world.arguments, "-q", "--shard", "1/2", "--runs", "shards"])
    world.act = world.by_answer
    parts = shards(world, 2)
    failed = [str(path) for path in Path("shards").glob("[!.]*") if str(path) not in parts]
    assert run(["merge", *failed, *parts, "-o", str(OUT)]) == ExitCode.FAILED
    assert "error" not in [line["verdict"] for line in lines(OUT)]


def test_verdicts_that_differ_become_an_error_that_names_both(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    one = ["-c", "a", "-s", "work/one", "-q"]
    run([*one, "--runs", "first"])
    world.act = lambda _: FakeEnd(exit_code=1)
    run([*one, "--runs", "second"])
    (first,), (second,) = (Path(name).glob("[!.]*") for name in ("first", "second"))
    for order in ([first, second], [second, first]):
        directory = f"merged-{order[0].name}"
        assert run(["merge", *map(str, order), "-o", directory]) == ExitCode.NOT_GRADED
        (line,) = lines(Path(directory))
        assert line["verdict"] == "error"
        assert f"passed with score 1.0 in {first.name}" in line["reasons"][1]
        assert f"failed with score 0.0 in {second.name}" in line["reasons"][1]
    assert "a one: runs do not agree" in capsys.readouterr().err
    left, right = (same(Path(f"merged-{one.name}")) for one in (first, second))
    assert left == right
    # It stays an error whatever is merged later.
    assert run(["merge", f"merged-{first.name}", str(first), "-o", "later"]) == ExitCode.NOT_GRADED
    assert same(Path("later")) == left


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (["--repeat", "2"], "--repeat is 1 and 2"),
        (["--profile", "strict"], "--profile is default and strict"),
        (["-s", "work/five"], "--submission differs in work/five"),
        (["-k", "a*"], "--sample differs in"),
    ],
)
def test_runs_of_other_requests_are_refused(
    world: World, capsys: pytest.CaptureFixture[str], change: list[str], difference: str
) -> None:
    world.write("work/five/answer", "right")
    run([*world.arguments, "-q", "--shard", "1/2", "--runs", "one"])
    run([*world.arguments, *change, "-q", "--shard", "2/2", "--runs", "two"])
    (first,), (second,) = (Path(name).glob("[!.]*") for name in ("one", "two"))
    assert run(["merge", str(first), str(second), "-o", str(OUT)]) == ExitCode.USAGE
    error = " ".join(capsys.readouterr().err.split())
    assert "cannot be merged: " in error
    assert difference in error
    assert not OUT.exists()


def test_other_cases_are_refused(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run([*world.arguments, "-q", "--shard", "1/2", "--runs", "shards"])
    for case in "abc":
        world.write(f"{case}/case.yaml", f"{CHECK}threshold: 0.5\n")
    run([*world.arguments, "-q", "--shard", "2/2", "--runs", "shards"])
    assert run(["merge", *map(str, Path("shards").glob("[!.]*")), "-o", str(OUT)]) == ExitCode.USAGE
    assert "with its files is" in capsys.readouterr().err


def test_other_submissions_of_the_same_name_are_refused(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run(["-c", "a", "-s", "work/one", "-q", "--runs", "shards"])
    world.write("work/one/more", "x")
    run(["-c", "a", "-s", "work/one", "-q", "--runs", "shards"])
    assert run(["merge", *map(str, Path("shards").glob("[!.]*")), "-o", str(OUT)]) == ExitCode.USAGE
    assert (
        "one for a is not the same in both: the files of the case or of the submission differ"
        in capsys.readouterr().err
    )


def test_another_number_of_shards_is_refused(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run([*world.arguments, "-q", "--shard", "1/2", "--runs", "shards"])
    run([*world.arguments, "-q", "--shard", "2/3", "--runs", "shards"])
    assert run(["merge", *map(str, sorted(Path("shards").glob("[!.]*"))), "-o", str(OUT)]) == ExitCode.USAGE
    assert "the number of shards is" in capsys.readouterr().err


@pytest.mark.parametrize(
    "record",
    [
        {"submissions": -1},
        {"directory": 1},
        {"case_hashes": [1]},
        {"shards": [1]},
        {"shards": {"of": 10**30, "tasks": {"1": 1}}},
        {"shards": {"of": 2, "tasks": {"1": None}}},
        {"shard": "3/2"},
        {"tasks": {}},
    ],
    ids=json.dumps,
)
def test_a_record_that_no_run_writes_is_refused(
    world: World, capsys: pytest.CaptureFixture[str], record: dict[str, Any]
) -> None:
    run(["-c", "a", "-s", "work/one", "-q", "--shard", "1/1", "--runs", "shards"])
    (shard,) = Path("shards").glob("[!.]*")
    written = json.loads((shard / RECORD).read_text())
    if "shards" in record:
        written["asked"].pop("shard")
    (shard / RECORD).write_text(json.dumps(written | {"asked": written["asked"] | record}))
    assert run(["merge", str(shard), "-o", str(OUT)]) == ExitCode.USAGE
    assert "does not hold its request" in capsys.readouterr().err
    assert not OUT.exists()


@pytest.mark.parametrize("name", [RECORD, RESULTS, LOG])
def test_a_pipe_in_a_shard_is_not_waited_for(world: World, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (part,) = shards(world, 1)
    Path(part, name).unlink()
    os.mkfifo(Path(part, name))
    assert run(["merge", part, "-o", str(OUT)]) == ExitCode.USAGE
    assert "cannot be read: not a regular file" in " ".join(capsys.readouterr().err.split())


def test_a_shard_cannot_take_all_memory(
    world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_run, "MAX_BYTES", 1 << 20)
    (part,) = shards(world, 1)
    with Path(part, LOG).open("r+b") as log:
        first = next(members(log))
        log.seek(_LENGTH_AT)
        log.write((1 << 40).to_bytes(8, "little"))
        log.truncate(1 << 41)
    assert first.length < 1 << 20
    assert run(["merge", part, "-o", str(OUT)]) == ExitCode.FAILED
    for name in (RESULTS, RECORD):
        os.truncate(Path(part, name), 1 << 40)
        assert run(["merge", part, "-o", "more"]) == ExitCode.USAGE
    error = " ".join(capsys.readouterr().err.split())
    assert f"{RESULTS}:13 is not a verdict: it is longer than 1048576 bytes" in error
    assert f"{RECORD} is not a record of a run" in error


def test_evidence_of_a_shard_is_not_read_through_links(world: World, tmp_path: Path) -> None:
    parts = shards(world, 1)
    unpacked(Path(parts[0]))
    evidence = Path(parts[0], "evidence")
    evidence.rename(tmp_path / "secret")
    evidence.symlink_to(tmp_path / "secret")
    assert run(["merge", *parts, "-o", str(OUT)]) == ExitCode.FAILED
    assert not (OUT / LOG).stat().st_size


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"case": "other\n\x1b[31m"}, "has verdicts of other\\x0a\\x1b[31m, which it was not asked to grade"),
        ({"score": float("nan")}, ":2 is not a verdict: score"),
        ({"wall_seconds": 1e308}, ":2 is not a verdict: wall_seconds"),
        ({"started": "2026-01-31T14:25:01"}, ":2 is not a verdict: started"),
        ({"started": "9999-12-31T23:59:59-23:59"}, ":2 is not a verdict: started"),
        ({"setup": [{"ending": "won"}]}, ":2 is not a verdict: setup.0.ending"),
    ],
    ids=str,
)
def test_a_verdict_that_no_run_writes_is_refused(
    world: World, capsys: pytest.CaptureFixture[str], change: dict[str, Any], said: str
) -> None:
    (part,) = shards(world, 1)
    results = Path(part) / RESULTS
    first, second, *others = results.read_text().splitlines()
    step = json.loads(first)["checks"][0]["steps"][0]
    if "setup" in change:
        change = {"setup": [step | change["setup"][0]]}
    results.write_text("\n".join([first, json.dumps(json.loads(second) | change), *others, ""]))
    assert run(["merge", part, "-o", str(OUT)]) == ExitCode.USAGE
    assert said in " ".join(capsys.readouterr().err.split())


def test_more_verdicts_than_a_shard_was_to_grade_are_refused(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    parts = shards(world, 2)
    results = Path(parts[0]) / RESULTS
    (verdict, *others) = results.read_text().splitlines()
    foreign = json.dumps(json.loads(verdict) | {"submission": "foreign", "id": "0123456789abcdef"})
    results.write_text("\n".join([verdict, *others, foreign, ""]))
    assert run(["merge", *parts, "-o", str(OUT)]) == ExitCode.USAGE
    count = len(others) + 1
    error = " ".join(capsys.readouterr().err.split())
    assert f"has verdicts of {count + 1} gradings, but was asked to grade {count}" in error


def test_the_same_request_in_another_checkout_is_the_same(world: World, tmp_path: Path) -> None:
    first, second = tmp_path / "x", tmp_path / "y" / "z"
    for number, place in enumerate((first, second), 1):
        place.mkdir(parents=True)
        os.chdir(place)
        run([*World().arguments, "-q", "--shard", f"{number}/2", "--runs", str(tmp_path / "shards")])
    assert world
    parts = [str(path) for path in (tmp_path / "shards").glob("[!.]*")]
    assert run(["merge", *parts, "-o", str(OUT)]) == ExitCode.FAILED
    assert len(lines(OUT)) == 12


def test_an_empty_shard_is_a_run_without_verdicts(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    one = ["-c", "a", "-s", "work/one", "--runs", "shards"]
    codes = [run([*one, "--shard", f"{number}/3"]) for number in (1, 2, 3)]
    assert codes == [ExitCode.PASSED] * 3
    assert "nothing to grade; the other shards have all of 1 grading" in capsys.readouterr().err
    parts = [str(path) for path in Path("shards").glob("[!.]*")]
    assert len(parts) == 3
    assert run(["merge", *parts, "-o", str(OUT)]) == ExitCode.PASSED
    assert world.graded == 1


def test_a_continued_shard_stays_that_shard(world: World) -> None:
    (directory,) = shards(world, 1)
    record = json.loads((Path(directory) / RECORD).read_text())["asked"]
    assert (record["shard"], record["tasks"], sorted(record["case_hashes"])) == ("1/1", 12, ["a", "b", "c"])
    run([*world.arguments, "-q", "--shard", "2/2", "--runs", "half"])
    (half,) = Path("half").glob("[!.]*")
    before = same(half)
    (half / RESULTS).write_text("")
    (half / LOG).unlink()
    assert run(["--resume", str(half), "-q"]) == ExitCode.FAILED
    assert same(half) == before


def test_a_directory_that_is_something_else_is_left_alone(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    parts = shards(world, 1)
    assert run(["merge", *parts, "-o", "work"]) == ExitCode.USAGE
    assert "work is not empty and not a run directory" in capsys.readouterr().err


def test_many_runs_take_no_more_memory_and_no_more_open_files(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    (part,) = shards(world, 1)
    copies = [str(shutil.copytree(part, f"copies/{number}")) for number in range(40)]
    append, open_files = Store.append, len([*Path("/dev/fd").iterdir()])
    seen: list[tuple[int, int, int]] = []

    def held(kind: type[T]) -> list[T]:
        return [one for one in gc.get_objects() if isinstance(one, kind)]

    def whole(records: list[SavedRun]) -> int:
        return sum("submissions" in one.requested for one in records)

    def counted(store: Store, evidence: bytes, line: bytes, work: Work) -> None:
        append(store, evidence, line, work)
        seen.append((len(held(VerdictDocument)), whole(held(SavedRun)), len([*Path("/dev/fd").iterdir()]) - open_files))

    monkeypatch.setattr(Store, "append", counted)
    gc.collect()
    # What other tests of this process hold is not counted.
    gc.freeze()
    try:
        assert run(["merge", *copies, "-o", str(OUT), "-q"]) == ExitCode.FAILED
    finally:
        gc.unfreeze()
    assert len(seen) == 12
    # The verdict that is written, and the record of the first run; lock, results and evidence, and the run's evidence.
    assert tuple(map(max, zip(*seen, strict=True))) == (1, 1, 4)


def test_evidence_that_cannot_be_read_is_named(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    (part,) = shards(world, 1)
    Path(part, LOG).unlink()
    Path(part, LOG).mkdir()
    assert run(["merge", part, "-o", str(OUT)]) == ExitCode.USAGE
    error = " ".join(capsys.readouterr().err.split())
    assert f"{Path(part).name}/evidence/a/one cannot be read: not a regular file" in error
    # Reports name what they can, and do without the rest.
    assert run(["report", part, "-f", "html", "-o", "report.html"]) == ExitCode.PASSED


def test_runs_of_version_0_1_keep_their_evidence(world: World) -> None:
    parts = shards(world, 2)
    run(["merge", *parts, "-o", str(OUT)])
    for part in parts:
        unpacked(Path(part))
    run(["merge", *parts, "-o", "old"])
    assert list(outputs(Path("old"))) == list(outputs(OUT))
