"""A sandbox's life, against the scripted engine: real frames, no container."""

from __future__ import annotations

from threading import Thread
from types import SimpleNamespace

import pytest
from fake_engine import FakeEnd, FakeEngine, FakeRun

from gradebox.sandbox import session
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.deadline import Deadline
from gradebox.sandbox.errors import EngineUnavailable, ImageUnavailable, SandboxLost, WorkspaceRefused
from gradebox.sandbox.linux import Errno
from gradebox.sandbox.protocol import frames
from gradebox.sandbox.protocol.frames import Cause
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Ending, SandboxSpec

SPEC = SandboxSpec("image")


def test_a_command_sees_what_it_was_given() -> None:
    seen: list[FakeRun] = []

    def script(run: FakeRun) -> FakeEnd:
        seen.append(run)
        return FakeEnd(stdout=b"out", stderr=b"err")

    with Sandbox(FakeEngine(script), SPEC) as sandbox:
        command = Command(("a", "b"), cwd="/c", env={"D": "e"}, stdin=b"f" * 1_000_000, uid=7, wall_seconds=1.5)
        outcome = sandbox.run(command)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)
    assert (outcome.stdout.content(), outcome.stderr.content()) == (b"out", b"err")
    (run,) = seen
    assert (run.argv, run.cwd, run.env, run.uid, run.wall_us) == (("a", "b"), "/c", {"D": "e"}, 7, 1_500_000)
    assert run.stdin == b"f" * 1_000_000


def test_limits_of_time_go_in_and_what_was_used_comes_out() -> None:
    seen: list[FakeRun] = []

    def script(run: FakeRun) -> FakeEnd:
        seen.append(run)
        return FakeEnd(wall_seconds=3.0, cpu_seconds=0.5, held_up_seconds=2.25)

    with Sandbox(FakeEngine(script), SPEC) as sandbox:
        found = sandbox.run(Command(("x",), cpu_seconds=2.5, patience_seconds=60)).usage
        sandbox.run(Command(("x",)))
    assert (found.wall_seconds, found.cpu_seconds, found.held_up_seconds) == (3.0, 0.5, 2.25)
    assert [(run.cpu_us, run.patience_us) for run in seen] == [(2_500_000, 60_000_000), (0, 0)]


@pytest.mark.parametrize(("runtime", "seconds"), [(None, 5 + 60 + 40), ("runsc", 5 + 40)])
def test_an_answer_is_waited_for_as_long_as_the_supervisor_is_patient(
    monkeypatch: pytest.MonkeyPatch, runtime: str | None, seconds: float
) -> None:
    waited: list[float] = []
    after = Deadline.after

    def noted(seconds: float) -> Deadline:
        waited.append(seconds)
        return after(seconds)

    monkeypatch.setattr(session, "Deadline", SimpleNamespace(after=noted))
    with Sandbox(FakeEngine(), SandboxSpec("image", runtime=runtime)) as sandbox:
        sandbox.run(Command(("x",), wall_seconds=5, patience_seconds=60))
    assert waited == [5 + 40, seconds]


def test_a_machine_that_does_not_say_how_busy_it_is_has_no_queue() -> None:
    with Sandbox(FakeEngine(), SPEC) as sandbox:
        assert sandbox.queue() is None


def test_head_and_tail_of_a_long_output_are_kept() -> None:
    text = b"".join(b"%06d\n" % number for number in range(10_000))
    with Sandbox(FakeEngine(lambda run: FakeEnd(stdout=text)), SPEC) as sandbox:
        found = sandbox.run(Command(("x",), capture_bytes=100)).stdout
    assert (found.head, found.tail, found.total_bytes) == (text[:50], text[-50:], len(text))


def test_files_survive_the_way_in_and_out() -> None:
    with Sandbox(FakeEngine(), SPEC) as sandbox:
        assert sandbox.put([file_entry("a/b", b"1"), file_entry("c", b"2" * 600_000)]) == 2
        found = sandbox.get(["a", "c"], limit_bytes=1_000_000)
    assert {entry.path: entry.data for entry in found} == {"a/b": b"1", "c": b"2" * 600_000}


def test_a_reset_brings_back_the_snapshot_and_nothing_else() -> None:
    states: list[set[str]] = []

    def script(run: FakeRun) -> FakeEnd:
        states.append(set(run.files))
        run.files["left behind"] = b""
        return FakeEnd()

    with Sandbox(FakeEngine(script), SPEC) as sandbox:
        sandbox.put([file_entry("kept", b"")])
        sandbox.snapshot()
        for _ in range(2):
            sandbox.reset(10_000)
            sandbox.run(Command(("x",)))
    assert states == [{"kept"}, {"kept"}]


def test_scrubbing_tells_what_it_removed() -> None:
    with Sandbox(FakeEngine(), SPEC) as sandbox:
        sandbox.put([file_entry(path, b"") for path in ("conftest.py", "t/conftest.py", "t/test.py")])
        scrubbed = sandbox.scrub(["conftest.py"], keep=["t/conftest.py"])
    assert (scrubbed.paths, scrubbed.count) == (("conftest.py",), 1)


def test_a_sandbox_that_vanishes_under_a_command_is_an_outcome() -> None:
    engine = FakeEngine(lambda run: FakeEnd(lost=True))
    with Sandbox(engine, SPEC) as sandbox:
        outcome = sandbox.run(Command(("x",)))
        assert outcome.ending is Ending.SANDBOX_LOST
        assert "exit status 137" in outcome.detail
        with pytest.raises(SandboxLost):
            sandbox.reset(10_000)
    assert engine.open_containers == ()


def test_a_sandbox_that_memory_has_ended_is_no_accident_though_its_state_does_not_say_so() -> None:
    def ending(*, starved: bool, killed: bool = False) -> Ending:
        engine = FakeEngine(lambda run: FakeEnd(lost=True), starved=starved)
        with Sandbox(engine, SPEC) as sandbox:
            if killed:
                sandbox.kill()
            outcome = sandbox.run(Command(("x",)))
            assert sandbox.used_up is (outcome.ending is Ending.OUT_OF_MEMORY)
        return outcome.ending

    assert ending(starved=True) is Ending.OUT_OF_MEMORY
    assert ending(starved=False) is Ending.SANDBOX_LOST
    assert ending(starved=True, killed=True) is Ending.SANDBOX_LOST


@pytest.mark.parametrize(
    ("end", "ending"),
    [
        (FakeEnd(exit_code=-11), Ending.SIGNALLED),
        (FakeEnd(cause=Cause.DEADLINE), Ending.TIMED_OUT),
        (FakeEnd(cause=Cause.CPU), Ending.TIMED_OUT),
        (FakeEnd(cause=Cause.STARVED), Ending.STARVED),
        (FakeEnd(cause=Cause.OUTPUT), Ending.OUTPUT_LIMIT),
        (FakeEnd(cause=Cause.NOT_STARTED, errno=2), Ending.NOT_STARTED),
        (FakeEnd(exit_code=-9, oom_kills=1), Ending.OUT_OF_MEMORY),
    ],
)
def test_endings_come_through(end: FakeEnd, ending: Ending) -> None:
    with Sandbox(FakeEngine(lambda run: end), SPEC) as sandbox:
        outcome = sandbox.run(Command(("x",)))
    assert outcome.ending is ending
    assert outcome.errno == end.errno


def test_the_container_goes_whatever_happens_inside_the_block() -> None:
    engine = FakeEngine()

    def use() -> None:
        with Sandbox(engine, SPEC):
            raise KeyError

    with pytest.raises(KeyError):
        use()
    assert engine.open_containers == ()
    assert engine.removed == ["container-1"]


def test_an_image_that_is_missing_is_said_before_anything_is_created() -> None:
    engine = FakeEngine()
    with pytest.raises(ImageUnavailable):
        Sandbox(engine, SandboxSpec("other"))
    assert engine.created == []


def test_an_engine_that_vanishes_while_creating_is_said() -> None:
    engine = FakeEngine(refuse=[EngineUnavailable("Gone.")])
    with pytest.raises(EngineUnavailable), Sandbox(engine, SPEC):
        pass


def test_a_path_that_is_not_clean_never_reaches_the_sandbox() -> None:
    with Sandbox(FakeEngine(), SPEC) as sandbox, pytest.raises(WorkspaceRefused, match="component"):
        sandbox.put([file_entry("../x", b"")])


def test_what_the_image_sets_is_in_the_environment_and_home_is_ours() -> None:
    with Sandbox(FakeEngine(), SPEC) as sandbox:
        assert sandbox.env["FROM_IMAGE"] == "1"
        assert sandbox.env["HOME"] == "/tmp/home"


def test_any_number_of_paths_is_removed() -> None:
    paths = [f"{number:06d}-{'x' * 90}" for number in range(50_000)]
    assert sum(map(len, paths)) > frames.FRAME_MAX
    with Sandbox(FakeEngine(), SPEC) as sandbox:
        sandbox.put([file_entry(path, b"") for path in (paths[0], paths[-1], "kept", "conftest.py")])
        scrubbed = sandbox.scrub(["conftest.py"], paths=paths)
        assert [entry.path for entry in sandbox.get(["."], limit_bytes=1_000_000)] == ["kept"]
    assert sorted(scrubbed.paths) == [paths[0], paths[-1], "conftest.py"]
    assert scrubbed.count == 3


def test_more_files_to_keep_than_can_be_told_are_refused() -> None:
    with Sandbox(FakeEngine(), SPEC) as sandbox:
        with pytest.raises(WorkspaceRefused) as refused:
            sandbox.scrub(["*.pyc"], keep=[f"{number}-{'x' * 90}" for number in range(50_000)])
        assert refused.value.errno == Errno.EFBIG
        assert sandbox.scrub(["*.pyc"]).count == 0


def test_killing_what_is_closed_already_asks_nobody() -> None:
    class Asked(FakeEngine):
        def kill(self, container: str) -> None:
            killed.append(container)

    killed: list[str] = []
    with Sandbox(Asked(), SPEC) as sandbox:
        sandbox.kill()
    sandbox.kill()
    assert killed == ["container-1"]


def test_a_port_is_probed_and_the_first_line_of_the_reply_comes_back() -> None:
    asked: list[tuple[str, ...]] = []

    def script(run: FakeRun) -> FakeEnd:
        asked.append(run.argv)
        return FakeEnd(exit_code=int(run.argv[1] == "1"), stdout=b"HTTP/1.0 200 OK\r\n" if run.argv[2] else b"")

    with Sandbox(FakeEngine(script), SPEC) as sandbox:
        assert sandbox.probe(80, "GET / HTTP/1.0\r\n\r\n") == "HTTP/1.0 200 OK\r\n"
        assert sandbox.probe(80) == ""
        assert sandbox.probe(1) is None
    assert asked == [("probe", "80", "GET / HTTP/1.0\r\n\r\n"), ("probe", "80", ""), ("probe", "1", "")]


def test_a_command_can_be_ended_from_another_thread() -> None:
    def script(run: FakeRun) -> FakeEnd:
        Thread(target=sandbox.end_command).start()
        assert run.ended.wait(30)
        return FakeEnd(cause=Cause.KILLED, stdout=b"so far")

    with Sandbox(FakeEngine(script), SPEC) as sandbox:
        found = sandbox.run(Command(("server",)))
    assert (found.ending, found.stdout.text()) == (Ending.TIMED_OUT, "so far")


def test_a_sandbox_is_known_by_its_container_while_it_is_open() -> None:
    with Sandbox(FakeEngine(), SPEC) as sandbox:
        assert sandbox.container == "container-1"
    assert sandbox.container == ""
