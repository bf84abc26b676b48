"""Nothing is left on the engine, however a run ends."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from running import GRADE, Ran, sandboxes, start

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

HANGING = """
language: bash
assertions:
  - type: code-grader
    command: "sleep 60"
"""


def wait_for_sandbox(engine: DockerEngine, owner: int, count: int = 1) -> None:
    deadline = time.monotonic() + 60
    while sum(found.running for found in sandboxes(engine, owner)) < count:
        assert time.monotonic() < deadline, "too few sandboxes appeared"
        time.sleep(0.05)


@pytest.mark.parametrize("numbers", [(signal.SIGTERM,), (signal.SIGINT, signal.SIGINT)])
def test_a_run_that_is_stopped_removes_its_sandbox_and_says_so(
    engine: DockerEngine, make_case: Callable[..., Path], tmp_path: Path, numbers: tuple[signal.Signals, ...]
) -> None:
    process = start("--case", make_case(HANGING), cwd=tmp_path)
    wait_for_sandbox(engine, process.pid)
    begun = time.monotonic()
    for number in numbers:
        process.send_signal(number)
        time.sleep(0.3)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stdout == ""
    assert "interrupted: 1 of 1 was not graded" in stderr
    assert "Traceback" not in stderr
    assert time.monotonic() - begun < 30
    assert sandboxes(engine, process.pid) == []


def test_one_interruption_lets_what_runs_come_to_its_end(
    engine: DockerEngine, make_case: Callable[..., Path], tmp_path: Path
) -> None:
    case = make_case(HANGING.replace("sleep 60", "sleep 3"))
    process = start("--case", case, "--repeat", "3", "-j", "1", cwd=tmp_path)
    wait_for_sandbox(engine, process.pid)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stdout.count("PASSED") == 1
    assert "Finishing running gradings." in stderr
    assert "interrupted: 2 of 3 were not graded" in stderr
    assert sandboxes(engine, process.pid) == []


def test_an_interruption_at_any_moment_leaves_nothing(
    engine: DockerEngine, make_case: Callable[..., Path], tmp_path: Path
) -> None:
    case = make_case(HANGING)
    for delay in (0.0, 0.1, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0):
        # The sandbox of the second grading is started meanwhile.
        process = start("--case", case, "--repeat", "2", "-j", "1", cwd=tmp_path)
        time.sleep(delay)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
        # Before our own code is reached, the signal ends the interpreter.
        assert process.returncode in (130, -signal.SIGTERM), stderr
        assert "Traceback" not in stderr
        assert sandboxes(engine, process.pid) == []


def test_what_a_killed_run_left_is_removed_by_the_next_command(
    engine: DockerEngine, grade: Callable[..., Ran], make_case: Callable[..., Path], tmp_path: Path
) -> None:
    process = start("--case", make_case(HANGING), "--repeat", "2", "-j", "1", cwd=tmp_path)
    # That of the grading which runs, and that of the next one.
    wait_for_sandbox(engine, process.pid, 2)
    process.kill()
    process.communicate(timeout=60)
    assert sandboxes(engine, process.pid) != []
    assert grade("doctor").code == 0
    assert sandboxes(engine, process.pid) == []


def test_the_sandbox_of_a_killed_run_stops_by_itself(
    engine: DockerEngine, make_case: Callable[..., Path], tmp_path: Path
) -> None:
    process = start("--case", make_case(HANGING), cwd=tmp_path)
    wait_for_sandbox(engine, process.pid)
    process.kill()
    process.communicate(timeout=60)
    deadline = time.monotonic() + 20
    while any(found.running for found in sandboxes(engine, process.pid)):
        assert time.monotonic() < deadline, "the supervisor outlived its host"
        time.sleep(0.1)
    for found in sandboxes(engine, process.pid):
        engine.remove_leftover(found)


def test_a_living_run_keeps_its_sandbox_when_another_one_cleans_up(
    engine: DockerEngine, grade: Callable[..., Ran], make_case: Callable[..., Path], tmp_path: Path
) -> None:
    process = start("--case", make_case(HANGING), cwd=tmp_path)
    wait_for_sandbox(engine, process.pid)
    assert grade("doctor").code == 0
    assert any(found.running for found in sandboxes(engine, process.pid))
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert sandboxes(engine, process.pid) == []


def test_a_process_that_may_open_few_files_grades_all_the_same(
    engine: DockerEngine, make_case: Callable[..., Path], tmp_path: Path
) -> None:
    case = make_case(HANGING.replace("sleep 60", "true"))
    limited = f"ulimit -n 40; exec {GRADE} --case {case} --repeat 12 -j 40 --quiet"
    done = subprocess.run(["sh", "-c", limited], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("PASSED")) == (0, 12), done.stderr
    assert done.stderr.count("fewer gradings run at a time") == 1
