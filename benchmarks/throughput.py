"""Cases a second at 1, 2 and 4 jobs: the floor of the engine, our Python interface, our command, and a peer.

The floor is a hardened container by the raw API: create, start, wait and remove. Ours grades a submission of a case
with one trivial check, or more (`--checks`). `auto` is our interface at the pace that it finds itself. Without a
daemon, as root, `runc` and `crun` are ours, and `bare-runc` and `bare-crun` their containers alone. The peer is
epicbox, which the script installs into a virtual environment of its own in a temporary directory (`--peers`).

All ways take short turns in random order, so that what else the machine does meets all of them. Read the ratios, not
the figures. Processor time is that of a cgroup in which the engine and its containers run alone (`--cgroup`), and of
this process; without one it is not measured.

    .venv/bin/python benchmarks/throughput.py --turns 5 --count 16 --json throughput.json
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import venv
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median

from gradebox.graders import Grader
from gradebox.graders.grading.capacity import default_jobs, most_jobs
from gradebox.graders.grading.many.pace import Pace
from gradebox.graders.grading.task import Task, load_case
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.verdict import Status
from gradebox.sandbox.engines.docker.http_client import DEFAULT_ADDRESS, HttpClient
from gradebox.sandbox.engines.oci import bundles
from gradebox.sandbox.engines.oci.oci_engine import OciEngine
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.types import SandboxSpec

CASE = "image: {image}\nassertions:\n"
CHECK = "  - {{name: check{number}, type: code-grader, command: {command}, required: true}}\n"
ADDRESS = os.environ.get("DOCKER_HOST") or DEFAULT_ADDRESS
# A peer's turn: how long it took, in seconds, without its imports.
EPICBOX = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
import epicbox
image, count, jobs, url, *command = sys.argv[1:]
epicbox.configure(profiles=[epicbox.Profile("it", image)], docker_url=url)
def one(_):
    found = epicbox.run("it", " ".join(command), limits={"cputime": 10, "memory": 256})
    assert found["exit_code"] == 0, found
begun = time.perf_counter()
with ThreadPoolExecutor(int(jobs)) as pool:
    list(pool.map(one, range(int(count))))
print(time.perf_counter() - begun)
"""


def floor(image: str, command: list[str], count: int, jobs: int) -> float:
    """Run one container for each case, by the raw API."""
    client = HttpClient(ADDRESS, 120)
    body = {
        "Image": image,
        "Entrypoint": command,
        "Cmd": [],
        "User": "10000:10000",
        "NetworkDisabled": True,
        "HostConfig": {
            "NetworkMode": "none",
            "LogConfig": {"Type": "none"},
            "ReadonlyRootfs": True,
            "Tmpfs": dict.fromkeys(("/workspace", "/tmp"), "rw,nosuid,nodev,size=64m"),
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges"],
            "PidsLimit": 256,
            "Memory": 1 << 30,
            "MemorySwap": 1 << 30,
            "NanoCpus": 10**9,
        },
    }

    def one(_: int) -> None:
        container = client.json("POST", "/containers/create", body=body)["Id"]
        client.json("POST", f"/containers/{container}/start")
        if client.json("POST", f"/containers/{container}/wait")["StatusCode"] != 0:
            raise SystemExit("the floor's command failed")
        client.json("DELETE", f"/containers/{container}", {"v": 1})

    begun = time.perf_counter()
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, range(count)))
    client.close()
    return time.perf_counter() - begun


def bare(runtime: str, image: str, command: list[str], count: int, jobs: int) -> float:
    """Run one container for each case by an OCI runtime, as `oci://` starts it, without a supervisor in it."""
    engine = OciEngine(runtime)
    info = engine.image(image)

    def one(_: int) -> None:
        container = engine.create(SandboxSpec(image, runtime=runtime), info)
        written = bundles.path(container) / "config.json"
        config = json.loads(written.read_text())
        config["process"] |= {"args": command, "env": ["PATH=/usr/bin:/bin"]}
        written.write_text(json.dumps(config))
        engine.attach(container)
        engine.start(container)
        while (state := engine.state(container)) is not None and state.running:
            time.sleep(0.001)
        if state is None or state.exit_code != 0:
            raise SystemExit("the bare container's command failed")
        engine.remove(container)

    begun = time.perf_counter()
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, range(count)))
    engine.close()
    return time.perf_counter() - begun


def ours(grader: Grader, directory: Path, count: int, jobs: int | None) -> float:
    """Grade by the Python interface; without a number, at the pace that it finds itself."""
    case = load_case(directory / "case")
    engine, memory = grader.engine.info(), [case.limits.memory_bytes]
    pace = Pace(default_jobs(engine, memory), most_jobs(engine, memory)) if jobs is None else jobs
    begun = time.perf_counter()
    tasks = (Task(case, Submission(f"#{number}")) for number in range(count))
    for found in grader.grade_many(tasks, jobs=pace):
        if found.verdict.status is not Status.PASSED:
            raise SystemExit(f"not passed: {found.verdict.reasons} {found.verdict.checks}")
    return time.perf_counter() - begun


def by_command(directory: Path, count: int, jobs: int) -> float:
    """Grade by one call of the command, its start included."""
    answers = directory / f"answers-{count}.jsonl"
    lines = (json.dumps({"id": "case", "name": f"s{n}", "output": str(n)}) + "\n" for n in range(count))
    answers.write_text("".join(lines))
    program = str(Path(sys.executable).with_name("grade"))
    grade = [program, "--case", str(directory / "case"), "--answers", str(answers)]
    begun = time.perf_counter()
    done = subprocess.run([*grade, f"--jobs={jobs}", "--quiet"], cwd=directory, capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"grade failed: {done.stderr.decode()[-500:]}")
    return time.perf_counter() - begun


def peer(directory: Path) -> Callable[..., float] | None:
    """Install epicbox and return how it takes a turn; None if it does not install."""
    venv.create(directory / "venv", with_pip=True)
    python = str(directory / "venv" / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", "epicbox", "urllib3<2", "docker<7", "requests<2.32"]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"epicbox does not install: {done.stderr[-300:]}", file=sys.stderr)
        return None

    def turn(image: str, command: list[str], count: int, jobs: int) -> float:
        argv = [python, "-c", EPICBOX, image, str(count), str(jobs), ADDRESS, *command]
        return float(subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()[-1])

    return turn


def used_seconds(cgroup: Path | None) -> float:
    """Return the processor time of a cgroup and of this process and its children."""
    if cgroup is None:
        return 0.0
    first = cgroup / "cpuacct.usage"
    usage = int(first.read_text()) / 1e9 if first.exists() else int((cgroup / "cpu.stat").read_text().split()[1]) / 1e6
    return usage + sum(os.times()[:4])


def main() -> int:
    """Run the benchmark and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--count", type=int, default=16, help="cases in a turn")
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--ways", nargs="+", default=["floor", "api", "auto", "command"])
    parser.add_argument("--command", nargs="+", default=["true"], help="what a case runs")
    parser.add_argument("--checks", type=int, default=1, help="of a case")
    parser.add_argument("--peers", action="store_true", help="epicbox, too")
    parser.add_argument("--cgroup", type=Path, help="of an engine that nobody else uses")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    image = reference("base")
    rates: dict[str, list[float]] = defaultdict(list)
    cpu: dict[str, list[float]] = defaultdict(list)
    with ExitStack() as stack:
        grader, runc, crun = (stack.enter_context(Grader(host=host)) for host in (None, "oci://runc", "oci://crun"))
        name = stack.enter_context(tempfile.TemporaryDirectory())
        directory = Path(name)
        (directory / "case" / "workspace").mkdir(parents=True)
        command = json.dumps(options.command)
        checks = (CHECK.format(number=number, command=command) for number in range(options.checks))
        (directory / "case" / "case.yaml").write_text("".join([CASE.format(image=image), *checks]))
        ways: dict[str, Callable[[int, int], float]] = {
            "floor": partial(floor, image, options.command),
            "api": partial(ours, grader, directory),
            "runc": partial(ours, runc, directory),
            "crun": partial(ours, crun, directory),
            "bare-runc": partial(bare, "runc", image, options.command),
            "bare-crun": partial(bare, "crun", image, options.command),
            "command": partial(by_command, directory),
        }
        if options.peers and (found := peer(directory)):
            ways["epicbox"] = partial(found, image, options.command)
            options.ways.append("epicbox")
        turns: dict[str, Callable[[], float]] = {
            f"{way} {jobs}": partial(ways[way], options.count, jobs)
            for way in options.ways
            if way != "auto"
            for jobs in options.jobs
        }
        if "auto" in options.ways:
            turns["api auto"] = lambda: ours(grader, directory, options.count, None)
        for way in options.ways:
            if way != "auto":
                ways[way](2, 1)
        for _ in range(options.turns):
            for key in random.sample(list(turns), len(turns)):
                before = used_seconds(options.cgroup)
                rates[key].append(options.count / turns[key]())
                time.sleep(0.3)
                cpu[key].append((used_seconds(options.cgroup) - before) / options.count)
    table = {
        key: {"cases_per_second": median(rates[key]), "cpu_ms": median(cpu[key]) * 1e3, "turns": rates[key]}
        for key in rates
    }
    if options.json:
        options.json.write_text(json.dumps({"count": options.count, "ways": table}, indent=2) + "\n")
    for key, figures in table.items():
        base = table.get(f"floor {key.rpartition(' ')[2]}", table.get("floor 1", figures))
        rate, cpu_ms = figures["cases_per_second"], figures["cpu_ms"]
        line = f"{key:12} {rate:6.2f}/s, {rate / base['cases_per_second']:5.2f} x floor"
        print(line + (f", {cpu_ms:6.1f} ms cpu, {cpu_ms / base['cpu_ms']:5.2f} x" if options.cgroup else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
