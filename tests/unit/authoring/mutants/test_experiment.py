"""An experiment: what is mutated, and what became of the mutants."""

from __future__ import annotations

from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders.authoring.mutants.experiment import (
    Experiment,
    GradedMutant,
    Noticed,
    changed_lines,
    find_weakness,
    plan_mutants,
)
from gradebox.graders.authoring.mutants.mutation import Mutant
from gradebox.graders.authoring.quality_gradings import Level
from gradebox.graders.cases import load
from gradebox.graders.model.tree import content
from gradebox.graders.model.verdict import Status

CASE = "image: image\nassertions: [{name: it, type: code-grader, command: [judge]}]\n"
REFERENCE = "def f(a):\n    return a + 1\n"


def plan(root: Path, **files: str) -> Experiment:
    write(root, {"case.yaml": CASE, **{name.replace("__", "/") + ".py": text for name, text in files.items()}})
    (case,) = load(root).cases
    return plan_mutants(case, 100)


def graded(function: str, status: Status, line: int = 1, *, reached: bool = True) -> GradedMutant:
    mutant = Mutant("a.py", line, function, "constant", "a", "b", f"{line}")
    return GradedMutant(mutant, status, "it" if status is Status.FAILED else "", reached=reached)


def test_only_what_the_reference_changes_is_mutated(tmp_path: Path) -> None:
    job = plan(tmp_path, workspace__a="x = 1\n", reference__a=f"x = 1\n{REFERENCE}")
    assert {(m.path, m.line) for m in job.mutants} == {("a.py", 3)}
    assert job.count == 1 + len(job.mutants)


def test_tests_of_the_reference_are_left_out(tmp_path: Path) -> None:
    job = plan(tmp_path, reference__a=REFERENCE, reference__test_a="assert 1 + 1 == 2\n")
    assert {m.path for m in job.mutants} == {"a.py"}


def test_a_mutant_is_the_whole_reference_with_one_mistake(tmp_path: Path) -> None:
    job = plan(tmp_path, workspace__gone="", reference__a=REFERENCE, reference__b="y = 1\n")
    mutant = next(m for m in job.mutants if m.path == "a.py")
    made = job.submission(mutant, mutant.text, 1)
    assert {path: content(entry).decode() for path, entry in made.tree.entries.items()} == {
        "a.py": mutant.text,
        "b.py": "y = 1\n",
    }


def test_a_marked_mutant_is_not_tried_and_an_idle_mark_is_found(tmp_path: Path) -> None:
    mark = '- {file: a.py, from: "return a + 1", to: "return a - 1", reason: Why.}\n'
    write(tmp_path, {"mutants.yaml": mark + mark.replace("a - 1", "a * 7")})
    job = plan(tmp_path, reference__a=REFERENCE)
    assert "return a - 1" not in {m.after for m in job.mutants}
    assert (job.marked, [one.after for one in job.idle]) == (1, ["return a * 7"])


@pytest.mark.parametrize("files", [{}, {"workspace__a": REFERENCE, "reference__a": REFERENCE}])
def test_without_a_line_to_change_there_is_a_problem(files: dict[str, str], tmp_path: Path) -> None:
    assert plan(tmp_path, **files).problem


def test_changed_lines_are_those_that_were_not_there() -> None:
    assert changed_lines("a\nb\n", "a\nc\nb\nd\n") == {2, 4}


def test_errors_and_lines_that_are_not_reached_do_not_count() -> None:
    noticed = Noticed((
        graded("f", Status.FAILED), graded("f", Status.PASSED), graded("f", Status.ERROR),
        graded("g", Status.PASSED, 7, reached=False),
    ))  # fmt: skip
    assert (noticed.rate.passed, noticed.rate.judged, noticed.rate.errors) == (1, 2, 1)
    assert noticed.not_reached == {"a.py": [7]}
    assert noticed.by_check == {"it": 1}


def test_the_function_of_which_most_survive_comes_first() -> None:
    noticed = Noticed((graded("f", Status.PASSED), graded("g", Status.PASSED), graded("g", Status.PASSED, 2)))
    assert [(function, len(found)) for (_, function), found in noticed.by_function()] == [("g", 2), ("f", 1)]


def test_too_small_a_share_is_a_finding() -> None:
    noticed = Noticed((graded("f", Status.FAILED), graded("f", Status.PASSED)))
    assert [finding.level for finding in find_weakness(noticed, 0.9)] == [Level.UNFAIR]
    assert list(find_weakness(noticed, 0.5)) == []
    assert [one.level for one in find_weakness(Noticed(problem="No."), 0.9)] == [Level.NOT_GRADED]


def test_marks_do_not_change_the_sample(tmp_path: Path) -> None:
    source = "".join(f"def f{n}(a):\n    return a + {n}\n" for n in range(9))
    write(tmp_path, {"case.yaml": CASE, "reference/a.py": source})
    (case,) = load(tmp_path).cases
    first, *others = plan_mutants(case, 5).mutants
    mark = f'- {{file: a.py, from: "{first.before}", to: "{first.after}", reason: Why.}}\n'
    write(tmp_path, {"mutants.yaml": mark})
    again = plan_mutants(case, 5)
    assert (list(again.mutants), again.marked) == (others, 1)
