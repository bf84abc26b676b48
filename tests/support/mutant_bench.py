"""What a case notices of the mutants of its reference, on a real engine."""

from __future__ import annotations

from pathlib import Path

from grading_bench import write

from gradebox.graders.authoring.mutants.experiment import Noticed, plan_mutants
from gradebox.graders.cases import load
from gradebox.graders.grading.grader import Grader
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine


def noticed(engine: DockerEngine, root: Path, file: str, text: str, source: str) -> Noticed:
    """Return what a case of this text notices; its reference is one file."""
    write(root, {"case.yaml": text, f"reference/{file}": source})
    (case,) = load(root).cases
    with Grader(engine=engine) as grader:
        found = plan_mutants(case).carried_out(grader, jobs=2)
    assert found is not None
    assert (found.problem, found.rate.errors) == ("", 0)
    return found
