"""How the cases of a run are judged is settled before its first grading, for all that comes of the run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from apart_fakes import Said, Told, runner
from fake_engine import FakeEnd, FakeEngine, FakeRun
from fake_images import FakeImages
from grading_bench import write
from world import the_run

from gradebox.graders.cases import load
from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.model.case import Case
from gradebox.graders.model.crossing import Crossing, Isolation
from gradebox.graders.model.events import CasesSettled
from gradebox.graders.runs import settled
from gradebox.graders.runs.saved_run import read_run
from gradebox.graders.runs.store import RECORD
from gradebox.sandbox.engines import docker

CASE = 'image: image\nassertions: [{name: tests, type: code-grader, command: "pytest grading", required: true}]\n'
CONTRACT = 'contract {"a": ["call"]}'
LOST = FakeEnd(lost=True)


class Settling:
    """Three cases: the reference of one passes apart, that of another in-process alone, and one has none."""

    def __init__(self) -> None:
        self.told: list[tuple[str, bool, bool, Any]] = []
        self.ends: list[FakeEnd] = []
        self.fails_apart = {b"inner"}
        for name, reference in (("outer", "outer"), ("inner", "inner"), ("none", "")):
            write(Path(name), {"case.yaml": CASE, "grading/test_a.py": "", "workspace/a.py": ""})
            write(Path(name), {"workspace/kind": name} | ({"reference/a.py": reference} if reference else {}))
        write(Path("work"), {"one/a.py": "one", "two/a.py": "two"})

    def __call__(self, ran: FakeRun) -> FakeEnd:
        if self.ends:
            return self.ends.pop()
        return runner(self._say)(ran)

    def _say(self, told: Told) -> Said:
        apart = told.apart or {}
        self.told.append((told.files["a.py"].decode(), told.apart is not None, told.record, apart.get("contract")))
        fails = told.apart is not None and told.files["kind"] in self.fails_apart
        return Said(passed=not fails, lines=[CONTRACT] if told.record else [])

    @property
    def recorded(self) -> int:
        return sum(record for _, _, record, _ in self.told)

    def taken(self) -> list[tuple[str, bool, bool, Any]]:
        told, self.told = self.told, []
        return told


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Settling:
    monkeypatch.chdir(tmp_path)
    world = Settling()
    monkeypatch.setattr(docker, "connect", lambda *_: FakeEngine(world))
    return world


ALL = ["-c", "outer", "-c", "inner", "-c", "none", "-s", "work/one", "-s", "work/two"]


def judged(directory: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for verdict in read_run(directory).verdicts.values():
        found.setdefault(verdict.case, set()).update(check.judged for check in verdict.checks)
    return found


def record(directory: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((directory / RECORD).read_text())["asked"]
    return found


def test_each_reference_decides_once_for_all_submissions(world: Settling, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(ALL) == ExitCode.PASSED
    assert judged(the_run()) == {"outer": {"apart"}, "inner": {"in-process"}, "none": {"in-process"}}
    # Two runs of each reference, one by its contract or in-process, and six gradings.
    assert len(world.told) == 3 + 3 + 6
    assert {contract is not None for name, apart, _, contract in world.told if name == "one" and apart} == {True}
    said = capsys.readouterr().err
    assert (
        "isolation: 1 case apart; 1 case in-process, because the reference fails apart; "
        "1 case in-process, because it has no reference" in said
    )


def test_the_run_records_it_and_the_next_run_of_the_directory_knows_it(world: Settling) -> None:
    run([*ALL, "-q"])
    found = {one["case"]: one for one in record(the_run())["crossings"]}
    assert {name: one["isolation"] for name, one in found.items()} == {"outer": "apart", "inner": "in-process"}
    assert found["outer"]["contracts"] == {"tests": {"a": ["call"]}}
    assert "the reference fails: tests: exit status 1" in found["inner"]["why"]
    world.taken()
    run([*ALL, "-q"])
    assert (len(world.told), world.recorded) == (6, 0)


def test_a_run_that_is_continued_does_not_decide_again(world: Settling) -> None:
    run([*ALL, "-q"])
    first = the_run()
    shutil.rmtree("runs/.baselines")
    # It would be decided otherwise now.
    world.fails_apart = {b"outer"}
    world.taken()
    lines = (first / "results.jsonl").read_text().splitlines(keepends=True)
    (first / "results.jsonl").write_text("".join(lines[:1]))
    run(["--resume", str(first), "-q"])
    assert world.recorded == 0
    assert judged(first)["outer"] == {"apart"}
    assert len(world.told) == 5


@pytest.fixture
def with_images(world: Settling, monkeypatch: pytest.MonkeyPatch) -> FakeImages:
    """Give each case an image of its own, which a registry has."""
    images, names = FakeImages(registry={"outer:1", "inner:1", "none:1"}), ("outer", "inner", "none")
    for name in names:
        write(Path(name), {"case.yaml": CASE.replace("image: image", f"image: {name}:1")})
    engine = FakeEngine(world, references=tuple(images.registry), images=images)
    monkeypatch.setattr(docker, "connect", lambda *_: engine)
    return images


DISK = ["--disk", "1.5k", "-j", "1"]


def test_with_a_limit_of_disk_a_case_is_settled_when_its_image_is_there(
    world: Settling, with_images: FakeImages, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*ALL, *DISK]) == ExitCode.PASSED
    assert judged(the_run()) == {"outer": {"apart"}, "inner": {"in-process"}, "none": {"in-process"}}
    assert len(world.told) == 3 + 3 + 6
    assert with_images.pulled == ["outer:1", "inner:1", "none:1"]
    assert with_images.images == {}
    said = capsys.readouterr().err
    assert "isolation: 1 case apart; 1 case in-process, because the reference fails apart; 1 case" in said
    assert "images: 3 obtained, 0.0 GB at most at a time" in said
    found = {one["case"]: one for one in record(the_run())["crossings"]}
    assert found["outer"]["contracts"] == {"tests": {"a": ["call"]}}
    assert (found["outer"]["isolation"], found["inner"]["isolation"]) == ("apart", "in-process")


def test_with_a_limit_of_disk_a_continued_run_does_not_decide_again(world: Settling, with_images: FakeImages) -> None:
    run([*ALL, *DISK, "-q"])
    first, before = the_run(), record(the_run())
    shutil.rmtree("runs/.baselines")
    world.fails_apart = {b"outer"}
    world.taken()
    lines = (first / "results.jsonl").read_text().splitlines(keepends=True)
    (first / "results.jsonl").write_text("".join(lines[:1]))
    run(["--resume", str(first), *DISK, "-q"])
    assert world.recorded == 0
    assert judged(first)["outer"] == {"apart"}
    assert record(first) == before
    assert with_images.images == {}


def test_gradings_are_ordered_by_image(
    world: Settling, with_images: FakeImages, capsys: pytest.CaptureFixture[str]
) -> None:
    write(Path("none"), {"case.yaml": CASE.replace("image: image", "image: outer:1")})
    run([*ALL, *DISK, "--json"])
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["case"] for one in found] == ["outer", "outer", "none", "none", "inner", "inner"]
    # Their places in the run stay.
    assert [one["number"] for one in found] == [1, 2, 5, 6, 3, 4]
    assert with_images.pulled == ["outer:1", "inner:1"]


def test_a_limit_of_disk_needs_an_engine_whose_images_can_be_removed(
    world: Settling, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    info = FakeEngine.info
    monkeypatch.setattr(FakeEngine, "info", lambda engine: replace(info(engine), removes_images=False))
    assert run([*ALL, *DISK, "-q"]) == ExitCode.USAGE
    assert "--disk limits the images of a Docker Engine, which Fake Engine is not" in capsys.readouterr().err
    assert world.told == []


@pytest.mark.parametrize("text", ["", "much", "-1", "0"])
def test_what_is_no_size_of_a_disk_is_refused(world: Settling, capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert run([*ALL, f"--disk={text}"]) == ExitCode.USAGE
    assert f"--disk takes a size, not {text}." in capsys.readouterr().err
    assert world.told == []


def test_a_case_that_has_changed_since_is_decided_again(world: Settling) -> None:
    run([*ALL, "-q"])
    write(Path("outer"), {"reference/a.py": "another"})
    world.fails_apart = {b"outer", b"inner"}
    world.taken()
    run(["--resume", str(the_run()), "-q"])
    assert [name for name, *_ in world.told] == ["another"] * 3 + ["one", "two"]
    assert judged(the_run())["outer"] == {"in-process"}


def test_what_was_run_apart_is_scored_again_as_such(world: Settling) -> None:
    run([*ALL, "-q"])
    first = the_run()
    world.taken()
    assert run(["regrade", str(first), "-q"]) == ExitCode.PASSED
    (second,) = {*Path("runs").glob("[!.]*")} - {first}
    assert judged(second) == judged(first)
    contents = [[one.content for one in read_run(run_).verdicts.values()] for run_ in (first, second)]
    assert contents[0] == contents[1]
    assert world.told == []


def test_shards_that_decided_otherwise_are_not_merged(world: Settling, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (1, 2):
        world.fails_apart = {b"outer", b"inner"} if number == 2 else {b"inner"}
        run([*ALL, "-q", "--shard", f"{number}/2", "--runs", f"shard{number}"])
    shards = [str(next(Path(f"shard{number}").glob("[!.]*"))) for number in (1, 2)]
    kept = [{one["case"] for one in record(Path(path)).get("crossings", ())} for path in shards]
    assert "outer" in kept[0] & kept[1]
    assert run(["merge", *shards, "--output", "whole"]) == ExitCode.USAGE
    assert "`isolation` of outer is apart and in-process" in capsys.readouterr().err


def test_merged_shards_have_what_all_of_them_decided(world: Settling) -> None:
    for number in (1, 2, 3):
        run([*ALL, "-q", "--shard", f"{number}/3", "--runs", "shards"])
    shards = sorted(str(path) for path in Path("shards").glob("[!.]*"))
    assert run(["merge", *shards, "--output", "whole", "-q"]) == ExitCode.PASSED
    assert {one["case"] for one in record(Path("whole"))["crossings"]} == {"outer", "inner"}


@pytest.mark.parametrize(("option", "runs"), [("apart", 2), ("in-process", 0), ("auto", 2)])
def test_the_command_line_decides_before_the_case(world: Settling, option: str, runs: int) -> None:
    write(Path("outer"), {"case.yaml": f"{CASE}isolation: in-process\n"})
    run(["-c", "outer", "-s", "work/one", "-q", "--isolation", option])
    wanted = "in-process" if option == "in-process" else "apart"
    assert judged(the_run()) == {"outer": {wanted}}
    assert world.recorded == runs
    assert record(the_run())["isolation"] == option


def test_what_the_engine_prevents_is_an_error_and_no_choice(world: Settling) -> None:
    world.ends = [LOST]
    assert run([*ALL[:2], "-s", "work/one", "-q"]) == ExitCode.NOT_GRADED
    assert "crossings" not in record(the_run())
    (verdict,) = read_run(the_run()).verdicts.values()
    assert "It is unknown whether the reference passes" in verdict.reasons[0]
    assert [name for name, *_ in world.told] == []
    run(["--resume", str(the_run()), "--rerun", "error", "-q"])
    assert judged(the_run()) == {"outer": {"apart"}}


@pytest.fixture
def case(world: Settling) -> Case:
    (found,) = load(Path("outer")).cases
    return found


@pytest.mark.parametrize("value", [None, 1, [1], [{}], [{"case": "outer"}], [{"case": "outer", "target": None}]])
def test_a_record_that_cannot_be_read_says_nothing(case: Case, value: Any) -> None:
    assert settled.recorded({"crossings": value}) == {}
    assert settled.with_recorded([case], {"crossings": value}) == (case,)


class _Settler:
    def __init__(self, answers: Iterator[Crossing | None]) -> None:
        self.answers = answers

    def settle(self, case: Case, known: Crossing | None = None) -> Case:
        return replace(case, crossing=known or next(self.answers))


def test_what_is_known_is_passed_on(case: Case) -> None:
    known = Crossing(Isolation.APART)
    found = settled.settle_all(_Settler(iter(())), [case], {settled.name_of(case): known}, 1)
    assert [one.crossing for one in found.values()] == [known]


Counted = Callable[[Crossing | None], CasesSettled | None]


@pytest.mark.parametrize(
    ("crossing", "expected"),
    [
        (Crossing(Isolation.APART), CasesSettled(1, 0, 0)),
        (Crossing(Isolation.IN_PROCESS), CasesSettled(0, 1, 0)),
        (Crossing(Isolation.APART, problem="lost"), None),
        (None, CasesSettled(0, 0, 1)),
    ],
)
def test_cases_are_counted_once(case: Case, crossing: Crossing | None, expected: CasesSettled | None) -> None:
    assert settled.summary([replace(case, crossing=crossing)] * 2) == expected
    assert settled.summary([replace(case, crossing=crossing, isolation=Isolation.APART)]) is None
