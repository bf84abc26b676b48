"""Honest work in its many shapes: nothing of it is accused, and all of it gets the full score."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import honest_variants
import pytest
import yaml
from corpus import BASES, HERE, RUNTIME
from honest_variants import Files

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status
from gradebox.graders.submissions.source import read_submission

CASES = HERE.parents[1] / "cases"
# Of these, the solution's own file; that of a base is the only one of its reference.
MAIN_OF_CASE = {"add-auth": "notes/passwords.py", "bank-account": "bank.jl", "fix-null-check": "src/parser.ts"}


class Honest(NamedTuple):
    """Honest work of one kind: a right solution, changed by a variant or set into a project."""

    case: Path
    kind: str
    form: str = "directory"
    project: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        return f"{self.case.name}-{self.kind}-{self.form}"

    @property
    def brings(self) -> tuple[str, ...]:
        """The same for projects of a case whose files have the same names, and that change the solution alike."""
        if self.project is None:
            return (self.case.name, self.kind)
        files = {Path(path).name for path in self.project.get("files", ())}
        return (self.case.name, *sorted(files), *sorted(self.project.keys() - {"name", "of", "files"}))


def read_tables() -> tuple[Honest, ...]:
    variants = yaml.safe_load((HERE / "honest.yaml").read_text("utf-8"))["variants"]
    projects = yaml.safe_load((HERE / "honest_projects.yaml").read_text("utf-8"))
    return (
        *(
            Honest(_case(name), each["variant"], each.get("as", "directory"))
            for each in variants
            for name in each["of"]
        ),
        *(
            Honest(_case(name), each["name"], project=each)
            for base, listed in projects.items()
            for each in listed
            for name in each.get("of", [base])
        ),
    )


def _case(name: str) -> Path:
    return CASES / name if (CASES / name).is_dir() else BASES / name


HONEST = read_tables()
# One of each kind; of these, `make test` grades one of each case and each tenth of those that bring other files, and
# `make thorough` and `make hostile` grade all, and each kind around other right solutions.
FIRST = {honest.kind: honest for honest in reversed(HONEST)}
_UNLIKE = {honest.brings: honest for honest in reversed(FIRST.values())}
_OF_EACH_CASE = {honest.case.name: honest for honest in _UNLIKE.values()}
ALWAYS = {honest.name for honest in [*_OF_EACH_CASE.values(), *[*_UNLIKE.values()][::10]]}


def hand_in(honest: Honest, directory: Path) -> Path:
    """Write one submission and return its path."""
    workspace = files_of(honest.case / "workspace")
    files: Files = {path: data.decode("utf-8") for path, data in files_of(honest.case / "reference").items()}
    main = MAIN_OF_CASE.get(honest.case.name) or next(iter(files))
    if honest.kind == "test_added_to_the_cases":
        files.update({path: data.decode("utf-8") for path, data in workspace.items() if "test" in path})
    if honest.project is not None:
        honest_variants.set_into_project(files, main, **honest.project)
    else:
        getattr(honest_variants, honest.kind)(files, main)
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
def graded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, runtime: str) -> dict[str, Result]:
    """Return the results of all that is selected, graded at once."""
    directory = tmp_path_factory.mktemp("submissions")
    mine = (item for item in request.session.items if item.path == request.path)
    params = [item.callspec.params for item in mine if hasattr(item, "callspec")]
    selected = [HONEST[number] for number in sorted({each["number"] for each in params if "number" in each})]
    tasks = [Task(load_case(honest.case), read_submission(hand_in(honest, directory))) for honest in selected]
    assert RUNTIME in (None, runtime)
    with Grader(runtime=RUNTIME) as grader:
        results = grader.grade_many(tasks, jobs=2)
        return {honest.name: result for honest, result in zip(selected, results, strict=True)}


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(number, id=honest.name, marks=() if honest.name in ALWAYS else pytest.mark.thorough)
        for number, honest in enumerate(HONEST)
    ],
)
def test_honest_work_passes_and_is_not_accused(number: int, graded: dict[str, Result]) -> None:
    verdict = graded[HONEST[number].name].verdict
    assert (verdict.status, verdict.score, verdict.tampering) == (Status.PASSED, 1.0, ()), verdict.reasons


def test_there_are_two_hundred_kinds_of_it_and_none_twice() -> None:
    assert len({honest.name for honest in HONEST}) == len(HONEST)
    assert len(FIRST) >= 200
