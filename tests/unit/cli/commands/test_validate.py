"""``grade validate``: every mistake with its place, counted, for people and for programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CASE, Grade
from grading_bench import write

from gradebox.graders.checks.evaluation import READS_SOURCE
from gradebox.graders.errors import ExitCode


def test_every_mistake_of_every_path_has_its_place(grade: Grade, no_engine: None) -> None:
    write(Path(), {"one/case.yaml": f"{CASE}    wieght: 2\nthresold: 1\n", "two/case.yaml": CASE})
    write(Path(), {"three/case.yaml": "assertions: [{type: code-grader}]\n"})
    ran = grade("validate", "one", "two", "three")
    assert ran.code == ExitCode.USAGE
    places = [line.split(": ")[0] for line in ran.out.splitlines()]
    one, three = Path("one/case.yaml").resolve(), Path("three/case.yaml").resolve()
    assert f"{three}:1:14" in places
    assert [place for place in places if place.startswith(str(one))] != []
    assert "3 cases checked: " in ran.err


def test_mistakes_as_json_are_one_object_each_and_alone_on_stdout(grade: Grade, no_engine: None) -> None:
    write(Path(), {"case/case.yaml": CASE.replace("required", "requird")})
    ran = grade("validate", "case", "--json")
    (found,) = ran.objects
    assert (found["file"], found["line"], found["column"]) == (str(Path("case/case.yaml").resolve()), 4, 56)
    assert (found["path"], found["severity"]) == ("assertions[0].requird", "error")
    assert "required" in found["hint"]
    assert ran.code == ExitCode.USAGE


def test_warnings_count_when_strict(grade: Grade, no_engine: None) -> None:
    write(Path(), {"case/case.yaml": CASE.replace("required: true", "min_score: 0.5")})
    ran = grade("validate", "case")
    assert (ran.code, "warning" in ran.out) == (ExitCode.PASSED, True)
    assert ran.err.startswith("1 case checked: 0 errors, 1 warning\n")
    assert grade("validate", "case", "--strict").code == ExitCode.USAGE


def test_fine_cases_are_counted_and_nothing_else_is_said(grade: Grade, no_engine: None) -> None:
    apart = CASE + "isolation: apart\n"
    write(Path(), {"a/case.yaml": apart, "b/case.yaml": apart})
    assert grade("validate", "a", "b", "--strict") == (ExitCode.PASSED, "", "2 cases checked: 0 errors, 0 warnings\n")


@pytest.mark.parametrize(
    ("said", "of_case", "warned"),
    [
        ("", "", 1), ("isolation: in-process, ", "", 0), ("isolation: apart, ", "", 0),
        ("", "isolation: in-process", 0), ("", "isolation: apart", 0),
    ],
)  # fmt: skip
def test_a_required_check_that_is_judged_in_process_is_a_warning(
    said: str, of_case: str, warned: int, grade: Grade, no_engine: None
) -> None:
    check = f"{{name: it, type: code-grader, {said}command: [judge], required: true}}"
    write(Path(), {"case/case.yaml": f"assertions:\n- {check}\n{of_case}\n"})
    ran = grade("validate", "case")
    assert ran.out.count("case.yaml:2:3: warning: the required check it is judged in-process") == warned
    assert ran.code == ExitCode.PASSED


def test_what_passes_in_process_is_said_once_for_all_cases(grade: Grade, no_engine: None) -> None:
    shared = CASE + "isolation: in-process\n"
    write(Path(), {"a/case.yaml": shared, "b/case.yaml": shared, "c/case.yaml": CASE + "isolation: apart\n"})
    ran = grade("validate", "a", "b", "c", "--strict")
    assert (ran.code, ran.out) == (ExitCode.PASSED, "")
    _, said = ran.err.splitlines()
    assert said == f"2 cases are judged in-process: there, {READS_SOURCE}."
    assert "in-process" not in grade("validate", "a", "--quiet").err


SUITE = "tests:\n  - id: a\n    assertions: [{type: contains, value: x}]\n    input: x\n"


def test_a_repository_has_one_summary_by_reason(grade: Grade, no_engine: None) -> None:
    broken = SUITE.replace("input", "inptu")
    write(Path(), {"repo/a/good.eval.yaml": SUITE, "repo/b/one.eval.yaml": broken, "repo/c/two.eval.yaml": broken})
    ran = grade("validate", "repo")
    assert ran.code == ExitCode.USAGE
    assert ran.out.count("error: ") == 1
    assert "unknown key `inptu` (2 times in 2 files)" in ran.out
    assert "one.eval.yaml:4:5: unknown key" in ran.out
    assert "good.eval.yaml: loads, 1 case\n" in ran.out
    assert ran.out.endswith("1 of 3 files load.\n")
    (found,) = grade("validate", "repo", "--json").objects
    assert [(group["count"], group["files"]) for group in found["reasons"]] == [(2, 2)]
    assert [(file["loads"], file["cases"]) for file in found["files"]] == [(True, 1), (False, 0), (False, 0)]


def test_one_message_is_not_repeated_hundreds_of_times(grade: Grade, no_engine: None) -> None:
    tests = "".join(
        f"  - id: c{number}\n    input: x\n    wrong: 1\n    assertions: [{{type: contains, value: x}}]\n"
        for number in range(40)
    )
    write(Path(), {"s.eval.yaml": "tests:\n" + tests})
    lines = grade("validate", "s.eval.yaml").out.splitlines()
    assert len(lines) == 4
    assert lines[-1].startswith("error: unknown key `wrong`: 37 more times")
    assert len(grade("validate", "s.eval.yaml", "--json").objects) == 40


def test_mistakes_of_cases_are_reported_beside_those_of_the_suite(grade: Grade, no_engine: None) -> None:
    write(Path(), {"s.eval.yaml": "wrokspace: x\n" + SUITE.replace("value", "vlaue").replace("input", "inptu")})
    out = grade("validate", "s.eval.yaml").out
    assert all(word in out for word in ("`wrokspace`", "`vlaue`", "`inptu`"))


@pytest.mark.parametrize(
    ("case", "targets", "place", "says"),
    [
        ("execution: {target: nope}", "- {name: a, provider: mock}", "a/case.yaml:1:21", "defines no target `nope`"),
        ("execution: {targets: [a, nope]}", "- {name: a, provider: mock}", "a/case.yaml:1:26", "no target `nope`"),
        ("target: nope", "- {name: a, provider: mock}", "a/case.yaml:1:9", "defines no target `nope`"),
        ("execution: {target: a}", "- {name: a\n", ".agentv/targets.yaml:2:1", "this is not YAML"),
        ("tags: [a]", "{", ".agentv/targets.yaml:2:1", "this is not YAML"),
    ],
)
def test_targets_that_cases_name_are_looked_up(
    grade: Grade, no_engine: None, case: str, targets: str, place: str, says: str
) -> None:
    write(Path(), {"a/case.yaml": f"{case}\n{CASE}", ".agentv/targets.yaml": targets})
    ran = grade("validate", "a")
    assert ran.code == ExitCode.USAGE
    assert f"{Path(place.partition(':')[0]).resolve()}:{place.partition(':')[2]}: error: " in ran.out
    assert says in ran.out
    assert " 1 error," in ran.err


def test_what_is_wrong_with_a_check_of_a_suite_is_said_once(grade: Grade, no_engine: None) -> None:
    cases = ", ".join(f"{{id: c{number}, input: x}}" for number in range(3))
    check = "{type: code-grader, command: [python3, ../gone.py]}"
    write(Path(), {"a.eval.yaml": f"tests: [{cases}]\nassertions: [{check}]\n"})
    for command in ("validate", "list", "--case"):
        ran = grade(command, "a.eval.yaml")
        assert (ran.out + ran.err).count("which does not exist") == 1
        assert ran.code == ExitCode.USAGE
