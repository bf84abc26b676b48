"""The controls of Julia: whatever runs its statements, the same bent work fails, and the same honest work passes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from adapter_bench import open_yard
from item_bench import open_workshop
from sampled import one_of

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.languages.language import inside
from gradebox.graders.submissions.answer import read_answer
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference

STATEMENTS = (
    "@assert add_one(1) == 2",
    "@test add_one(1) == 2",
    'add_one(1) == 2 || error("wrong")',
    'add_one(1) != 2 && throw(ErrorException("wrong"))',
    "if !(add_one(1) == 2)\n    error()\nend",
)
EQUAL = "struct Y end\nBase.:(==)(::Y, ::Int) = true\nadd_one(x) = Y()"
WRONG = "add_one(x) = 0"
# Work, and how many of the statements it passes.
WORK = {
    "honest": ("add_one(x::Number) = x + one(x)", 5),
    "with names of its own": ("error(a::Int, b::Int) = a - b\nassert(x) = x\nadd_one(x) = x - error(0, 1)", 5),
    "wrong": (WRONG, 0),
    "equal to every number": (EQUAL, 0),
    "its own assertion": (f"macro assert(a...) nothing end\n{WRONG}", 0),
    "its own test": (f"macro test(a...) nothing end\n{WRONG}", 0),
    "its own errors": (f"error(a...) = nothing\nthrow(a...) = nothing\n{WRONG}", 0),
    "errors that tell a control": (
        f'error(a...) = a == ("control",) && Core.throw(1)\nthrow(a) = a.msg == "control" && Core.throw(1)\n{WRONG}',
        0,
    ),
    "equality of numbers": (f"Base.:(==)(::Int, ::Int) = true\n{WRONG}", 0),
}


def of_items(engine: DockerEngine, _: Path) -> Iterator[int]:
    files = {f"work{number}.jl": work for number, (work, _) in enumerate(WORK.values())}
    for workshop in open_workshop(engine, "julia", files):
        for name in files:
            yield sum(workshop.share(*STATEMENTS, setup=(f'include("{name}")',))[0])


def of_a_definition(_: DockerEngine, place: Path) -> Iterator[int]:
    (place / "add_one").mkdir()
    tests = ", ".join(f"'''{statement}'''" for statement in STATEMENTS)
    (place / "add_one" / "definition.toml").write_text(
        '[code_generation]\nname = "add_one"\ncontributor = "gradebox"\ncriteria = ["passed_unit_tests"]\n'
        f'version = "1.0"\nprompt = "Write add_one."\nimports = []\nexamples = ["add_one(1)"]\nunit_tests = [{tests}]\n'
        'reference_solution = "add_one(x) = x + 1"\n'
    )
    case = load_case(place / "add_one")
    tasks = [Task(case, read_answer(name, f"```julia\n{work}\n```\n")) for name, (work, _) in WORK.items()]
    with Grader() as grader:
        for graded in grader.grade_many(tasks, jobs=2):
            yield sum(step.passed for step in graded.verdict.checks[2].steps)


def of_a_file_of_tests(engine: DockerEngine, _: Path) -> Iterator[int]:
    for yard in open_yard(engine, reference("julia")):
        for work, _ in WORK.values():
            tests = (f'using Test\ninclude("../src/add.jl")\n{one}\n@test true\n' for one in STATEMENTS)
            files = ({"work": {"src/add.jl": work}, "judge": {"test/runtests.jl": text}} for text in tests)
            yield sum(yard.run("julia", "--color=no", "test/runtests.jl", **each).passed for each in files)


# Under the names of the programs in the image.
RUNNERS: dict[str, Callable[[DockerEngine, Path], Iterator[int]]] = {
    "items": of_items,
    "answer": of_a_definition,
    "tests": of_a_file_of_tests,
}


def test_every_program_that_judges_in_one_process_has_the_controls() -> None:
    listed = re.findall(r'"(\w+)" => \(("\w+\.jl"[^)]*)\)', (inside("julia") / "system_image.jl").read_text("utf-8"))
    judging = {name for name, files in listed if "equality.jl" in files}
    assert judging == set(RUNNERS) == {name for name, files in listed if "controls.jl" in files}


@pytest.mark.timeout(600)
# Each takes up to a minute, and all share their controls.
@pytest.mark.parametrize("runner", one_of(len(RUNNERS), RUNNERS))
def test_bent_work_fails_whatever_runs_it(engine: DockerEngine, tmp_path: Path, runner: str) -> None:
    passed = RUNNERS[runner](engine, tmp_path)
    assert dict(zip(WORK, passed, strict=True)) == {name: count for name, (_, count) in WORK.items()}
