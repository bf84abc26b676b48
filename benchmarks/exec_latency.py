"""How long a trivial command takes: bare subprocess, our supervisor, ``docker exec``, ``docker run``, side by side.

The four ways take turns within one run, so that a machine that slows down slows all of them. Processor time is that of
the whole machine while the command runs (idle subtracted), since an engine works in other processes than ours.

    .venv/bin/python benchmarks/exec_latency.py --count 100 --json exec_latency.json
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, SandboxSpec

TRIVIAL = ("python3", "-c", "pass")
TICKS = os.sysconf("SC_CLK_TCK")


def busy_seconds() -> float:
    """Return the processor time that this machine has spent not idle, in seconds (proc(5), /proc/stat)."""
    user, nice, system, _idle, _iowait, irq, softirq = map(int, Path("/proc/stat").read_text().split()[1:8])
    return (user + nice + system + irq + softirq) / TICKS


def own_seconds() -> float:
    """Return the processor time of this process and the children that it waited for, in seconds."""
    return sum(os.times()[:4])


def checked(arguments: list[str]) -> None:
    """Run a program and insist on success."""
    subprocess.run(arguments, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def measure(ways: dict[str, tuple[Callable[[], object], int]], count: int) -> dict[str, dict[str, float]]:
    """Time each way `count` times, in turns; a way with a stride is run every so many turns."""
    wall: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(count):
        for name, (way, stride) in ways.items():
            if turn % stride == 0:
                begun = time.perf_counter()
                way()
                wall[name].append(time.perf_counter() - begun)
    # Processor time has a coarse clock, so it is taken over a whole series of one way, with the idle load beside it.
    cpu: dict[str, float] = {}
    time.sleep(0.5)
    idle_begun, idle_busy = time.perf_counter(), busy_seconds()
    time.sleep(3.0)
    idle_load = (busy_seconds() - idle_busy) / (time.perf_counter() - idle_begun)
    for name, (way, stride) in ways.items():
        times = max(20, count // stride)
        begun, busy = time.perf_counter(), busy_seconds()
        for _ in range(times):
            way()
        cpu[name] = max(0.0, (busy_seconds() - busy - idle_load * (time.perf_counter() - begun)) / times)
    return {
        name: {"count": len(taken), "wall_ms": median(taken) * 1e3, "cpu_ms": cpu[name] * 1e3}
        for name, taken in wall.items()
    }


def main() -> int:
    """Run the benchmark and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    image = reference("python")
    container = subprocess.run(
        ["docker", "run", "-d", "--rm", "--network", "none", "--entrypoint", "sleep", image, "3600"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    engine = DockerEngine()
    try:
        with Sandbox(engine, SandboxSpec(image)) as sandbox:
            sandbox.snapshot()
            sandbox.reset(10_000)
            command = Command(TRIVIAL, env=sandbox.env)

            def supervised() -> None:
                outcome = sandbox.run(command)
                if outcome.exit_code != 0:
                    raise SystemExit(f"the command failed: {outcome}")

            ways: dict[str, tuple[Callable[[], object], int]] = {
                "bare subprocess": (lambda: checked(["/usr/bin/python3", *TRIVIAL[1:]]), 1),
                "supervisor": (supervised, 1),
                "docker exec": (lambda: checked(["docker", "exec", container, *TRIVIAL]), 1),
                "docker run --rm": (
                    lambda: checked(
                        ["docker", "run", "--rm", "--network", "none", "--entrypoint", TRIVIAL[0], image, *TRIVIAL[1:]]
                    ),
                    5,
                ),
            }
            for way, _ in ways.values():
                way()
            found = measure(ways, options.count)
    finally:
        checked(["docker", "rm", "-f", container])
        engine.close()
    bare, ours, exec_ = (found[name] for name in ("bare subprocess", "supervisor", "docker exec"))
    ratios = {
        "supervisor / bare, wall": ours["wall_ms"] / bare["wall_ms"],
        "docker exec / supervisor, wall": exec_["wall_ms"] / ours["wall_ms"],
        "docker exec / supervisor, cpu": exec_["cpu_ms"] / ours["cpu_ms"],
    }
    if options.json:
        options.json.write_text(json.dumps({"command": TRIVIAL, "ways": found, "ratios": ratios}, indent=2) + "\n")
    for name, figures in found.items():
        print(
            f"{name:16} {figures['wall_ms']:8.1f} ms wall (median of {figures['count']})"
            f" {figures['cpu_ms']:8.1f} ms cpu"
        )
    for name, value in ratios.items():
        print(f"{name:32} {value:5.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
