"""The plan of an `io` check, and what its tests come to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.cases import Loaded
from gradebox.graders.checks.evaluation import judge, stages
from gradebox.graders.checks.io.comparisons import Compare
from gradebox.graders.checks.io.groups import Group
from gradebox.graders.checks.io.io import OUTPUT_BYTES, IoCheck
from gradebox.graders.checks.io.program_tests import ProgramTest
from gradebox.graders.errors import CaseRefused
from gradebox.graders.grading.planner import Planner
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.expectation import Content, OutputComparison
from gradebox.graders.model.plan import Files, Role, Stage, User
from gradebox.graders.model.tree import Tree
from gradebox.graders.model.verdict import HIDDEN, CheckResult, Seen, Shown, Status, Visibility
from gradebox.sandbox.linux import Errno
from gradebox.sandbox.types import Capture, Ending, Outcome

PLACE = Place(Path("case.yaml"))
EXITED = Outcome(Ending.EXITED, 0)


def program_test(name: str, **changes: Any) -> ProgramTest:
    contents = {"input": Content.of(b"secret input"), "answer": Content.of(b"secret answer")}
    return ProgramTest.model_construct(**{"name": name} | contents | changes)


def check(*tests: ProgramTest, **changes: Any) -> IoCheck:
    return IoCheck(**{"name": "io", "place": PLACE, "language": "python", "tests": tests} | changes)


def case_of(asked: IoCheck) -> Case:
    return Case(id="case", place=PLACE, directory=Path("/case"), checks=(asked,))


def planned(asked: IoCheck) -> tuple[Stage, ...]:
    return stages(asked, case_of(asked), Planner(case_of(asked), Files(Tree(), Tree())))


def judged(asked: IoCheck, *happened: tuple[Outcome, bool | str]) -> CheckResult:
    """Judge tests by how they ended, and whether their output was right, or why they were not run."""
    steps = [step for stage in planned(asked) for step in stage.steps]
    done = tuple(
        StepOutcome(
            step, outcome, skipped=of if isinstance(of, str) else "", comparison=OutputComparison(bool(of), "line 1")
        )
        for step, (outcome, of) in zip(steps, happened, strict=True)
    )
    return judge(asked, case_of(asked), Evidence(done=done))


def test_the_sandbox_gets_inputs_and_no_answer() -> None:
    (stage,) = planned(check(program_test("a", args=("x",), files={"d/f": "text"})))
    (step,) = stage.steps
    assert step.argv == ("python3", "solution.py", "x")
    assert (step.role, step.user, step.output_bytes) == (Role.TEST, User.CANDIDATE, OUTPUT_BYTES)
    assert step.input is not None
    assert step.input.read() == b"secret input"
    assert "secret answer" not in repr((step, stage.given, stage.delivered))
    assert [(entry.path, entry.data) for entry in stage.given] == [("d/f", b"text")]


def test_a_program_is_run_as_it_is_written() -> None:
    line = CommandSpec(("sh", "-c", "./solve --fast"), shell=True)
    (stage,) = planned(check(program_test("a", args=("x y",)), run=line))
    assert stage.steps[0].argv == ("sh", "-c", './solve --fast "$@"', "sh", "x y")
    case = replace(case_of(check(program_test("a"))), answer_file="main.py")
    (stage,) = stages(check(program_test("a")), case, Planner(case, Files(Tree(), Tree())))
    assert stage.steps[0].argv == ("python3", "main.py")


def test_a_program_of_a_compiled_language_is_built_unless_the_case_says_how_it_is_run() -> None:
    build, test = planned(check(program_test("a", args=("x",)), language="c"))
    assert build.builds
    assert build.steps[0].argv == ("gcc", "-std=gnu17", "-O2", "-o", ".program", "solution.c", "-lm")
    assert (test.built, test.steps[0].argv) == (True, ("./.program", "x"))
    (test,) = planned(check(program_test("a"), language="c", run=CommandSpec(("./given",))))
    assert (test.built, test.steps[0].argv) == (False, ("./given",))


def test_a_build_comes_once_and_first() -> None:
    built = planned(check(program_test("a"), program_test("b"), build=CommandSpec(("make",))))
    assert [(stage.steps[0].role, stage.builds, stage.built) for stage in built] == [
        (Role.BUILD, True, False), (Role.TEST, False, True), (Role.TEST, False, True),
    ]  # fmt: skip


def test_the_score_is_the_weight_of_accepted_tests() -> None:
    result = judged(check(program_test("a", weight=3.0), program_test("b")), (EXITED, True), (EXITED, False))
    assert (result.status, result.score) == (Status.FAILED, 0.75)
    assert result.reason == "1 of 2 tests accepted; b: WA, line 1"
    assert result.judged == "apart"
    assert [row["verdict"] for row in result.details["tests"]] == ["AC", "WA"]
    assert result.details["tests"][1]["input"] == "secret input"


def test_a_group_stops() -> None:
    asked = check(
        program_test("a", group="g"),
        program_test("b", group="g"),
        groups=(Group(name="g", points=5.0, on_fail="stop"),),
    )
    assert {stage.stops_with for stage in planned(asked)} == {"g"}
    result = judged(asked, (EXITED, False), (Outcome(Ending.NOT_STARTED), "a failed"))
    assert (result.status, result.score) == (Status.FAILED, 0.0)
    assert "0 of 5 points" in result.reason
    assert [step.name for step in result.steps] == ["a"]


def test_a_failed_build_is_the_candidates() -> None:
    asked = check(program_test("a"), build=CommandSpec(("cc", "x.c")))
    broken = Outcome(Ending.EXITED, 1, stderr=Capture(b"x.c:1: error: ;", total_bytes=15))
    skipped = (Outcome(Ending.NOT_STARTED), "the build failed")
    result = judged(asked, (broken, False), skipped)
    assert (result.status, result.score) == (Status.FAILED, 0.0)
    assert result.reason == "CE: the build failed: exit status 1 (x.c:1: error: ;)"
    assert judged(asked.but(negate=True), (broken, False), skipped).status is Status.FAILED


def test_a_missing_compiler_is_the_authors() -> None:
    missing = Outcome(Ending.NOT_STARTED, errno=Errno.ENOENT, refused="program")
    result = judged(
        check(program_test("a"), build=CommandSpec(("cc",))), (missing, False), (missing, "the build failed")
    )
    assert result.status is Status.ERROR


def test_a_lost_sandbox_is_an_error() -> None:
    result = judged(check(program_test("a"), program_test("b")), (EXITED, True), (Outcome(Ending.SANDBOX_LOST), False))
    assert result.status is Status.ERROR
    assert result.reason.startswith("b: sandbox lost")


def test_memory_beyond_the_sandbox_is_refused() -> None:
    with pytest.raises(CaseRefused, match="raise `limits"):
        planned(check(program_test("a"), memory=1 << 40))


def test_an_expected_output_is_compared_as_the_check_says() -> None:
    (stage,) = planned(check(program_test("a"), compare=Compare(by="tokens")))
    assert stage.expected is not None
    assert stage.expected.compare(b"secret\nanswer").accepted


def test_a_checker_is_asked_after_each_test() -> None:
    asked = check(program_test("a"), program_test("b"), checker=CommandSpec(("check",)))
    assert [stage.steps[0].role for stage in planned(asked)] == [Role.TEST, Role.CHECKER] * 2
    happened = [(EXITED, False), (Outcome(Ending.EXITED, 42), False), (Outcome(Ending.EXITED, 1), False)]
    result = judged(asked, *happened, (Outcome(Ending.NOT_STARTED), "there is no output to check"))
    assert [row["verdict"] for row in result.details["tests"]] == ["AC", "RTE"]
    result = judged(asked, *happened[:2], (EXITED, False), (Outcome(Ending.EXITED, 7), False))
    assert result.status is Status.ERROR
    assert result.reason.startswith("b: the checker cannot judge it: exit status 7")


def test_an_interactor_has_a_stage_for_each_pass() -> None:
    asked = check(program_test("a"), program_test("b"), interactor=CommandSpec(("talk",)), passes=2)
    assert [stage.steps[0].name for stage in planned(asked)] == ["a", "a pass 2", "b", "b pass 2"]
    lost, skipped = Outcome(Ending.SANDBOX_LOST), (Outcome(Ending.NOT_STARTED), "no pass before it asked for one")
    result = judged(asked, (lost, False), skipped, (lost, False), skipped)
    assert (result.status, result.judged) == (Status.ERROR, "apart")
    assert result.reason.startswith("a: sandbox lost")


def test_candidates_see_tests_as_these_say_then_as_their_group_then_as_their_check() -> None:
    tests = (
        program_test("own", visibility="visible", group="small"),
        program_test("of-group", group="small"),
        program_test("of-check", group="large"),
    )
    groups = (Group(name="small", visibility="after", show=("name",)), Group(name="large"))
    everything, group = Seen(Visibility.VISIBLE, tuple(Shown)), Seen(Visibility.AFTER, (Shown.NAME,))
    found = check(*tests, groups=groups).seen()
    assert found.tests == {"own": everything, "of-group": group}
    assert found.groups == {"small": group}
    found = check(*tests, groups=groups, visibility="visible").seen()
    assert found.tests["of-check"] == found.groups["large"] == everything
    assert check(*tests, groups=groups, visibility="hidden").seen() == HIDDEN


def test_of_a_conversation_candidates_see_no_output() -> None:
    asked = check(program_test("a", visibility="visible"), interactor=CommandSpec(("talk",)))
    assert asked.seen().tests["a"].show == (Shown.NAME, Shown.VERDICT, Shown.INPUT)


def test_what_candidates_may_see_of_a_test_that_passed_is_in_the_details() -> None:
    asked = check(program_test("a", visibility="visible"), program_test("b"))
    rows = judged(asked, (EXITED, True), (EXITED, True)).details["tests"]
    assert [(row.get("input"), row.get("expected")) for row in rows] == [
        ("secret input", "secret answer"),
        (None, None),
    ]


def test_of_many_failures_those_that_candidates_see_are_listed_first() -> None:
    tests = [program_test(f"t{number}", visibility="visible" if number == 29 else None) for number in range(30)]
    rows = judged(check(*tests), *[(EXITED, False)] * 30).details["tests"]
    listed = [row["test"] for row in rows if "input" in row]
    assert len(listed) == 20
    assert "t29" in listed


def test_a_check_with_groups_has_their_points(load_text: Callable[..., Loaded]) -> None:
    text = (
        "id: a\nimage: image\nassertions:\n- {type: io, run: [solve], "
        "groups: [{name: g, points: 30}, {name: h, points: 70}],"
        " tests: [{stdout: x, group: g}, {stdout: y, group: h}]}\n"
    )
    for more, weight in (("", 100.0), ("points: 5, ", 5.0)):
        (loaded,) = load_text(text.replace("type: io", f"{more}type: io")).cases
        assert loaded.checks[0].weight == weight
