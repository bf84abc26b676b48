"""Grades a long mix of hostile and honest work while everything around it fails, and looks for what was lost.

    python benchmarks/soak.py --cases 2000 --seed 1

Attacks of tests/hostile and references, drawn by chance, are graded by the real ``grade`` on the real engine. Meanwhile
containers are removed and killed, channels are cut, the engine is away, the disk of the run directory is full (as root,
where a file system can be mounted), the worker's clock is wrong by days (Python's idea of it; the machine's own is
stepped with --step-clock), and the worker itself is killed and its run continued. Ends with 1 if in the end a case has
no verdict, several, or another one than it must get, if anything is left, or if the worker's memory, descriptors or
threads grew.
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
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from soaking import work
from soaking.faults import SITE, Stage, mounted, unmount
from soaking.proxy import Proxy
from soaking.watch import Trend, Watch, trend

from gradebox.graders.errors import ExitCode
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.guarantees import is_gvisor
from gradebox.sandbox.owner import LABEL_OWNER

GRADE = Path(sys.executable).with_name("grade")
MIB = 1 << 20
# How often errors that faults have caused are graded anew, with no more faults.
RERUNS = 3
# A worker that does not end with a full disk would wait for ever.
DISK_SECONDS = 60.0
GROWN_BYTES = 24 * MIB
GROWN_THREADS = 4
# As many as were in use at the same time are kept, and a few of the system come and go.
IDLE_CONNECTIONS = 25


@dataclass(slots=True)
class Soak:
    """One soak: its files, and what became of it."""

    root: Path
    expected: dict[str, str]
    stage: Stage
    options: argparse.Namespace
    chance: random.Random
    watch: Watch = field(default_factory=Watch)
    pids: list[int] = field(default_factory=list)
    codes: Counter[int] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    @property
    def runs(self) -> Path:
        return self.root / "runs"

    def run_directory(self) -> Path | None:
        """Return the run directory, None while there is none that can be continued."""
        found = [record.parent for record in self.runs.glob("*/run.json")]
        return found[0] if found else None

    def start(self, *more: object) -> subprocess.Popen[bytes]:
        """Start a worker, on the run that there is or on a new one."""
        run = self.run_directory()
        arguments: list[object] = ["--resume", run]
        if run is None:
            # A run is continued with what it was asked.
            arguments = ["--case", self.root / "suite.eval.yaml", "--runs", self.runs]
            arguments += ["--runtime", self.options.runtime] if self.options.runtime else []
        with (self.root / "stderr").open("ab") as stderr:
            worker = subprocess.Popen(
                [
                    GRADE,
                    *map(str, arguments),
                    *map(str, more),
                    "--jobs",
                    str(self.options.jobs),
                    "--quiet",
                    "--exit-zero",
                ],
                cwd=self.root,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                env={
                    **os.environ,
                    "NO_COLOR": "1",
                    "DOCKER_HOST": self.stage.proxy.address,
                    "PYTHONPATH": os.pathsep.join(
                        filter(None, [str(self.root / "site"), os.environ.get("PYTHONPATH")])
                    ),
                    "SOAK_CLOCK": str(self.stage.clock),
                },
                start_new_session=True,
            )
        self.stage.worker = worker
        self.pids.append(worker.pid)
        self.watch.follow(worker.pid)
        return worker

    def disturb(self) -> None:
        """Grade everything while faults happen, as often as the worker has to be started again."""
        over = time.monotonic() + self.options.minutes * 60
        while True:
            worker = self.start()
            while not self._ended(worker):
                # Of a run that is short, all time goes to what it grades, not to how references are judged.
                is_early = self.options.quick and self.run_directory() is None
                if time.monotonic() < over and not is_early:
                    self.stage.one(self.chance)
                if self.stage.full:
                    self._wait(worker, DISK_SECONDS)
                    self.stage.mend()
            self.codes[worker.returncode] += 1
            if self.run_directory() is None and worker.returncode in (ExitCode.USAGE, ExitCode.INTERNAL_ERROR):
                raise SystemExit(f"Nothing can be graded: {(self.root / 'stderr').read_text('utf-8', 'replace')}")
            graded = {line["case"] for line in self.lines()}
            if worker.returncode == 0 and graded >= set(self.expected):
                return
            if time.monotonic() > over + self.options.minutes * 60:
                self.violations.append("the run did not come to its end")
                return

    def _ended(self, worker: subprocess.Popen[bytes]) -> bool:
        return self._wait(worker, self.chance.uniform(0.2, 2 * self.options.every))

    def _wait(self, worker: subprocess.Popen[bytes], seconds: float) -> bool:
        try:
            worker.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def settle(self) -> int:
        """Grade the errors anew with everything in order, and return how many there had been."""
        self.stage.mend()
        self.stage.clock.write_text("0")
        had = len(self.errors())
        for _ in range(RERUNS):
            if not self.errors() and {line["case"] for line in self.lines()} >= set(self.expected):
                break
            self.codes[self.start("--rerun", "error").wait()] += 1
        return had

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield every verdict that was written down, in the order of writing."""
        run = self.run_directory()
        if run is None or not (run / "results.jsonl").exists():
            return
        with (run / "results.jsonl").open("rb") as stream:
            yield from (json.loads(line) for line in stream if line.endswith(b"\n"))

    def errors(self) -> list[str]:
        last = {line["case"]: line["verdict"] for line in self.lines()}
        return [case for case, verdict in last.items() if verdict == "error"]

    def judge(self) -> None:
        """Compare what was written down with what must be there, and look for what is left."""
        counted: Counter[str] = Counter()
        for line in self.lines():
            case, verdict = line["case"], line["verdict"]
            if verdict not in ("error", self.expected.get(case)):
                self.violations.append(f"{case} is {verdict}: {'; '.join(line['reasons'])}")
            counted[case] += verdict != "error"
        for case in self.expected:
            if counted[case] != 1:
                self.violations.append(f"{case} has {counted[case]} verdicts that count")
        pids = {str(pid) for pid in self.pids}
        for found in self.stage.engine.leftovers():
            if found.labels.get(LABEL_OWNER, "").split(":")[1:2] and found.labels[LABEL_OWNER].split(":")[1] in pids:
                self.violations.append(f"{found.kind} {found.id} is left")
        self.violations += [f"process {pid} is left" for pid in _processes(pids)]
        if b"Traceback" in (self.root / "stderr").read_bytes():
            self.violations.append("a worker ended with a traceback")
        found = trend(self.watch.longest())
        if found is not None:
            self.violations += _grown(found, self.options.jobs)


def _processes(sessions: set[str]) -> Iterator[int]:
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue
        if fields[3] in sessions and fields[0] not in "ZX":
            yield int(path.parent.name)


def _grown(found: Trend, jobs: int) -> Iterator[str]:
    for name, (first, last), most in (
        ("memory", found.rss_bytes, GROWN_BYTES),
        ("descriptors", found.descriptors, IDLE_CONNECTIONS * jobs),
        ("threads", found.threads, GROWN_THREADS),
    ):
        if last - first > most:
            yield f"the worker's {name} grew from {first:.0f} to {last:.0f}"


def report(soak: Soak, seconds: float, errors: int) -> None:
    """Print what happened."""
    verdicts = Counter(soak.expected.values())
    print(f"{len(soak.expected)} cases ({verdicts['passed']} honest, {verdicts['failed']} hostile) in {seconds:.0f} s")
    print(
        f"workers: {len(soak.pids)}, exit codes {dict(soak.codes)}; verdicts lost to faults, then graded anew: {errors}"
    )
    for name, count in sorted(soak.stage.happened.items()):
        print(f"  {count:5d} x {name}")
    found = trend(soak.watch.longest())
    if found is None:
        print("no worker lived long enough to tell whether it grows")
    else:
        print(f"the longest worker: {found.samples} samples, peak {found.peak_bytes / MIB:.1f} MiB")
        print(
            f"  memory {found.rss_bytes[0] / MIB:.1f} -> {found.rss_bytes[1] / MIB:.1f} MiB "
            f"({found.bytes_per_hour / MIB:+.1f} MiB/h), descriptors {found.descriptors[0]:g} -> "
            f"{found.descriptors[1]:g}, threads {found.threads[0]:g} -> {found.threads[1]:g} "
            "(medians of the first and the last quarter)"
        )
    print(f"{len(soak.violations)} violations")
    for sentence in soak.violations[:50]:
        print(f"  {sentence}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--minutes", type=float, default=120.0, help="no more faults after so long")
    parser.add_argument("--every", type=float, default=5.0, help="seconds between faults, about")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--runtime", default="")
    parser.add_argument("--restart-engine", default="", metavar="COMMAND", help="restarts the engine now and then")
    parser.add_argument("--step-clock", action="store_true", help="step the machine's clock now and then, as root")
    parser.add_argument("--quick", action="store_true", help="only what is over soon, among cases and faults")
    parser.add_argument("--keep", type=Path, help="leave all files here")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="soak-") as temporary:
        root = options.keep or Path(temporary)
        root.mkdir(exist_ok=True)
        (root / "site").mkdir()
        (root / "site" / "sitecustomize.py").write_text(SITE)
        (root / "stderr").touch()
        has_room = not options.quick and mounted(root / "runs")
        proxy = Proxy(root / "engine.sock", os.environ.get("DOCKER_HOST"))
        engine = DockerEngine()
        stage = Stage(
            engine=engine,
            proxy=proxy,
            clock=root / "clock",
            room=root / "runs" if has_room else None,
            removable=not is_gvisor(options.runtime),
            restart=options.restart_engine,
            step_clock=options.step_clock,
            quick=options.quick,
        )
        expected = work.write(root, options.cases, chance, options.runtime or "runc", quick=options.quick)
        soak = Soak(root, expected, stage, options, chance)
        soak.watch.start()
        begun = time.monotonic()
        try:
            soak.disturb()
            errors = soak.settle()
            soak.judge()
            report(soak, time.monotonic() - begun, errors)
        finally:
            soak.watch.stop()
            if stage.worker is not None and stage.worker.poll() is None:
                stage.worker.kill()
            proxy.close()
            engine.close()
            if has_room and not options.keep:
                unmount(root / "runs")
    return 1 if soak.violations else 0


if __name__ == "__main__":
    raise SystemExit(main())
