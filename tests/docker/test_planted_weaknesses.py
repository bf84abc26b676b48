"""Weaknesses of ten kinds in five languages: mutants name each, and name nothing where the tests are strong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from mutant_bench import noticed

from gradebox.graders.authoring.mutants.experiment import Noticed
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

PLANTED: dict[str, dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[1] / "support" / "planted_weaknesses.yaml").read_text("utf-8")
)
pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]


def graded(engine: DockerEngine, root: Path, planted: dict[str, Any], items: str) -> Noticed:
    """Return what the weak or the strong items of a task notice of the mutants of its reference."""
    case = {
        "input": f"Write {planted['file']}.",
        "language": planted["language"],
        "isolation": "in-process",
        "answer_file": planted["file"],
        "examples_setup": planted["setup"],
        "examples": planted[items],
        "execution": {"threshold": 1},
    }
    return noticed(engine, root, planted["file"], yaml.safe_dump(case), planted["reference"])


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_weakness_is_named(engine: DockerEngine, tmp_path: Path, name: str) -> None:
    planted = PLANTED[name]
    found = graded(engine, tmp_path, planted, "weak")
    if "line" in planted:
        assert planted["line"] in {each.mutant.after for each in found.survivors}
    assert found.not_reached == ({planted["file"]: planted["not_reached"]} if "not_reached" in planted else {})


@pytest.mark.parametrize("name", PLANTED)
def test_strong_tests_leave_no_mutant(engine: DockerEngine, tmp_path: Path, name: str) -> None:
    found = graded(engine, tmp_path, PLANTED[name], "strong")
    assert [each.mutant.diff for each in found.survivors] == []
    assert found.not_reached == {}
    assert found.rate.passed >= 2
