"""``grade mutants``: what it prints, and what it ends with."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command_line import Grade
from fake_engine import FakeEnd, FakeRun
from grading_bench import FAIL, PASS, Watch, write

from gradebox.graders.authoring.mutants import mutation
from gradebox.graders.errors import ExitCode

CASE = "image: image\nassertions: [{name: it, type: code-grader, command: [judge]}]\n"
REFERENCE = "def f(a):\n    return a < 1\n"


@pytest.fixture(autouse=True)
def case(grade: Grade, watch: Watch) -> None:
    def judge(run: FakeRun) -> FakeEnd:
        source = run.files.get("a.py", b"")
        return PASS if b"return a < 1" in source or b"return a <= 1" in source else FAIL

    watch.acts = {"judge": judge}
    write(Path(), {"case/case.yaml": CASE, "case/reference/a.py": REFERENCE})


def test_a_survivor_is_named_as_a_diff(grade: Grade) -> None:
    ran = grade("mutants", "case")
    assert ran.code == ExitCode.PASSED
    assert "3 of 4 mutants caught (75%, 95 % interval 30% to 95%); a sample of 4 of 4 with seed 0." in ran.out
    assert "    a.py:2 (boundary)\n    - return a < 1\n    + return a <= 1\n" in ran.out


def test_too_few_caught_end_with_1(grade: Grade) -> None:
    assert grade("mutants", "case", "--min-caught", "0.7").code == ExitCode.PASSED
    assert grade("mutants", "case", "--min-caught", "0.9").code == ExitCode.FAILED


def test_json_says_the_same(grade: Grade) -> None:
    (found,) = grade("mutants", "case", "--json").objects
    assert (found["caught"], found["tried"], found["seed"]) == (3, 4, 0)
    assert [one["to"] for one in found["survivors"]] == ["return a <= 1"]
    assert found["caught_by"] == {"it": 3}


def test_a_reference_that_fails_ends_with_4(grade: Grade, watch: Watch) -> None:
    watch.acts = {"judge": FAIL}
    ran = grade("mutants", "case")
    assert ran.code == ExitCode.NOT_GRADED
    assert "The reference does not pass" in ran.out


def test_a_line_that_no_check_runs_is_not_reached(grade: Grade, watch: Watch) -> None:
    watch.acts = {"judge": PASS}
    (found,) = grade("mutants", "case", "--json").objects
    assert (found["survivors"], found["not_reached"]) == ([], {"a.py": [2]})


def test_an_idle_mark_is_a_warning(grade: Grade) -> None:
    write(Path(), {"case/mutants.yaml": '- {file: a.py, from: "x", to: "y", reason: Why.}\n'})
    assert "warning: A mark fits no mutant: a.py: y" in grade("mutants", "case").out


def test_without_the_extra_it_ends_with_2(grade: Grade, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_python", None)
    mutation._parser.cache_clear()
    ran = grade("mutants", "case")
    mutation._parser.cache_clear()
    assert ran.code == ExitCode.USAGE
    assert "gradebox[mutants]" in ran.err


def test_check_says_how_many_were_caught(grade: Grade) -> None:
    ran = grade("check", "case", "--no-attack", "--mutants", "60")
    assert ran.code == ExitCode.PASSED
    assert ran.out.startswith("FAIR, 3 of 4 mutants caught  case\n")
    ran = grade("check", "case", "--no-attack", "--mutants", "60", "--min-caught", "0.9")
    assert ran.code == ExitCode.FAILED
    assert ran.out.startswith("UNFAIR, 3 of 4 mutants caught  case\n")


def test_a_mutant_that_a_check_noticed_in_vain_is_a_survivor_that_says_so(grade: Grade, watch: Watch) -> None:
    two = "image: image\nassertions:\n- {name: it, type: code-grader, command: [judge], weight: 9}\n"
    two += "- {name: other, type: code-grader, command: [other]}\n"
    write(Path(), {"case/case.yaml": two})
    watch.acts = {"judge": PASS, "other": lambda run: PASS if run.files["a.py"] == REFERENCE.encode() else FAIL}
    (found,) = grade("mutants", "case", "--json").objects
    assert found["not_reached"] == {}
    assert {one["reason"] for one in found["survivors"]} == {"noticed by other, and passes"}
