"""A run emits events in the order of its tasks, prints nothing, and keeps nothing of what was cut off."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from fake_engine import FakeEngine
from grading_bench import write
from world import World, verdicts

from gradebox.graders.cases import load
from gradebox.graders.cases.select import EVERYTHING, choose
from gradebox.graders.errors import OutputLost, UsageRefused
from gradebox.graders.grading.task import Task
from gradebox.graders.model.case import Trials
from gradebox.graders.model.events import CaseGraded, Event, RunFinishing, RunStarted, VerdictReported
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.transcript import Transcript
from gradebox.graders.model.verdict import Status
from gradebox.graders.runs.request import Request
from gradebox.graders.runs.reuse import Reuse
from gradebox.graders.runs.run import Run
from gradebox.graders.runs.saved_run import read_run
from gradebox.graders.runs.tasks import Listed, Tasks, tasks_of
from gradebox.graders.submissions.class_folder import hand_ins
from gradebox.graders.submissions.source import read_submission
from gradebox.graders.targets.cost_limit import CostLimited
from gradebox.graders.targets.target import Target
from gradebox.sandbox.engines import docker


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.chdir(tmp_path)
    world = World()
    monkeypatch.setattr(docker, "connect", lambda *_: FakeEngine(world))
    return world


def run_of(request: Request, events: list[Event], reuse: Reuse | None = None) -> Run:
    chosen = choose([load(path) for path in request.cases], EVERYTHING)
    tasks = tasks_of(request, chosen.cases).repeated(request.repeat)
    return Run(request, chosen, tasks, reuse or Reuse(), events.append)


def request(*submissions: str, **more: object) -> Request:
    return Request(cases=(Path("a"), Path("b")), submissions=submissions, **more)  # type: ignore[arg-type]


def carry_out(run: Run) -> None:
    with run.grader() as grader:
        run.carry_out(grader)


def test_verdicts_are_reported_in_the_order_of_the_tasks(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    events: list[Event] = []
    run = run_of(request("work/one", "work/two", jobs=4), events)
    carry_out(run)
    reported = [event for event in events if isinstance(event, VerdictReported)]
    expected = [("a", "one"), ("a", "two"), ("b", "one"), ("b", "two")]
    assert [(event.result.case, event.result.submission) for event in reported] == expected
    assert isinstance(events[0], RunStarted)
    assert events[0].directory == run.directory
    assert sum(isinstance(event, CaseGraded) for event in events) == run.totals.count == len(run.tasks) == 4
    assert capsys.readouterr() == ("", "")


def test_a_verdict_is_on_disk_before_it_is_reported(world: World) -> None:
    seen = []

    def listen(event: Event) -> None:
        if isinstance(event, VerdictReported):
            assert run.directory is not None
            seen.append(len(read_run(run.directory).verdicts) >= len(seen) + 1)

    run = run_of(request("work/one", "work/two"), [])
    run.emit = listen
    carry_out(run)
    assert seen == [True] * 4


def test_a_run_that_fails_fast_says_that_nothing_new_starts(world: World) -> None:
    events: list[Event] = []
    run = run_of(request("work/two", "work/one", max_failures=1, jobs=1), events)
    carry_out(run)
    assert RunFinishing() in events
    assert run.totals.count < len(run.tasks)


def test_verdicts_of_a_continued_run_are_reported_as_such(world: World) -> None:
    first: list[Event] = []
    run = run_of(request("work/one"), first)
    carry_out(run)
    assert run.directory is not None
    again: list[Event] = []
    resumed = run_of(request("work/one", resume=run.directory), again, Reuse(read_run(run.directory)))
    carry_out(resumed)
    assert [event.resumed for event in again if isinstance(event, VerdictReported)] == [True, True]
    assert (resumed.totals.resumed, resumed.totals.graded) == (2, 0)


def test_a_class_whose_names_would_be_one_has_all_its_verdicts_and_is_continued(world: World) -> None:
    paths = ("eve/a.txt", "eve.d/a.txt", "eve (1)/a.txt", "M\udcfcller/a.txt", "M\udcf6ller/a.txt", "M\\xf6ller/a.txt")
    write(Path("handins"), dict.fromkeys(paths, "1"))
    found = hand_ins(Path("handins"), name_from=r"[^.]+")
    whole = replace(request(*(one.path for one in found)), hand_ins=found)
    run = run_of(whole, [])
    carry_out(run)
    assert run.directory is not None
    assert len(read_run(run.directory).verdicts) == 2 * len(paths)
    resumed = run_of(replace(whole, resume=run.directory), [], Reuse(read_run(run.directory)))
    carry_out(resumed)
    assert (resumed.totals.resumed, resumed.totals.graded) == (2 * len(paths), 0)


def test_a_listener_that_fails_ends_the_run_and_nothing_killed_is_kept(world: World) -> None:
    def listen(event: Event) -> None:
        if isinstance(event, VerdictReported):
            raise OutputLost("stdout cannot be written: No space left on device.")

    run = run_of(request("work/one", "work/two", "work/three", jobs=2), [])
    run.emit = listen
    with pytest.raises(OutputLost):
        carry_out(run)
    assert run.directory is not None
    assert all(verdict != "error" for *_, verdict, _ in verdicts(run.directory))


def test_a_runtime_that_the_engine_lacks_is_refused_before_there_is_a_directory(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = FakeEngine.info
    monkeypatch.setattr(FakeEngine, "info", lambda engine: replace(info(engine), runtimes=("runc",)))
    run = run_of(request("work/one", runtime="runsc"), [])
    with pytest.raises(UsageRefused, match="no runtime runsc"):
        carry_out(run)
    assert not Path("runs").exists()


class Costly:
    """A target whose submissions pass, and whose transcripts say that each of them cost a dollar."""

    name = "agent"

    def produce(self, *_: object, **__: object) -> Submission:
        return replace(read_submission("work/one", name="agent"), transcript=Transcript(cost_usd=1.0))


@pytest.mark.parametrize(
    ("strategy", "status"),
    [
        ("pass_all", Status.ERROR),
        ("mean", Status.ERROR),
        ("confidence_interval", Status.ERROR),
        ("pass_at_k", Status.PASSED),
    ],
)
def test_a_target_cannot_choose_how_many_of_its_tries_count(world: World, strategy: str, status: Status) -> None:
    run = run_of(request("work/one", jobs=1), [])
    case = replace(run.chosen.cases[0], target="agent", trials=Trials(3, strategy, 1.0))
    limited = CostLimited(cast("Target", Costly()), 1.0)
    tasks = [Task(case, limited, repeat=number) for number in (1, 2, 3)]
    run.tasks = Tasks(len(tasks), lambda: map(Listed.of, tasks))
    carry_out(run)
    assert run.directory is not None
    written = [verdict.verdict for verdict in read_run(run.directory).verdicts.values()]
    assert written == ["passed", "error", "error"]
    ((_, found),) = run.totals.tries.tried()
    assert (found.status, found.count) == (status, 3)
