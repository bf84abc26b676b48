"""The Python interface, against the scripted engine."""

from __future__ import annotations

import asyncio
import inspect
import signal
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_engine import FakeEnd, FakeEngine, FakeRun
from grading_bench import FAIL, PASS, write

from gradebox import graders
from gradebox.graders import Grader, Status, Submission, Task, load_case, read_submission
from gradebox.graders.errors import CaseRefused, SubmissionRefused
from gradebox.graders.grading import internal_error, prepare
from gradebox.graders.grading.planner import make_plan
from gradebox.graders.model.case import Case
from gradebox.graders.model.events import CaseGraded, Event
from gradebox.graders.model.plan import Files, Plan
from gradebox.graders.model.submission import UNTOUCHED, Form
from gradebox.graders.model.tree import Tree
from gradebox.graders.runs.run_grader import RunGrader
from gradebox.sandbox import owner
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.engines import docker
from gradebox.sandbox.engines.engine import EngineInfo, Leftover
from gradebox.sandbox.errors import EngineUnavailable
from gradebox.sandbox.owner import LABEL_OWNER
from gradebox.sandbox.types import Ending

CASE = 'image: image\nassertions: [{type: code-grader, command: ["check"]}]\n'


@pytest.fixture
def case(tmp_path: Path) -> Path:
    write(tmp_path / "case", {"case.yaml": CASE, "workspace/a": "stub"})
    return tmp_path / "case"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    write(tmp_path / "work", {"a": "mine"})
    return tmp_path / "work"


def passes_when_done(run: FakeRun) -> FakeEnd:
    return PASS if run.files.get("a") == b"mine" else FAIL


def test_a_case_and_a_submission_may_be_named_or_at_hand(case: Path, work: Path) -> None:
    with Grader(engine=FakeEngine(passes_when_done)) as grader:
        for asked in (case, str(case), load_case(case)):
            for submission in (work, str(work), read_submission(work)):
                graded = grader.grade(asked, submission)
                assert (graded.case, graded.submission, graded.verdict.status) == ("case", "work", Status.PASSED)


def test_many_may_be_named_or_be_texts(case: Path, work: Path) -> None:
    asked = [(case, work), (str(case), str(work)), (case, None), (load_case(case), read_submission(work))]
    with Grader(engine=FakeEngine(passes_when_done)) as grader:
        found = list(grader.grade_many(Task(*one) for one in asked))
        (alone,) = grader.grade_many([Task(case, answer="a")])
    assert [one.submission for one in found] == ["work", "work", "(untouched)", "work"]
    assert [str(one.verdict.status)[0] for one in found] == ["p", "p", "f", "p"]
    assert alone.submission == "answer"


def test_a_source_file_without_a_place_fails_and_nothing_runs(case: Path, tmp_path: Path) -> None:
    write(tmp_path, {"model.py": "x = 1"})
    engine = FakeEngine()
    with Grader(engine=engine) as grader:
        verdict = grader.grade(case, tmp_path / "model.py").verdict
    assert verdict.status is Status.FAILED
    assert "unreadable" in verdict.reasons[0]
    assert engine.created == []


def test_its_signatures_hold_what_a_program_needs() -> None:
    names = {"engine", "host", "profile", "runtime", "accept_weaker"}
    assert set(inspect.signature(Grader).parameters) == names


def test_one_grading_needs_no_grader(case: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = FakeEngine(passes_when_done)
    asked: list[str | None] = []

    def connect(url: str | None, _: int) -> FakeEngine:
        asked.append(url)
        return engine

    monkeypatch.setattr(docker, "connect", connect)
    assert graders.grade(case, work, host="tcp://build:2376").verdict.status is Status.PASSED
    assert asked == ["tcp://build:2376"]


def test_without_a_submission_the_untouched_workspace_is_graded(case: Path) -> None:
    with Grader(engine=FakeEngine(passes_when_done)) as grader:
        found = [grader.grade(case), *grader.grade_many([Task(load_case(case))])]
    assert [(one.submission, one.verdict.status) for one in found] == [("(untouched)", Status.FAILED)] * 2


def test_the_example_of_the_package_runs_as_it_is_written(
    case: Path, work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert graders.__doc__ is not None
    example = graders.__doc__[graders.__doc__.index("from gradebox") :]
    monkeypatch.setattr(docker, "connect", lambda *_: FakeEngine(passes_when_done))
    exec(example.replace("cases/add-auth", str(case)).replace("work/", str(work)), {})
    assert capsys.readouterr().out == "passed 1.0\n"


def test_what_is_promised_to_importers_is_there() -> None:
    assert {name: getattr(graders, name).__name__ for name in graders.__all__} == {
        name: name for name in graders.__all__
    }
    with pytest.raises(AttributeError, match="nothing"):
        graders.nothing  # noqa: B018


def test_an_event_loop_is_not_blocked(case: Path) -> None:
    meanwhile = threading.Event()

    def script(run: FakeRun) -> FakeEnd:
        assert meanwhile.wait(10), "the loop stood still"
        return PASS

    async def both() -> Status:
        with Grader(engine=FakeEngine(script)) as grader:
            grading = asyncio.create_task(grader.grade_async(case))
            await asyncio.sleep(0)
            meanwhile.set()
            return (await grading).verdict.status

    assert asyncio.run(both()) is Status.PASSED


def tasks(case: Path, count: int) -> list[Task]:
    return [Task(load_case(case), Submission(f"#{number}")) for number in range(count)]


def test_many_are_graded_at_a_time_and_told_in_their_order(case: Path) -> None:
    together = threading.Barrier(3, timeout=10)

    def script(run: FakeRun) -> FakeEnd:
        together.wait()
        return PASS

    with Grader(engine=FakeEngine(script)) as grader:
        found = [graded.submission for graded in grader.grade_many(tasks(case, 9), jobs=3)]
    assert found == [f"#{number}" for number in range(9)]


def test_tasks_are_taken_only_a_little_ahead_of_the_results(case: Path) -> None:
    taken: list[Task] = []

    def endless() -> Iterator[Task]:
        while True:
            taken.extend(tasks(case, 1))
            yield taken[-1]

    engine = FakeEngine()
    with Grader(engine=engine) as grader:
        results = grader.grade_many(endless(), jobs=2)
        for _ in range(3):
            next(results)
        assert len(taken) < 20
        results.close()  # type: ignore[attr-defined]
    assert engine.open_containers == ()


def test_stopping_ends_what_runs_and_begins_nothing_new(case: Path) -> None:
    engine = FakeEngine()
    grader = Grader(engine=engine)

    def script(run: FakeRun) -> FakeEnd:
        grader.stop()
        return FakeEnd(lost=True)

    engine.script = script
    found = list(grader.grade_many(tasks(case, 20)))
    assert 1 <= len(found) < 20
    assert {graded.verdict.status for graded in found} == {Status.ERROR}
    assert len(engine.created) == 1
    assert found[0].verdict.checks[0].steps[0].outcome.ending is Ending.SANDBOX_LOST


def test_stopping_kills_the_sandboxes_that_are_open(case: Path) -> None:
    killed: list[str] = []

    class Killed(FakeEngine):
        def kill(self, container: str) -> None:
            killed.append(container)
            super().kill(container)

    engine = Killed()
    grader = Grader(engine=engine)
    engine.script = lambda run: grader.stop() or FakeEnd()
    grader.grade(case)
    assert killed == ["container-1"]


class Stuck(FakeEngine):
    """An engine whose commands end when their sandbox is killed."""

    def __init__(self) -> None:
        super().__init__(self.wait)
        self.begun, self.killed = threading.Event(), threading.Event()

    def wait(self, run: FakeRun) -> FakeEnd:
        self.begun.set()
        assert self.killed.wait(10), "nobody killed it"
        return FakeEnd(lost=True)

    def kill(self, container: str) -> None:
        super().kill(container)
        self.killed.set()


def test_a_call_that_is_cancelled_has_its_sandbox_killed_and_no_other(case: Path) -> None:
    engine = Stuck()

    async def main(grader: Grader) -> Status:
        grading = asyncio.create_task(grader.grade_async(case))
        assert await asyncio.to_thread(engine.begun.wait, 10)
        engine.script = lambda run: PASS
        grading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await grading
        return (await grader.grade_async(case)).verdict.status

    with Grader(engine=engine) as grader:
        assert asyncio.run(main(grader)) is Status.PASSED
    assert engine.killed.is_set()
    assert engine.open_containers == ()


def test_whoever_is_interrupted_while_waiting_for_many_kills_them_and_may_go_on(case: Path) -> None:
    engine = Stuck()
    reader = threading.get_ident()

    def script(run: FakeRun) -> FakeEnd:
        if len(engine.created) == 1:
            # By the second one, nobody is starting a thread any more.
            return PASS
        signal.pthread_kill(reader, signal.SIGINT)
        return engine.wait(run)

    engine.script = script
    with Grader(engine=engine) as grader:
        with pytest.raises(KeyboardInterrupt):
            list(grader.grade_many(tasks(case, 20)))
        assert len(engine.created) == 2
        assert engine.open_containers == ()
        engine.script = lambda run: PASS
        assert {found.verdict.status for found in grader.grade_many(tasks(case, 3))} == {Status.PASSED}


def test_an_engine_that_does_not_answer_about_one_sandbox_is_asked_about_the_next(case: Path) -> None:
    killed: list[str] = []

    class Deaf(FakeEngine):
        def kill(self, container: str) -> None:
            killed.append(container)
            raise EngineUnavailable("It does not answer.")

    def script(run: FakeRun) -> FakeEnd:
        both_run.wait()
        return FakeEnd(lost=True)

    engine = Deaf(script)
    grader = Grader(engine=engine)
    both_run = threading.Barrier(2, action=grader.stop)
    found = list(grader.grade_many(tasks(case, 2), jobs=2))
    assert {graded.verdict.status for graded in found} == {Status.ERROR}
    assert sorted(killed) == ["container-1", "container-2"]


def test_a_bug_that_one_submission_brings_to_light_is_reported_and_the_others_are_graded(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plan(case: Case, files: Files, laid: Tree, **words: Any) -> Plan:
        if "deep" in laid.entries:
            raise RecursionError("x" * 1000)
        return make_plan(case, files, laid, **words)

    monkeypatch.setattr(prepare, "make_plan", plan)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(internal_error, "_reports", {})
    deep = Submission("deep", Form.DIRECTORY, Tree({"deep": file_entry("deep", b"")}))
    asked = [Task(load_case(case), one, number=at) for at, one in enumerate([deep, UNTOUCHED, replace(deep, name="2")])]
    heard: list[Event] = []
    with RunGrader(engine=FakeEngine()).wired(emit=heard.append) as grader:
        found = list(grader.grade_many(asked, jobs=2))
    (report,) = tmp_path.glob("gradebox-bug-*.txt")
    assert "in plan\n" in report.read_text()
    said = f"internal error in gradebox (RecursionError: {'x' * 300}); please report it and attach {report}"
    assert [(one.submission, one.number, one.verdict.status) for one in found] == [
        ("deep", 0, Status.ERROR),
        ("(untouched)", 1, Status.PASSED),
        ("2", 2, Status.ERROR),
    ]
    assert [one.verdict.reasons for one in (found[0], found[2])] == [(said,), (said,)]
    assert [check.reason for check in found[0].verdict.checks] == [f"not run: {said}"]
    assert sum(isinstance(event, CaseGraded) for event in heard) == len(asked)


def test_whoever_leaves_the_loop_waits_for_nothing_that_runs(case: Path, work: Path) -> None:
    killed: list[str] = []
    second_runs, second_ends = threading.Event(), threading.Event()

    class Killed(FakeEngine):
        def kill(self, container: str) -> None:
            killed.append(container)
            second_ends.set()

    def script(run: FakeRun) -> FakeEnd:
        if run.files["a"] == b"stub":
            return PASS
        second_runs.set()
        return FakeEnd(lost=second_ends.wait(10))

    asked = [Task(load_case(case)), Task(load_case(case), read_submission(work))]
    with Grader(engine=Killed(script)) as grader:
        for _ in grader.grade_many(asked, jobs=2):
            assert second_runs.wait(10)
            break
    assert len(killed) == 1


def test_a_runtime_reaches_the_sandbox(case: Path) -> None:
    engine = FakeEngine()
    Grader(engine=engine, runtime="runsc").grade(case)
    assert [spec.runtime for spec in engine.created] == ["runsc"]


def test_what_crashed_runs_left_is_removed_on_first_use(case: Path) -> None:
    host, pid, start = owner.me().split(":")
    engine = FakeEngine(extra=[Leftover("container", "old", {LABEL_OWNER: f"{host}:{pid}:{int(start) + 1}"}, 0.0)])
    grader = Grader(engine=engine)
    assert engine.removed == []
    grader.grade(case)
    assert engine.removed[0] == "old"


def test_no_engine_is_said_on_first_use_and_not_before(case: Path) -> None:
    class Absent(FakeEngine):
        def info(self) -> EngineInfo:
            raise EngineUnavailable("It does not answer.")

    with Grader(engine=Absent()) as grader, pytest.raises(EngineUnavailable):
        grader.grade(case)


def test_an_engine_that_was_given_is_not_closed_but_one_of_our_own_is(
    case: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str | None] = []

    class Closing(FakeEngine):
        def close(self) -> None:
            closed.append("closed")

    with Grader(engine=Closing()) as grader:
        grader.grade(case)
    assert closed == []
    monkeypatch.setattr(docker, "connect", lambda host, _: closed.append(host) or Closing())
    with Grader(host="tcp://build:1") as grader:
        grader.grade(case)
        grader.grade(case)
    assert closed == ["tcp://build:1", "closed"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("assertions: []\n", "case.yaml"),
        ("asertions: []\n", "assertions"),
        (f"{CASE}execution: {{targets: [a, b]}}\n", "2 cases"),
    ],
)
def test_a_case_with_mistakes_is_refused_with_all_of_them(case: Path, text: str, said: str) -> None:
    (case / "case.yaml").write_text(text)
    with pytest.raises(CaseRefused, match=said):
        Grader(engine=FakeEngine()).grade(case)


def test_a_submission_that_is_not_there_is_refused(case: Path) -> None:
    with pytest.raises(SubmissionRefused, match="nowhere"):
        Grader(engine=FakeEngine()).grade(case, "nowhere")
