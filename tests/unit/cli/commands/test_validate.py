"""``grade validate``: every mistake with its place, counted, for people and for programs."""

from __future__ import annotations

from pathlib import Path

from command_line import CASE, Grade
from grading_bench import write

from graders.errors import ExitCode


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
    assert ran.err == "1 case checked: 0 errors, 1 warning\n"
    assert grade("validate", "case", "--strict").code == ExitCode.USAGE


def test_fine_cases_are_counted_and_nothing_else_is_said(grade: Grade, no_engine: None) -> None:
    write(Path(), {"a/case.yaml": CASE, "b/case.yaml": CASE})
    assert grade("validate", "a", "b", "--strict") == (ExitCode.PASSED, "", "2 cases checked: 0 errors, 0 warnings\n")
