"""What one whole throwaway sandbox costs, against the leanest container that does as little.

A sandbox is created, started, its supervisor greets, one trivial command runs, and it is removed. The floor is
create, start, wait and remove of a container without network and without our restrictions that runs the same trivial
command. Both use the same client and take turns. Processor time is that of the whole machine, idle load subtracted:
an engine works in other processes than ours, and goes on after it has answered.

    .venv/bin/python benchmarks/case_cost.py --count 40 --json case_cost.json
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import median

from exec_latency import busy_seconds

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, SandboxSpec

TRIVIAL = ("true",)


def main() -> int:
    """Run the benchmark and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    engine = DockerEngine()
    image = reference("base")
    body = {
        "Image": image,
        "Entrypoint": list(TRIVIAL),
        "Cmd": [],
        "NetworkDisabled": True,
        "HostConfig": {"NetworkMode": "none", "LogConfig": {"Type": "none"}},
    }

    def floor() -> None:
        api = engine.images.client
        container = api.create_container_from_config(body)["Id"]
        api.start(container)
        if api.wait(container)["StatusCode"] != 0:
            raise SystemExit("the floor's command failed")
        api.remove_container(container, v=True)

    def ours() -> None:
        with Sandbox(engine, SandboxSpec(image)) as sandbox:
            outcome = sandbox.run(Command(TRIVIAL, env=sandbox.env, cwd="/"))
            if outcome.exit_code != 0:
                raise SystemExit(f"the command failed: {outcome}")

    ways = {"floor": floor, "sandbox": ours}
    wall: dict[str, list[float]] = {name: [] for name in ways}
    cpu: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        way()
    for turn in range(options.count):
        # Each goes first as often as the other: removal leaves work behind that the next one pays for.
        order = list(ways.items())[:: 1 if turn % 2 else -1]
        for name, way in order:
            busy, begun = busy_seconds(), time.perf_counter()
            way()
            wall[name].append(time.perf_counter() - begun)
            time.sleep(0.25)
            cpu[name].append(busy_seconds() - busy)
    idle = busy_seconds()
    time.sleep(5)
    idle_per_second = (busy_seconds() - idle) / 5
    found = {
        name: {
            "count": options.count,
            "wall_ms": median(wall[name]) * 1e3,
            "cpu_ms": (sum(cpu[name]) - idle_per_second * (sum(wall[name]) + 0.25 * options.count))
            / options.count
            * 1e3,
        }
        for name in ways
    }
    ratios = {key: found["sandbox"][f"{key}_ms"] / found["floor"][f"{key}_ms"] for key in ("wall", "cpu")}
    if options.json:
        options.json.write_text(json.dumps({"ways": found, "sandbox / floor": ratios}, indent=2) + "\n")
    for name, figures in found.items():
        print(
            f"{name:8} {figures['wall_ms']:8.1f} ms wall (median), {figures['cpu_ms']:8.1f} ms cpu (mean) "
            f"of {figures['count']}"
        )
    print(f"sandbox / floor: wall {ratios['wall']:.2f}, cpu {ratios['cpu']:.2f}")
    engine.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
