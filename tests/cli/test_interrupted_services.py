"""Nothing is left of services, however and whenever a run ends."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import sandboxes, start
from store_case import ASK, write_store_case

from gradebox.sandbox import reaper
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

SLEEPER = ASK + 'ask("put colour green")\nimport time\ntime.sleep(60)\n'
WAYS = {"term": [signal.SIGTERM], "ctrl-c twice": [signal.SIGINT, signal.SIGINT], "kill": [signal.SIGKILL]}


def written(place: Path, *, lasting: bool, seconds: float) -> Path:
    """Write the case, and a submission that takes so long."""
    (place / "work").mkdir()
    (place / "work" / "work.py").write_text(SLEEPER.replace("60", str(seconds)))
    return write_store_case(place / "case", lasting=lasting)


def left(engine: DockerEngine, owner: int) -> int:
    """Return how many sandboxes are left after what a killed run left was removed, as every command does at first."""
    reaper.reap(engine)
    return len(sandboxes(engine, owner))


@pytest.mark.parametrize(
    ("way", "lasting"),
    [
        ("term", False),
        ("kill", True),
        pytest.param("kill", False, marks=pytest.mark.thorough),
        pytest.param("ctrl-c twice", True, marks=pytest.mark.thorough),
    ],
)
def test_a_run_that_ends_in_the_middle_leaves_no_service(
    engine: DockerEngine, tmp_path: Path, way: str, *, lasting: bool
) -> None:
    case = written(tmp_path, lasting=lasting, seconds=60)
    process = start("-c", case, "-s", "work", "--repeat", "2", "-j", "2", cwd=tmp_path)
    deadline = time.monotonic() + 90
    # Two services, and the sandboxes beside them.
    while sum(found.running for found in sandboxes(engine, process.pid)) < 4:
        assert time.monotonic() < deadline, "too few sandboxes appeared"
        time.sleep(0.05)
    for number in WAYS[way]:
        process.send_signal(number)
        time.sleep(0.3)
    _, stderr = process.communicate(timeout=90)
    assert "Traceback" not in stderr
    if way != "kill":
        assert sandboxes(engine, process.pid) == []
    assert left(engine, process.pid) == 0


def moments() -> Iterator[tuple[float, str]]:
    chance = random.Random(5)
    for _ in range(30):
        yield chance.uniform(0.2, 12.0), chance.choice(list(WAYS))


@pytest.mark.thorough
@pytest.mark.parametrize("lasting", [False, True])
def test_a_run_of_many_that_ends_at_any_moment_leaves_no_service(
    engine: DockerEngine, tmp_path: Path, *, lasting: bool
) -> None:
    case = written(tmp_path, lasting=lasting, seconds=0.5)
    for seconds, way in moments():
        process = start("-c", case, "-s", "work", "--repeat", "60", "-j", "8", cwd=tmp_path)
        time.sleep(seconds)
        for number in WAYS[way]:
            process.send_signal(number)
            time.sleep(0.3)
        _, stderr = process.communicate(timeout=120)
        assert "Traceback" not in stderr
        assert left(engine, process.pid) == 0, (seconds, way)
