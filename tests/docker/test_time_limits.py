"""Limits of time on a real engine: what is stopped as too slow, and what others kept from running.

The load is in containers and on one processor, so that other tests go on beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import docker
import pytest

from gradebox.graders import Grader
from gradebox.graders.grading import quieter
from gradebox.graders.grading.task import load_case
from gradebox.graders.model import time_limit
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import Tree
from gradebox.graders.model.verdict import Status
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.limits import Limits
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Ending, Outcome, SandboxSpec

UID = 10_001
BUSY = "while True: pass"
PINNED = "import os; os.sched_setaffinity(0, [0])\n"
SLEEPER = "import time; time.sleep(600)"
WORK = "import time\nwhile time.process_time() < 0.3: pass"


def run(sandbox: Sandbox, code: str, **limits: float) -> Outcome:
    limits = {"wall_seconds": 2.0, "cpu_seconds": 1.0, "patience_seconds": 60.0, **limits}
    return sandbox.run(Command(("python3", "-c", code), env=sandbox.env, uid=UID, **limits))  # type: ignore[arg-type]


@contextmanager
def load(image: str) -> Iterator[None]:
    """Forty busy processes on the first processor, with ten times the weight of a sandbox."""
    client = docker.from_env()
    line = "for n in $(seq 40); do while :; do :; done & done; echo begun; wait"
    container = client.containers.run(image, ["sh", "-c", line], detach=True, cpuset_cpus="0", cpu_shares=10 * 1024)
    try:
        assert b"begun" in next(iter(container.logs(stream=True)))
        yield
    finally:
        container.remove(force=True)
        client.close()


# A daemon, of which no parent ever learns.
DAEMON = f"""
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        {BUSY}
    os._exit(0)
{SLEEPER}
"""
# Children whose time nobody is told, one after the other.
UNTOLD = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        while time.process_time() < 0.2: pass
        os._exit(0)
    time.sleep(0.25)
"""
THREAD = """
import threading
def work():
    while True: pass
threading.Thread(target=work).start()
"""
# Processes that keep each other from running.
CROWD = f"""
import os
for _ in range(5): os.fork()
{BUSY}
"""


@pytest.mark.parametrize("code", [BUSY, DAEMON, UNTOLD, THREAD, CROWD])
def test_whoever_uses_up_the_processor_time_is_stopped(sandbox: Sandbox, code: str) -> None:
    outcome = run(sandbox, code, wall_seconds=60)
    assert outcome.ending is Ending.TIMED_OUT
    assert "It used up its 1 s of processor time" in outcome.detail
    assert 1 <= outcome.usage.cpu_seconds < 1.5


def test_a_sleeper_is_stopped_at_the_wall_limit(sandbox: Sandbox) -> None:
    outcome = run(sandbox, SLEEPER)
    assert outcome.ending is Ending.TIMED_OUT
    assert outcome.detail.startswith("It was still running after 2 s of wall time and about 0 s of processor time.")
    assert outcome.usage.cpu_seconds < 1


def test_the_processor_time_of_a_command_is_its_own(sandbox: Sandbox) -> None:
    assert run(sandbox, WORK).usage.cpu_seconds == pytest.approx(0.3, abs=0.2)
    after = run(sandbox, "pass")
    assert (after.ending, after.exit_code) == (Ending.EXITED, 0)
    assert after.usage.cpu_seconds < 0.2


def test_a_command_that_throttles_itself_is_not_held_up(engine: DockerEngine, python_image: str) -> None:
    with Sandbox(engine, SandboxSpec(python_image, Limits(cpus=0.2))) as sandbox:
        sandbox.snapshot()
        sandbox.reset(UID)
        outcome = run(sandbox, CROWD, wall_seconds=1.0, patience_seconds=2)
    assert outcome.ending is Ending.TIMED_OUT


def test_beside_a_load_work_ends_and_what_never_ends_is_stopped(sandbox: Sandbox, python_image: str) -> None:
    with load(python_image):
        done = run(sandbox, PINNED + WORK, wall_seconds=1.0)
        assert (done.ending, done.exit_code) == (Ending.EXITED, 0)
        assert done.usage.wall_seconds > 1.5
        assert done.usage.wall_seconds - done.usage.held_up_seconds < 1.5

        sleeper = run(sandbox, PINNED + SLEEPER)
        assert sleeper.ending is Ending.TIMED_OUT
        assert sleeper.usage.held_up_seconds < 1.9

        starved = run(sandbox, PINNED + BUSY, wall_seconds=0.5, patience_seconds=3.0)
        assert starved.ending is Ending.STARVED
        assert starved.usage.wall_seconds >= 3.5
        assert starved.usage.held_up_seconds > 2.5
        assert "of processor time" in starved.detail
        queue = sandbox.queue()
        assert queue is not None
        assert queue > 2

        busy = run(sandbox, PINNED + BUSY, cpu_seconds=0.2)
        assert busy.ending is Ending.TIMED_OUT
        assert "It used up its 0.2 s of processor time" in busy.detail


def test_on_a_machine_that_stays_busy_there_is_an_error_with_the_figures_and_no_zero(
    engine: DockerEngine, python_image: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_limit, "_LEAST_PATIENCE_SECONDS", 2.0)
    monkeypatch.setattr(time_limit, "_PATIENCE", 2.0)
    monkeypatch.setattr(quieter, "QUIET_SECONDS", 1.0)
    text = "{image: gradebox/python, assertions: [{type: code-grader, command: python3 a.py, timeout_seconds: 1}]}"
    (tmp_path / "case.yaml").write_text(text)
    work = Tree({"a.py": file_entry("a.py", (PINNED + BUSY).encode())})
    with load(python_image), Grader(engine=engine) as grader:
        verdict = grader.grade(load_case(tmp_path), Submission("work", Form.DIRECTORY, work)).verdict
    assert (verdict.status, verdict.score) == (Status.ERROR, None)
    assert "starved: The machine was too busy." in verdict.checks[0].reason
    (step,) = verdict.checks[0].steps
    assert step.outcome.usage.held_up_seconds > 1
