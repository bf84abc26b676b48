"""What tests of an `io` check cost, beside bare processes of this machine, and what many long ones do to memory.

A case of many small tests is graded, and the same program is run as often as a bare process on the same inputs. The
sandbox itself is what a case with one test takes. The bar: many tests cost at most 1.3 times the bare processes, plus
one sandbox. Then tests whose input and output are 1 MiB each are graded in a process of their own, which reports how
much its memory grew: it must not hold more than a few of them.

    .venv/bin/python benchmarks/io_cost.py --tests 100 --long 200 --engine oci://runc
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.submissions.source import read_submission

PROGRAM = "import sys\nsys.stdout.write(sys.stdin.read())\n"
MIB = 1 << 20


def make(directory: Path, count: int, size: int) -> Task:
    """Return a task with so many tests, whose inputs and outputs have so many bytes."""
    tests = directory / f"case-{count}-{size}" / "tests"
    work = directory / "work"
    tests.mkdir(parents=True)
    work.mkdir(exist_ok=True)
    (work / "solution.py").write_text(PROGRAM)
    for number in range(count):
        text = f"{number}\n" * (size // len(f"{number}\n"))
        for suffix in (".in", ".ans"):
            (tests / f"{number}{suffix}").write_text(text)
    (tests.parent / "case.yaml").write_text(
        "input: Echo.\nlanguage: python\nexecution: {timeout_seconds: 1800}\nlimits: {memory: 256m}\n"
        "assertions: [{type: io, tests: tests}]\n"
    )
    return Task(load_case(tests.parent), read_submission(work))


def graded(task: Task, times: int, engine: str | None = None) -> float:
    """Return the shortest wall time of a grading, in seconds."""
    found = []
    with Grader(host=engine) as grader:
        for _ in range(times):
            start = time.perf_counter()
            (result,) = grader.grade_many([task])
            found.append(time.perf_counter() - start)
            assert result.verdict.score == 1.0, result.verdict
    return min(found)


def bare(directory: Path, count: int, times: int) -> float:
    """Return the shortest wall time of so many bare processes, in seconds."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        for number in range(count):
            given = f"{number}\n".encode()
            command = [sys.executable, str(directory / "work/solution.py")]
            assert subprocess.run(command, input=given, capture_output=True, check=True).stdout == given
        found.append(time.perf_counter() - start)
    return min(found)


def grown(directory: Path, count: int) -> float:
    """Return how much the memory of this process grows with such tests, in MiB."""
    graded(make(directory, 1, MIB), 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    graded(make(directory, count, MIB), 1)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def main() -> int:
    """Print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, default=100)
    parser.add_argument("--long", type=int, default=200)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--engine", help="URL, such as oci://runc")
    parser.add_argument("--json", type=Path)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        many, one = make(directory, wanted.tests, 4), make(directory, 1, 4)
        sandbox = graded(one, wanted.times, wanted.engine)
        seconds = graded(many, wanted.times, wanted.engine)
        alone = bare(directory, wanted.tests, wanted.times)
        memory = grown(directory, wanted.long)
    share, rate = (seconds - sandbox) / alone, wanted.tests / (seconds - sandbox)
    print(f"one test: {sandbox:.2f} s; {wanted.tests} tests: {seconds:.2f} s; bare processes: {alone:.2f} s")
    print(f"beyond one sandbox, tests take {share:.2f} times the bare processes: {rate:.0f} tests a second")
    print(f"{wanted.long} tests with 1 MiB each: this process grew by {memory:.0f} MiB")
    if wanted.json:
        about = {"share": round(share, 2), "tests_a_second": round(rate), "grown_mib": round(memory)}
        about["sandbox_seconds"] = round(sandbox, 2)
        wanted.json.write_text(json.dumps(about, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
