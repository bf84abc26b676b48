"""Kills a run again and again at random moments, continues it each time, and compares it with one left alone.

    python benchmarks/kill_and_resume.py --cases 200 --kills 50

Prints what it did, and ends with 1 if a verdict was lost, was there twice, or differs from that of the run that nobody
disturbed. The moments are drawn from a seed, which is printed; how far a run is by then, the machine decides.
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
from pathlib import Path
from typing import Any

GRADE = Path(sys.executable).with_name("grade")
CASE = """
language: bash
tags: [{tag}]
assertions:
  - name: status
    type: code-grader
    command: "exit {status}"
    required: true
  - name: output
    type: code-grader
    command: "echo {number}"
    expect: {{stdout_regex: "[02468]"}}
"""
# Of one grading only, not of what was graded.
NOT_COMPARED = {"id", "run", "started"}


def write_cases(root: Path, count: int) -> Path:
    """Write a suite of small cases, of which some fail."""
    for number in range(count):
        case = root / "cases" / f"case-{number:04d}"
        case.mkdir(parents=True)
        text = CASE.format(tag="odd" if number % 2 else "even", status=int(number % 7 == 0), number=number)
        (case / "case.yaml").write_text(text)
    suite = root / "suite.eval.yaml"
    suite.write_text("tests: ./cases/\n")
    return suite


def grade(root: Path, *arguments: object) -> subprocess.Popen[bytes]:
    """Start ``grade`` in a process group of its own."""
    return subprocess.Popen(
        [GRADE, *map(str, arguments), "--quiet"],
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "NO_COLOR": "1"},
    )


def lines(run: Path) -> list[dict[str, Any]]:
    """Return the whole lines of a run's results."""
    results = run / "results.jsonl"
    data = results.read_bytes() if results.exists() else b""
    return [json.loads(line) for line in data.split(b"\n")[:-1]]


def timeless(value: Any) -> Any:
    """Return a verdict without what differs from one grading to the next."""
    if isinstance(value, dict):
        kept = (key for key in value if key not in NOT_COMPARED and not key.endswith("seconds"))
        return {key: timeless(value[key]) for key in kept}
    return [timeless(inner) for inner in value] if isinstance(value, list) else value


def the_run(runs: Path) -> Path | None:
    """Return the run directory below a directory, None while there is none that can be continued."""
    found = [record.parent for record in runs.glob("*/run.json")] if runs.exists() else []
    return found[0] if found else None


def kill_and_resume(root: Path, suite: Path, kills: int, chance: random.Random) -> tuple[Path, int]:
    """Run the suite with so many kills, and return its run directory and how many kills hit a living run."""
    runs = root / "killed"
    hit = 0
    for _ in range(kills):
        run = the_run(runs)
        arguments = ("--resume", run) if run else ("--case", suite, "--runs", runs)
        process = grade(root, *arguments)
        try:
            process.wait(chance.uniform(0.05, 3.0))
        except subprocess.TimeoutExpired:
            hit += 1
            process.kill()
        process.wait()
    run = the_run(runs)
    arguments = ("--resume", run) if run else ("--case", suite, "--runs", runs)
    if grade(root, *arguments).wait() not in (0, 1):
        raise SystemExit("The last run did not come to its end.")
    found = the_run(runs)
    assert found is not None
    return found, hit


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kill-and-resume-") as directory:
        root = Path(directory)
        suite = write_cases(root, options.cases)
        begun = time.monotonic()
        undisturbed = grade(root, "--case", suite, "--runs", root / "undisturbed").wait()
        seconds = time.monotonic() - begun
        quiet = the_run(root / "undisturbed")
        assert quiet is not None
        begun = time.monotonic()
        run, hit = kill_and_resume(root, suite, options.kills, random.Random(options.seed))
        wanted = {line["case"]: timeless(line) for line in lines(quiet)}
        found = lines(run)
        count = Counter(line["case"] for line in found)
        twice = [case for case, times in count.items() if times > 1]
        lost = [case for case in wanted if case not in count]
        different = [line["case"] for line in found if timeless(line) != wanted.get(line["case"])]
        print(f"seed {options.seed}: {options.cases} cases, undisturbed in {seconds:.1f} s, exit code {undisturbed}")
        print(f"{options.kills} kills, {hit} of them while it ran; all of it took {time.monotonic() - begun:.1f} s")
        print(f"{len(lost)} verdicts lost, {len(twice)} twice, {len(different)} different")
        for name, cases in (("lost", lost), ("twice", twice), ("different", different)):
            if cases:
                print(f"{name}: {', '.join(cases[:10])}")
        return 1 if lost or twice or different or len(wanted) != options.cases else 0


if __name__ == "__main__":
    raise SystemExit(main())
