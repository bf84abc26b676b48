"""What a run of many trivial verdicts takes: memory, open files, room on disk, and time until it is listed.

    .venv/bin/python benchmarks/large_run.py --verdicts 500 10000 --json large_run.json
    .venv/bin/python benchmarks/large_run.py --verdicts 500 10000 --host oci://runc --image gradebox/base
    .venv/bin/python benchmarks/large_run.py --verdicts 10000 --shards 100

Without a host the engine is the fake of the tests, which forgets its containers: no container runs, and what is
measured is ours. Room is counted in blocks, as `du` counts it. The commands that list the run take turns. With
`--shards`, the run is graded in so many shards, and what is measured is `grade merge` of them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

GRADE = Path(sys.executable).with_name("grade")
CASE = 'image: {image}\nassertions: [{{type: code-grader, command: ["true"]}}]\n'
# What `grade` is, but for its engine.
FAKE = f"""
import sys
sys.path.append({str(Path(__file__).resolve().parent.parent / "tests" / "support")!r})
from fake_engine import FakeEngine
from gradebox.graders.cli.main import main, run
from gradebox.sandbox.engines import docker
class Forgetful(FakeEngine):
    def remove(self, container):
        super().remove(container)
        del self.removed[:]
        if not self.open_containers:
            del self.created[:-1]
engine = Forgetful()
docker.connect = lambda *_: engine
"""
ONE_RUN = "main()"
# The first argument is the number of shards.
ALL_SHARDS = """
of_all = int(sys.argv[1])
sys.exit(max(run([*sys.argv[2:], "--shard", f"{number + 1}/{of_all}"]) for number in range(of_all)))
"""


def room_of(directory: Path) -> int:
    """Return the bytes of all blocks below a directory, and its own."""
    return sum(path.lstat().st_blocks * 512 for path in (directory, *directory.rglob("*")))


def watched(argv: list[str]) -> dict[str, float]:
    """Run a command and return its exit code, seconds, peak of memory and most open files, early and late."""
    begun = time.perf_counter()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
    ended = threading.Event()
    files: list[int] = []

    def watch() -> None:
        while not ended.wait(0.2):
            try:
                files.append(sum(1 for _ in Path(f"/proc/{process.pid}/fd").iterdir()))
            except OSError:
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    ended.set()
    watcher.join()
    half = len(files) // 2
    return {
        "exit_code": process.returncode,
        "seconds": round(time.perf_counter() - begun, 1),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_mib": round(usage.ru_maxrss / 1024, 1),
        "files_first_half": max(files[:half], default=0),
        "files_second_half": max(files[half:], default=0),
    }


def seconds_of(*arguments: str, turns: int) -> float:
    """Return how long a command takes, the median of some turns."""
    found = []
    for _ in range(turns):
        begun = time.perf_counter()
        subprocess.run([GRADE, *arguments], stdout=subprocess.DEVNULL, check=False)
        found.append(time.perf_counter() - begun)
    return round(median(found), 2)


def request(verdicts: int, options: argparse.Namespace) -> list[str]:
    """Make a case and so many submissions in the working directory; return the arguments that grade them."""
    Path("case").mkdir()
    Path("case/case.yaml").write_text(CASE.format(image=options.image))
    names = [f"work/{number:05d}" for number in range(verdicts)]
    for name in names:
        Path(name).mkdir(parents=True)
        Path(name, "answer").write_text("right\n")
    return ["-c", "case", "-s", *names, "-q", "--display", "none", *options.more.split()]


def merged_shards(verdicts: int, options: argparse.Namespace) -> dict[str, float]:
    """Grade so many submissions in shards, with the fake engine, and merge these."""
    arguments = [*request(verdicts, options), "--runs", "shards"]
    program = [sys.executable, "-c", FAKE + ALL_SHARDS, str(options.shards)]
    subprocess.run([*program, *arguments], stdout=subprocess.DEVNULL, check=True)
    shards = [str(path) for path in Path("shards").glob("[!.]*")]
    found = watched([str(GRADE), "merge", *shards, "-o", "whole"])
    lines = Path("whole", "results.jsonl").read_text("utf-8").splitlines()
    return {
        "verdicts": verdicts,
        "shards": len(shards),
        "lost": verdicts - len({json.loads(line)["submission"] for line in lines}),
        **found,
        "merge_cpu_ms_each": round(1000 * found["cpu_seconds"] / verdicts, 2),
    }


def large_run(verdicts: int, options: argparse.Namespace) -> dict[str, float]:
    """Grade so many submissions in the working directory, and list them."""
    program = [str(GRADE), "--host", options.host] if options.host else [sys.executable, "-c", FAKE + ONE_RUN]
    found = watched([*program, *request(verdicts, options)])
    (directory,) = Path("runs").glob("[!.]*")
    lines = (directory / "results.jsonl").read_text("utf-8").splitlines()
    room = room_of(directory)
    return {
        "verdicts": verdicts,
        "lost": verdicts - len({json.loads(line)["submission"] for line in lines}),
        "twice": len(lines) - verdicts,
        **found,
        "disk_mib": round(room / 2**20, 1),
        "disk_kib_each": round(room / 1024 / verdicts, 2),
        "show_seconds": seconds_of("show", str(directory), "case", "-s", "00007", turns=options.turns),
        "csv_seconds": seconds_of("report", str(directory), "-f", "csv", turns=options.turns),
        "text_seconds": seconds_of("report", str(directory), "-f", "text", turns=options.turns),
        "junit_seconds": seconds_of("report", str(directory), "-f", "junit", turns=options.turns),
    }


def main() -> int:
    """Run the benchmark and print what it found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--verdicts", type=int, nargs="+", default=[500, 10_000])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--shards", type=int, help="merge so many shards of the run, in place of listing it")
    parser.add_argument("--host", help="an engine, such as oci://runc; default: the fake of the tests")
    parser.add_argument("--image", default="image", help="of the case")
    parser.add_argument("--more", default="", help="options of grade, such as '-j 2'")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    found = []
    for verdicts in options.verdicts:
        with TemporaryDirectory() as place:
            os.chdir(place)
            found.append((merged_shards if options.shards else large_run)(verdicts, options))
            os.chdir("/")
        print(json.dumps(found[-1], indent=2))
    if options.json:
        options.json.write_text(json.dumps(found) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
