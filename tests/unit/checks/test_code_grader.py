"""The code-grader: what its commands' endings come to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.evaluation import judge, stages
from gradebox.graders.checks.expect import Expect
from gradebox.graders.checks.items import Item, Items
from gradebox.graders.grading.planner import Planner
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.plan import Files, Role, Step
from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.graders.model.tree import Tree
from gradebox.graders.model.verdict import CheckResult, Status
from gradebox.graders.runners.adapter import NONE
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.types import Capture, Ending, Outcome

PLACE = Place(Path("case.yaml"))
FINE, WRONG = Outcome(Ending.EXITED, 0), Outcome(Ending.EXITED, 1)
SLOW = Outcome(Ending.TIMED_OUT, detail="It was still running after 5 s of wall time.")
LOST = Outcome(Ending.SANDBOX_LOST, detail="The container is gone.")
NO_TOOL = Outcome(Ending.NOT_STARTED, errno=2, refused="program")
CRASHED = Outcome(Ending.SIGNALLED, signal=11)

SETUP_FAILED = "its setup failed, which must succeed for every submission"


def command(*argv: str) -> CommandSpec:
    return CommandSpec(argv)


def spec(**changes: Any) -> CodeGrader:
    return CodeGrader(**{"name": "login", "place": PLACE, "command": command("pytest"), "adapter": NONE} | changes)


def case(*checks: CodeGrader) -> Case:
    return Case("case", PLACE, Path("/case"), checks or (spec(),))


def ran(
    role: Role, outcome: Outcome, *, ours: bool = True, program: str = "pytest", cut_off: bool = False
) -> StepOutcome:
    return StepOutcome(Step(role, str(role), (program, "x"), "/workspace", 5.0, program_is_ours=ours), outcome, cut_off)


def judged(done: Sequence[StepOutcome], **changes: Any) -> CheckResult:
    return judge(spec(**changes), case(), Evidence(done=tuple(done)))


def printed(stdout: bytes = b"", stderr: bytes = b"", exit_code: int = 0, total: int | None = None) -> Outcome:
    return Outcome(
        Ending.EXITED,
        exit_code,
        stdout=Capture(stdout, total_bytes=len(stdout) if total is None else total),
        stderr=Capture(stderr, total_bytes=len(stderr)),
    )


@pytest.mark.parametrize(
    ("outcome", "ours", "program", "status", "score", "negated"),
    [
        (FINE, True, "pytest", Status.PASSED, 1.0, 0.0),
        (WRONG, True, "pytest", Status.FAILED, 0.0, 1.0),
        (CRASHED, True, "pytest", Status.FAILED, 0.0, 0.0),
        (SLOW, True, "pytest", Status.FAILED, 0.0, 0.0),
        (Outcome(Ending.OUT_OF_MEMORY), True, "pytest", Status.FAILED, 0.0, 0.0),
        (Outcome(Ending.OUTPUT_LIMIT), True, "pytest", Status.FAILED, 0.0, 0.0),
        (NO_TOOL, False, "./program", Status.FAILED, 0.0, 0.0),
        (NO_TOOL, True, "pytest", Status.ERROR, None, None),
        (LOST, True, "pytest", Status.ERROR, None, None),
    ],
)
def test_the_ending_of_the_command_is_the_score(
    outcome: Outcome, program: str, status: Status, score: float | None, negated: float | None, *, ours: bool
) -> None:
    done = [ran(Role.CHECK, outcome, ours=ours, program=program)]
    found = judged(done)
    assert (found.status, found.score) == (status, score)
    turned = judged(done, negate=True)
    assert turned.score == negated
    assert (turned.status is Status.ERROR) == (status is Status.ERROR)


@pytest.mark.parametrize(
    ("roles", "status", "reason"),
    [
        ({Role.CHECK_SETUP: FINE, Role.CHECK: FINE}, Status.PASSED, ""),
        ({Role.CHECK_SETUP: WRONG}, Status.ERROR, f"{SETUP_FAILED}: exit status 1"),
        ({Role.CHECK_SETUP: LOST}, Status.ERROR, "its setup could not be run: sandbox lost"),
        ({Role.CHECK: FINE, Role.CHECK_TEARDOWN: WRONG}, Status.PASSED, ""),
        ({Role.CHECK: FINE, Role.CHECK_TEARDOWN: LOST}, Status.PASSED, ""),
        ({Role.CHECK: FINE, Role.CONTROL: WRONG}, Status.PASSED, ""),
        ({Role.CHECK: FINE, Role.CONTROL: CRASHED}, Status.PASSED, ""),
        ({Role.CHECK: FINE, Role.CONTROL: NO_TOOL}, Status.ERROR, "its control could not be run: the program 'pytest'"),
        ({Role.CHECK: FINE, Role.CONTROL: LOST}, Status.ERROR, "its control could not be run: sandbox lost"),
        ({}, Status.ERROR, "its command was never run"),
    ],
)  # fmt: skip
def test_what_goes_before_and_after_the_command(roles: dict[Role, Outcome], status: Status, reason: str) -> None:
    found = judged([ran(role, outcome) for role, outcome in roles.items()])
    assert found.status is status
    assert found.reason.startswith(reason)
    assert bool(found.reason) == bool(reason)


@pytest.mark.parametrize("main", [FINE, WRONG, NO_TOOL, LOST])
@pytest.mark.parametrize("negate", [False, True])
def test_a_control_that_passes_is_tampering_whatever_the_command_did(main: Outcome, *, negate: bool) -> None:
    found = judged([ran(Role.CHECK, main), ran(Role.CONTROL, FINE)], negate=negate)
    said = "its control pytest x passed, which must fail"
    assert found.tampering == (Tampering(TamperingKind.CONTROL_PASSED, said, "exit status 0"),)
    assert found.status is not Status.PASSED
    assert not found.score


@pytest.mark.parametrize(
    ("main", "control", "accused"),
    [
        (printed(b'{"score": 1}'), printed(b'{"score": 0}'), False),
        (printed(b'{"score": 1}'), printed(b'{"assertions": [{"text": "a", "passed": false}]}'), False),
        (printed(b'{"score": 1}'), printed(b'{"score": 1}', exit_code=1), False),
        (printed(b'{"score": 1}'), WRONG, False),
        (printed(b'{"score": 1}'), CRASHED, False),
        (printed(b'{"score": 1}'), printed(b'{"score": 0.01}'), True),
        (printed(b'{"score": 0}'), printed(b'{"pass": true}'), True),
        # One that says nothing ended with success all the same.
        (printed(b'{"score": 1}'), printed(), True),
        (printed(b'{"score": 1}'), printed(b"hello"), True),
        # The candidate prints beside every result.
        (printed(b'hello {"score": 1}'), printed(b'hello {"score": 0}'), False),
        (printed(b'hello {"score": 1}'), printed(), True),
        (printed(), printed(b"hello"), True),
    ],
)
def test_a_control_of_the_protocol_json_passes_by_its_score(main: Outcome, control: Outcome, *, accused: bool) -> None:
    found = judged([ran(Role.CHECK, main), ran(Role.CONTROL, control)], protocol="json")
    assert [seen.kind for seen in found.tampering] == [TamperingKind.CONTROL_PASSED] * accused
    assert found.steps[-1].passed is not accused


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize("role", [Role.CHECK_SETUP, Role.CHECK, Role.CONTROL])
def test_whoever_uses_up_the_time_of_the_case_has_failed_even_the_control(role: Role, *, negate: bool) -> None:
    order = [Role.CHECK_SETUP, Role.CHECK, Role.CONTROL]
    done = [ran(each, WRONG if each is Role.CONTROL else FINE) for each in order[: order.index(role)]]
    found = judged([*done, ran(role, SLOW, cut_off=True)], negate=negate)
    assert (found.status, found.score) == (Status.FAILED, 0.0)
    assert found.reason.startswith("timed out")


def test_a_teardown_without_time_is_nobodys_failure() -> None:
    assert judged([ran(Role.CHECK, FINE), ran(Role.CHECK_TEARDOWN, SLOW, cut_off=True)]).status is Status.PASSED


def test_an_error_of_the_author_stays_one_when_the_time_is_over_too() -> None:
    found = judged([ran(Role.CHECK, NO_TOOL), ran(Role.CONTROL, SLOW, cut_off=True)])
    assert found.status is Status.ERROR


def test_a_report_is_the_score_where_that_protocol_was_declared_and_nowhere_else() -> None:
    report = [ran(Role.CHECK, printed(b'{"score": 0.9, "reasoning": "Good."}'))]
    found = judged(report, protocol="json")
    assert (found.status, found.score, found.reason) == (Status.PASSED, 0.9, "Good.")
    low = [ran(Role.CHECK, printed(b'{"score": 0.1}'))]
    assert judged(low, protocol="json").status is Status.FAILED
    assert judged([ran(Role.CHECK, printed(b'{"score": 0.9}', exit_code=1))]).score == 0.0
    assert judged([ran(Role.CHECK, printed(b'{"score": 1}', exit_code=1))]).score == 0.0


@pytest.mark.parametrize(
    ("stdout", "score"),
    [
        (b'{"score": 0.0}', 0.0),
        (b'{"score": 0}\n', 0.0),
        (b' {"score": 0.5, "reasoning": "half"} ', 0.5),
        (b'{"score": -3}', 0.0),
        (b'{"score": 1}', 1.0),
        (b'{"score": 7}', 1.0),
        (b'{"score": false}', 1.0),
        (b'{"score": "0"}', 1.0),
        (b'{"score": NaN}', 1.0),
        (b'{"passed": false}', 1.0),
        (b'{"pass": false}', 0.0),
        (b'{"pass": "no"}', 1.0),
        (b'{"assertions": [{"text": "a", "passed": true}, {"text": "b", "passed": false}]}', 0.5),
        (b'{"assertions": [{"text": "a"}]}', 1.0),
        (b'{"hits": ["a"], "misses": ["b", "c", "d"]}', 0.25),
        (b"[0]", 1.0),
        (b'{"score": 0}{"score": 0}', 1.0),
        (b'result: {"score": 0}', 1.0),
    ],
)
def test_a_printed_score_lowers_what_exit_status_0_grants_and_raises_nothing(stdout: bytes, score: float) -> None:
    assert judged([ran(Role.CHECK, printed(stdout))]).score == score
    assert judged([ran(Role.CHECK, printed(stdout, exit_code=1))]).score == 0.0


def test_a_printed_score_of_a_required_check_fails_the_verdict_and_is_the_reason() -> None:
    result = judged([ran(Role.CHECK, printed(b'{"score": 0.0}'))], required=True)
    assert (result.status, result.reason) == (Status.FAILED, "exit status 0, but the command printed the score 0")


@pytest.mark.parametrize("expect", [Expect(stdout='{"score": 0}\n'), Expect(stdout_regex='"score": 0')])
def test_a_stdout_that_the_case_expects_is_no_score(expect: Expect) -> None:
    assert judged([ran(Role.CHECK, printed(b'{"score": 0}\n'))], expect=expect).score == 1.0
    assert judged([ran(Role.CHECK, printed(b'{"score": 1}\n'))], expect=expect).score == 0.0


def test_a_printed_score_raises_no_negated_check() -> None:
    assert judged([ran(Role.CHECK, printed(b'{"score": 0.0}'))], negate=True).score == 0.0


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize(
    "outcome", [printed(b"hello"), printed(b""), printed(b'{"score": 2}'), printed(b'{"score": 1}', exit_code=1)]
)
def test_a_report_that_cannot_be_read_is_an_error(outcome: Outcome, *, negate: bool) -> None:
    assert judged([ran(Role.CHECK, outcome)], protocol="json", negate=negate).status is Status.ERROR


def test_a_grader_that_crashed_has_no_report() -> None:
    found = judged([ran(Role.CHECK, CRASHED)], protocol="json")
    assert (found.status, found.score) == (Status.FAILED, 0.0)


def test_the_control_has_a_stage_of_its_own_after_the_same_setup() -> None:
    asked = spec(setup=(command("make"),), teardown=(command("clean"),), control=command("ctl"))
    main, control = stages(asked, case(asked), Planner(case(asked), Files(Tree(), Tree())))
    assert [(step.role, step.argv[0]) for step in main.steps] == [
        (Role.CHECK_SETUP, "make"), (Role.CHECK, "pytest"), (Role.CHECK_TEARDOWN, "clean"),
    ]  # fmt: skip
    assert [(step.role, step.argv[0]) for step in control.steps] == [(Role.CHECK_SETUP, "make"), (Role.CONTROL, "ctl")]
    assert main.user != control.user
    assert main.check == control.check == "login"
    assert main.steps[1].stdin == control.steps[1].stdin
    assert main.steps[0].stdin == b""


def test_the_command_can_read_what_its_author_wrote_for_it() -> None:
    asked = spec(weight=2.0, config={"answer": 42, "Key": ["x"]})
    (stage,) = stages(asked, case(asked), Planner(case(asked), Files(Tree(), Tree())))
    config = json.loads(stage.steps[0].stdin)["config"]
    assert config == {"name": "login", "weight": 2.0, "answer": 42, "Key": ["x"]}


def test_every_type_of_check_is_known_to_the_dispatcher() -> None:
    item = Items(name="items", place=PLACE, language="bash", items=(Item(name="#1", code="true"),))
    planner = Planner(case(), Files(Tree(), Tree()))
    assert len(stages(item, case(), planner)) == len(stages(spec(), case(), planner)) == 1


@pytest.mark.parametrize(
    ("words", "changes", "is_told"),
    [
        ("python3 grading/judge.py", {}, True),
        ("my-judge", {}, True),
        ("python3 slug.py", {}, False),
        ("pytest -q grading", {"adapter": "auto"}, False),
        ("python3 slug.py", {"stdin": "grader"}, True),
        ("pytest -q grading", {"adapter": "auto", "stdin": "grader"}, True),
        ("python3 grading/judge.py", {"stdin": "none"}, False),
    ],
)
def test_only_a_grader_is_told_what_is_expected(words: str, changes: Any, is_told: bool) -> None:
    own = Tree({"grading/judge.py": file_entry("grading/judge.py", b"")})
    check = spec(command=command(*words.split()), config={"wanted": "swordfish"}, **changes)
    (stage,) = stages(check, case(check), Planner(case(check), Files(own=own)))
    assert (b"swordfish" in stage.steps[0].stdin) is is_told
