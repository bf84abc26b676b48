"""Two nodes of a real Ray cluster on this machine, one of which is killed in the middle of a run."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from running import sandboxes, start

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

COUNT = 16
CASE = """
image: gradebox/python
assertions: [{type: code-grader, command: ["sh", "-c", "sleep 0.5; test -f right"]}]
"""


class _Nodes(NamedTuple):
    address: str
    started: list[subprocess.Popen[bytes]]

    def below(self, number: int) -> dict[int, str]:
        """Return the processes of a node that are there now, with their names."""
        listed = subprocess.run(["ps", "-eww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True)
        rows = [line.split(None, 2) for line in listed.stdout.splitlines()]
        found = {self.started[number].pid: "ray start"}
        for _ in rows:
            more = {int(pid): args for pid, parent, args in rows if int(parent) in found and int(pid) not in found}
            if not more:
                break
            found |= more
        return found

    def worker(self, number: int) -> int | None:
        named = (pid for pid, args in self.below(number).items() if args.startswith("ray::NodeWorker"))
        return next(named, None)

    def kill(self, number: int) -> None:
        """Kill a node as a power cut would, as far as its own process goes."""
        (raylet,) = (pid for pid, args in self.below(number).items() if "/raylet/raylet " in args)
        os.kill(raylet, signal.SIGKILL)


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Nodes]:
    # The names of sockets that it makes there must be short.
    place = tempfile.mkdtemp(prefix="ray-", dir="/tmp")
    variables = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_TMPDIR": place}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with socket.create_server(("", 0)) as free:
        port = free.getsockname()[1]
    import ray.util

    address = f"{ray.util.get_node_ip_address()}:{port}"
    common = (
        sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--num-cpus=0", '--resources={"gradebox": 2}',
        "--object-store-memory=100000000", "--disable-usage-stats", "--min-worker-port=0", "--max-worker-port=0",
    )  # fmt: skip
    found = _Nodes(address, [])
    try:
        for role in (("--head", f"--port={port}", "--include-dashboard=false"), (f"--address={address}",)):
            _until_it_answers(address, needed=bool(found.started))
            quiet = subprocess.DEVNULL
            found.started.append(subprocess.Popen([*common, *role], stdin=quiet, stdout=quiet, stderr=quiet))
        yield found
    finally:
        everything = {pid for number in range(len(found.started)) for pid in found.below(number)}
        for pid in everything:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process in found.started:
            process.wait(20)
        shutil.rmtree(place, ignore_errors=True)


def _until_it_answers(address: str, *, needed: bool) -> None:
    until = time.monotonic() + 60
    while needed:
        with suppress(OSError):
            socket.create_connection(address.rsplit(":", 1), 1).close()  # type: ignore[arg-type]
            return
        assert time.monotonic() < until
        time.sleep(0.1)


def _until(there: Callable[[], object]) -> bool:
    until = time.monotonic() + 90
    while not there() and time.monotonic() < until:
        time.sleep(0.1)
    return bool(there())


@pytest.mark.timeout(240)
def test_a_node_is_killed_and_nothing_is_lost_twice_or_left(
    nodes: _Nodes, make_case: Callable[..., Path], tmp_path: Path, engine: DockerEngine
) -> None:
    case = make_case(CASE)
    submissions = []
    for number in range(COUNT):
        work = tmp_path / f"work/s{number}"
        work.mkdir(parents=True)
        (work / ("right" if number % 2 else "wrong")).write_text("")
        submissions += ["-s", work]
    process = start("--on", nodes.address, "-c", case, *submissions, "--json", cwd=tmp_path)
    try:
        assert _until(lambda: nodes.worker(0) and nodes.worker(1)), process.poll()
        workers = [nodes.worker(number) for number in (0, 1)]
        results = tmp_path / "runs"
        assert _until(lambda: len([*_lines(results)]) >= 2 or process.poll() is not None)
        nodes.kill(1)
        stdout, stderr = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 1, stderr
    printed = {one["submission"]: one["verdict"] for one in map(json.loads, stdout.splitlines())}
    assert printed == {f"s{number}": "passed" if number % 2 else "failed" for number in range(COUNT)}
    assert Counter(one["submission"] for one in _lines(results)) == Counter(printed.keys())
    assert _until(lambda: not any(sandboxes(engine, worker or 0) for worker in workers))
    assert _until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    assert _until(lambda: not [*Path(tempfile.gettempdir()).glob("gradebox-ray-*")])


def _lines(runs: Path) -> Iterator[dict[str, str]]:
    for results in runs.glob("*/results.jsonl"):
        yield from map(json.loads, results.read_text().splitlines())
