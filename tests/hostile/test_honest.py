"""Honest work in its many shapes: nothing of it is accused, and all of it gets the full score."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import honest_variants
import pytest
import yaml
from corpus import BASES, HERE, RUNTIME
from honest_variants import Files

from graders import Grader, Task, load_case
from graders.model.result import Result
from graders.model.verdict import Status
from graders.submissions.source import read_submission

CASES = HERE.parents[1] / "cases"
# Of these, the solution's own file; that of a base is the only one of its reference.
MAIN_OF_CASE = {"add-auth": "notes/passwords.py", "bank-account": "bank.jl", "fix-null-check": "src/parser.ts"}


class Honest(NamedTuple):
    """A variant of a right solution, handed in as a directory or as a diff."""

    case: Path
    variant: str
    form: str

    @property
    def name(self) -> str:
        return f"{self.case.name}-{self.variant}-{self.form}"


def read_table() -> tuple[Honest, ...]:
    table: list[dict[str, Any]] = yaml.safe_load((HERE / "honest.yaml").read_text("utf-8"))["variants"]
    return tuple(
        Honest(
            CASES / name if (CASES / name).is_dir() else BASES / name, entry["variant"], entry.get("as", "directory")
        )
        for entry in table
        for name in entry["of"]
    )


HONEST = read_table()


def hand_in(honest: Honest, directory: Path) -> Path:
    """Write one submission and return its path."""
    workspace = files_of(honest.case / "workspace")
    files: Files = {path: data.decode("utf-8") for path, data in files_of(honest.case / "reference").items()}
    main = MAIN_OF_CASE.get(honest.case.name) or next(iter(files))
    if honest.variant == "test_added_to_the_cases":
        files.update({path: data.decode("utf-8") for path, data in workspace.items() if "test" in path})
    getattr(honest_variants, honest.variant)(files, main)
    if honest.form == "diff":
        place = directory / f"{honest.name}.diff"
        place.write_bytes(honest_variants.unified_diff(workspace, files).encode("utf-8"))
        return place
    place = directory / honest.name
    place.mkdir()
    honest_variants.write(files, place)
    return place


def files_of(directory: Path) -> dict[str, bytes]:
    paths = sorted(path for path in directory.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, runtime: str) -> dict[str, Result]:
    directory = tmp_path_factory.mktemp("submissions")
    tasks = [Task(load_case(honest.case), read_submission(hand_in(honest, directory))) for honest in HONEST]
    assert RUNTIME in (None, runtime)
    with Grader(runtime=RUNTIME) as grader:
        results = grader.grade_many(tasks, jobs=2)
        return {honest.name: result for honest, result in zip(HONEST, results, strict=True)}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("honest", HONEST, ids=lambda honest: honest.name)
def test_honest_work_passes_and_is_not_accused(honest: Honest, graded: dict[str, Result]) -> None:
    verdict = graded[honest.name].verdict
    assert (verdict.status, verdict.score, verdict.tampering) == (Status.PASSED, 1.0, ()), verdict.reasons


def test_there_are_a_hundred_of_them_and_none_twice() -> None:
    assert len({honest.name for honest in HONEST}) == len(HONEST) >= 100
