"""``grade attack``: which cheats pass, and what it ends with."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Grade
from fake_engine import FakeEnd, FakeRun
from grading_bench import FAIL, PASS, Watch, write

from gradebox.graders.errors import ExitCode

CASE = "image: image\nassertions: [{name: it, type: code-grader, command: [judge, grading/judge.py]}]\n"


@pytest.fixture(autouse=True)
def case(grade: Grade) -> None:
    write(Path(), {"case/case.yaml": CASE, "case/grading/judge.py": "", "case/reference/a.py": "def f(): return 1\n"})


def test_a_case_that_holds_ends_with_0(grade: Grade, watch: Watch) -> None:
    watch.acts = {"judge": FAIL}
    ran = grade("attack", "case")
    assert ran.code == ExitCode.PASSED
    assert ran.out.startswith("HELD  case\n")
    assert "Did not fit: " in ran.out
    assert "1 case: a cheat passes 0 of them" in ran.err


def test_a_cheat_that_passes_is_named_with_the_remedy(grade: Grade, watch: Watch) -> None:
    def judge(run: FakeRun) -> FakeEnd:
        return PASS if b"\nos._exit(0)" in run.files.get("a.py", b"") else FAIL

    watch.acts = {"judge": judge}
    ran = grade("attack", "case", "--cheat", "exit/*")
    assert ran.code == ExitCode.FAILED
    assert ran.out.startswith("CHEATED  case\n")
    assert "case.yaml:2:14: it: give it a `control:` that must fail" in ran.out
    (found,) = grade("attack", "case", "--cheat", "exit/at-*", "--json").objects
    assert found["outcome"] == "passed"
    passed = [one for one in found["cheats"] if one["outcome"] == "passed"]
    assert [one["cheat"] for one in passed] == ["exit/at-load"]
    assert all(one["remedies"] for one in passed)


def test_what_could_not_be_graded_ends_with_4(grade: Grade, watch: Watch) -> None:
    watch.acts = {"judge": FakeEnd(exit_code=127)}
    write(Path(), {"case/case.yaml": CASE.replace("command:", "protocol: json, command:")})
    ran = grade("attack", "case", "--cheat", "exit/at-load")
    assert ran.code == ExitCode.NOT_GRADED
    assert "NOT GRADED  case" in ran.out
