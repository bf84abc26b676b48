"""What a run of many trivial verdicts takes: memory to make it, room on disk, and time until it is listed.

    .venv/bin/python benchmarks/large_run.py --verdicts 10000 --json large_run.json

The engine is the fake of the tests, so no container runs: what is measured is ours. Room is counted in blocks, as `du`
counts it. The commands that list the run are processes of their own, and take turns.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import resource
import subprocess
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests" / "support")]

from fake_engine import FakeEnd, FakeEngine  # noqa: E402 - where it lies is known from here on

from graders.cli.main import run  # noqa: E402 - the same
from sandbox.engines import docker  # noqa: E402 - the same

GRADE = Path(sys.executable).with_name("grade")
CASE = 'image: image\nassertions: [{type: code-grader, command: ["check"]}]\n'


def room_of(directory: Path) -> int:
    """Return the bytes of all blocks below a directory, and its own."""
    return sum(path.lstat().st_blocks * 512 for path in (directory, *directory.rglob("*")))


def seconds_of(*arguments: str, turns: int) -> float:
    """Return how long a command takes, the median of some turns."""
    found = []
    for _ in range(turns):
        begun = time.perf_counter()
        subprocess.run([GRADE, *arguments], stdout=subprocess.DEVNULL, check=False)
        found.append(time.perf_counter() - begun)
    return round(median(found), 2)


def main() -> int:
    """Run the benchmark and print what it found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--verdicts", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    engine = FakeEngine(lambda _: FakeEnd(stdout=b"it passed\n"))
    docker.connect = lambda *_: engine
    with TemporaryDirectory() as place:
        os.chdir(place)
        Path("case").mkdir()
        Path("case/case.yaml").write_text(CASE)
        names = [f"work/{number:05d}" for number in range(options.verdicts)]
        for name in names:
            Path(name).mkdir(parents=True)
            Path(name, "answer").write_text("right\n")
        begun = time.perf_counter()
        with redirect_stdout(io.StringIO()):
            code = run(["-c", "case", *(word for name in names for word in ("-s", name)), "-q", "--display", "none"])
        took = time.perf_counter() - begun
        (directory,) = Path("runs").glob("[!.]*")
        room = room_of(directory)
        found = {
            "verdicts": options.verdicts,
            "exit_code": int(code),
            "seconds": round(took, 1),
            "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "disk_mib": round(room / 2**20, 1),
            "disk_kib_each": round(room / 1024 / options.verdicts, 2),
            "show_seconds": seconds_of("show", str(directory), "case", "-s", "00007", turns=options.turns),
            "csv_seconds": seconds_of("report", str(directory), "-f", "csv", turns=options.turns),
            "text_seconds": seconds_of("report", str(directory), "-f", "text", turns=options.turns),
            "junit_seconds": seconds_of("report", str(directory), "-f", "junit", turns=options.turns),
        }
        os.chdir("/")
    print(json.dumps(found, indent=2))
    if options.json:
        options.json.write_text(json.dumps(found) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
