"""What tests of an `io` check cost, beside bare processes of this machine, and what many long ones do to memory.

A case of many small tests is graded, and the same program is run as often as a bare process on the same inputs, by
turns. The sandbox itself is what a case with one test takes. The bar: many tests cost at most 1.3 times the bare
processes, plus one sandbox. Then tests whose input and output are 1 MiB each are graded, and how much the memory of
this process grew is printed: it must not hold more than a few of them.

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
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

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


class Spent(NamedTuple):
    """What something took: wall time, and processor time of this process and of what it waited for, in seconds."""

    wall: float
    host: float
    program: float


def graded(grader: Grader, task: Task) -> Spent:
    """Grade a task once; the programs' processor time is what the sandbox measured."""
    start, used = time.perf_counter(), time.process_time()
    (result,) = grader.grade_many([task])
    wall, host = time.perf_counter() - start, time.process_time() - used
    assert result.verdict.score == 1.0, result.verdict
    steps = (step for check in result.verdict.checks for step in check.steps)
    return Spent(wall, host, sum(step.outcome.usage.cpu_seconds for step in steps))


def bare(directory: Path, count: int) -> Spent:
    """Run so many bare processes, one after the other."""
    start, used, before = time.perf_counter(), time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    for number in range(count):
        given = f"{number}\n".encode()
        command = [sys.executable, str(directory / "work/solution.py")]
        assert subprocess.run(command, input=given, capture_output=True, check=True).stdout == given
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(time.perf_counter() - start, time.process_time() - used, program)


def least(found: Sequence[Spent]) -> Spent:
    """Return the least of each figure."""
    return Spent(*map(min, zip(*found, strict=True)))


def grown(directory: Path, count: int) -> float:
    """Return how much the memory of this process grows with such tests, in MiB."""
    with Grader() as grader:
        graded(grader, make(directory, 1, MIB))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        graded(grader, make(directory, count, MIB))
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
        with Grader(host=wanted.engine) as grader:
            # By turns: other work of the machine slows all three.
            turns = [
                (graded(grader, one), graded(grader, many), bare(directory, wanted.tests)) for _ in range(wanted.times)
            ]
        memory = grown(directory, wanted.long)
    sandbox, tests, alone = map(least, zip(*turns, strict=True))
    seconds = tests.wall - sandbox.wall
    share, rate = seconds / alone.wall, wanted.tests / seconds
    print(f"one test: {sandbox.wall:.2f} s; {wanted.tests} tests: {tests.wall:.2f} s; bare: {alone.wall:.2f} s")
    print(f"beyond one sandbox, tests take {share:.2f} times the bare processes: {rate:.0f} tests a second")
    for what, spent in (("a test", tests), ("a bare process", alone)):
        host, program = (1000 * each / wanted.tests for each in spent[1:])
        print(f"processor time of {what}: {host:.1f} ms of this process, {program:.1f} ms of the program")
    print(f"{wanted.long} tests with 1 MiB each: this process grew by {memory:.0f} MiB")
    if wanted.json:
        about = {"share": round(share, 2), "tests_a_second": round(rate), "grown_mib": round(memory)}
        about["sandbox_seconds"] = round(sandbox.wall, 2)
        wanted.json.write_text(json.dumps(about, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
