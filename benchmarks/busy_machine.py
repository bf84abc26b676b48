"""Grade twelve references, a busy loop and a sleeper beside a load, and say whether each has the right verdict.

    python benchmarks/busy_machine.py [--processes 40] [--weight 40] [--limit 10] [--jobs 2]

The load is a container with busy processes. Its weight is that of so many sandboxes: the default is what as many
processes outside of containers would have. A reference needs 0.3 s of processor time. Ends with 1 if a reference did
not pass, or if the busy loop or the sleeper did not fail. Times are printed and decide nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import docker

from gradebox.graders import Grader
from gradebox.graders.grading.task import Task, load_case
from gradebox.graders.model.verdict import Status
from gradebox.graders.submissions.source import read_submission

IMAGE = "gradebox/python"
REFERENCES = 12
WORK = "import time\nwhile time.process_time() < 0.3: pass\n"
SUBMISSIONS = {
    **{f"reference-{number}": WORK for number in range(1, REFERENCES + 1)},
    "busy-loop": "while True: pass\n",
    "sleeper": "import time\ntime.sleep(86400)\n",
}
CASE = """\
id: work
image: {image}
limits: {{cpu_seconds: {limit}}}
assertions:
  - {{type: code-grader, command: [python3, work.py]}}
"""


@contextmanager
def load(processes: int, weight: int) -> Iterator[None]:
    """Keep the processors busy, in a container."""
    if not processes:
        yield
        return
    client = docker.from_env()
    line = f"for n in $(seq {processes}); do while :; do :; done & done; echo begun; wait"
    container = client.containers.run(IMAGE, ["sh", "-c", line], detach=True, cpu_shares=weight * 1024)
    try:
        next(iter(container.logs(stream=True)))
        yield
    finally:
        container.remove(force=True)
        client.close()


def measure(root: Path, *, limit: float, jobs: int) -> bool:
    """Grade everything, print a line for each, and return whether all verdicts are right."""
    (root / "case.yaml").write_text(CASE.format(image=IMAGE, limit=limit))
    case = load_case(root / "case.yaml")
    tasks = []
    for name, code in SUBMISSIONS.items():
        work = root / "submissions" / name
        work.mkdir(parents=True)
        (work / "work.py").write_text(code)
        tasks.append(Task(case, read_submission(str(work))))
    right = True
    with Grader() as grader:
        for result in grader.grade_many(tasks, jobs=jobs):
            wanted = Status.PASSED if result.submission.startswith("reference") else Status.FAILED
            for used in (step.outcome.usage for step in result.verdict.checks[0].steps):
                held = f"held up {used.held_up_seconds:.1f} s"
                times = f"{used.wall_seconds:.1f} s, processor {used.cpu_seconds:.2f} s, {held}"
                print(f"{result.submission:14} {result.verdict.status:8} {times}", flush=True)
            if result.verdict.status is not wanted:
                right = False
                print(f"  {result.submission} should be {wanted}: {'; '.join(result.verdict.reasons)}")
    return right


def main() -> int:
    """Measure beside a load, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=40, help="busy processes; 0 for none")
    parser.add_argument("--weight", type=int, help="of how many sandboxes; default: one for each process")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds of a command")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    with load(given.processes, given.weight or given.processes), tempfile.TemporaryDirectory() as directory:
        right = measure(Path(directory), limit=given.limit, jobs=given.jobs)
    print(f"load of the machine: {os.getloadavg()[0]:.0f}; every verdict is right: {'yes' if right else 'no'}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
