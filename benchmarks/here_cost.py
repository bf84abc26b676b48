"""What a case costs above its processes with `--engine here`, in a plain container and in one that may make namespaces.

A case with one command, and the same command as a bare process, take turns in random order, in a container of the
local Docker Engine. Read the differences: what else the machine does meets both. Ends with 1 if a case costs more than
MOST_MS of processor time above its process.

    PYTHONPATH=.:tests/support .venv/bin/python benchmarks/here_cost.py --count 40 --json here.json
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

from here_container import ACCEPTED, CHECKOUT, PACKAGE, words

from gradebox.graders import Grader
from gradebox.graders.grading.task import load_case
from gradebox.graders.model.submission import Submission
from gradebox.sandbox.images.recipes import reference

MOST_MS = 40.0
COMMANDS = {"true": ["/bin/true"], "python3": ["python3", "-c", "pass"]}


def seconds() -> tuple[float, float]:
    """Return the wall time, and the processor time of this process and of all that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return time.perf_counter(), sum(each.ru_utime + each.ru_stime for each in used)


def inside(count: int, accepted: str) -> dict[str, dict[str, float]]:
    """Measure in the container that this runs in."""
    taken: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in COMMANDS}
    with tempfile.TemporaryDirectory(dir="/root") as directory, Grader(host="here", accept_weaker=accepted) as grader:
        for name, command in COMMANDS.items():
            path = Path(directory, f"{name}.eval.yaml")
            check = {"name": "one", "type": "code-grader", "command": command}
            path.write_text(json.dumps({"tests": [{"id": "one", "input": "-", "assertions": [check]}]}))
            case = load_case(path)
            grader.grade(case, Submission("first"))
            turns = ["bare", "case"] * count
            random.shuffle(turns)
            for number, turn in enumerate(turns):
                wall, cpu = seconds()
                if turn == "bare":
                    subprocess.run(command, check=True)
                else:
                    result = grader.grade(case, Submission(str(number)))
                    assert result.verdict.score == 1, result.verdict
                after_wall, after_cpu = seconds()
                taken[name][f"{turn} wall"].append((after_wall - wall) * 1000)
                taken[name][f"{turn} cpu"].append((after_cpu - cpu) * 1000)
    return {name: {what: median(times) for what, times in each.items()} for name, each in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        print(json.dumps(inside(arguments.count, arguments.inside)))
        return
    found = {}
    for kind, accepted in ACCEPTED.items():
        with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
            start = words(
                kind, reference("python"), Path(directory), {"PYTHONPATH": f"{PACKAGE}:{CHECKOUT}/tests/support"}
            )
            own = [sys.executable, str(Path(__file__).resolve()), "--count", str(arguments.count), "--inside", accepted]
            done = subprocess.run([*start, *own], check=True, stdout=subprocess.PIPE)
        found[kind] = json.loads(done.stdout)
    print(f"{'':24} {'bare':>8} {'case':>8} {'above':>8}   (medians, ms)")
    for kind, commands in found.items():
        for name, times in commands.items():
            for what in ("wall", "cpu"):
                bare, case = times[f"bare {what}"], times[f"case {what}"]
                print(f"{f'{kind} {name} {what}':24} {bare:8.1f} {case:8.1f} {case - bare:8.1f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))
    # Of processor time: on a busy machine, all wall times grow by what others take.
    sys.exit(any(each["case cpu"] - each["bare cpu"] > MOST_MS for each in found["here"].values()))


if __name__ == "__main__":
    main()
