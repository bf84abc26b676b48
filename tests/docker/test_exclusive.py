"""A case that says `exclusive` runs alone, in real sandboxes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders.cases import load
from gradebox.graders.grading.grader import Grader
from gradebox.graders.grading.task import Task
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

# It prints when it ran, by a clock that all sandboxes of the machine share.
STAMPS = "read a _ < /proc/uptime; sleep 1; read b _ < /proc/uptime; echo from $a to $b"


def text(name: str, of_case: str = "", of_check: str = "") -> str:
    return (
        f"id: {name}\nimage: gradebox/base\n{of_case}input: Nothing.\n"
        f"assertions:\n  - {{name: time, type: code-grader, command: '{STAMPS}'{of_check}}}\n"
    )


@pytest.mark.parametrize("by_check", [False, True])
def test_nothing_else_runs_meanwhile(engine: DockerEngine, tmp_path: Path, by_check: bool) -> None:
    exclusive = {"of_check": ", exclusive: true"} if by_check else {"of_case": "exclusive: true\n"}
    files = {f"{name}/case.yaml": text(name) for name in "abcd"} | {"m/case.yaml": text("m", **exclusive)}
    write(tmp_path, files)
    cases = {case.id: case for case in load(tmp_path).cases}
    order = [cases[name] for name in "ambmcd"]
    with Grader(engine=engine) as grader:
        results = list(grader.grade_many((Task(case, None) for case in order), jobs=3))
    spans = []
    for result in results:
        (step,) = result.verdict.checks[0].steps
        found = re.search(r"from ([\d.]+) to ([\d.]+)", step.outcome.stdout.head.decode())
        assert found, result.verdict
        spans.append((result.case, float(found[1]), float(found[2])))
    alone = [span for span in spans if span[0] == "m"]
    for name, start, end in alone:
        others = [each for each in spans if each != (name, start, end)]
        assert all(to <= start or since >= end for _, since, to in others), spans
