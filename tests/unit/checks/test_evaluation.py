"""Every type of check: a required one that is missed fails the verdict, and nothing opens a gate by staying away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from evidence_bench import COMMAND, PLACE, called, done, exited, judge, make, result, tree
from fake_engine import FakeEnd, FakeEngine, FakeRun

from gradebox.graders.checks import evaluation
from gradebox.graders.checks.base import Check
from gradebox.graders.checks.calls.call import CallCheck, CallEntry
from gradebox.graders.checks.check_reference import CheckReference
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.composite import Composite
from gradebox.graders.checks.evaluation import judging_order
from gradebox.graders.checks.field_accuracy import FieldAccuracy, FieldRule
from gradebox.graders.checks.files.file_changes import FileChanges
from gradebox.graders.checks.files.file_contains import FileContains
from gradebox.graders.checks.files.file_exists import FileExists
from gradebox.graders.checks.inline.inline_code import JavaScript, Python
from gradebox.graders.checks.io.io import IoCheck
from gradebox.graders.checks.io.program_tests import ProgramTest
from gradebox.graders.checks.items import Examples, Item, Items
from gradebox.graders.checks.llm_grader import LlmGrader
from gradebox.graders.checks.registry import check_types
from gradebox.graders.checks.rubric import Rubric
from gradebox.graders.checks.rubrics import Rubrics
from gradebox.graders.checks.text.contains import (
    Contains,
    ContainsAll,
    ContainsAny,
    IContains,
    IContainsAll,
    IContainsAny,
)
from gradebox.graders.checks.text.contains_json import ContainsJson
from gradebox.graders.checks.text.equals import EndsWith, Equals, StartsWith
from gradebox.graders.checks.text.is_json import IsJson
from gradebox.graders.checks.text.is_xml import ContainsXml, IsXml
from gradebox.graders.checks.text.levenshtein import Levenshtein
from gradebox.graders.checks.text.regex import Regex
from gradebox.graders.checks.text.similar import Similar
from gradebox.graders.checks.transcript.cost import Cost
from gradebox.graders.checks.transcript.execution_metrics import ExecutionMetrics
from gradebox.graders.checks.transcript.latency import Latency
from gradebox.graders.checks.transcript.skill_trigger import SkillTrigger
from gradebox.graders.checks.transcript.skill_used import SkillUsed
from gradebox.graders.checks.transcript.token_usage import TokenUsage
from gradebox.graders.checks.transcript.tool_trajectory import ExpectedCall, ToolTrajectory
from gradebox.graders.checks.transcript.trajectory import (
    ArgsEntry,
    CountedSteps,
    StepCount,
    ToolArgsMatch,
    ToolSequence,
    ToolUsed,
)
from gradebox.graders.grading.grade import grade
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case, CommandSpec
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.expectation import OutputComparison
from gradebox.graders.model.plan import ItemToken, Role, Step
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.transcript import ToolCall, Transcript
from gradebox.graders.model.tree import Tree
from gradebox.graders.model.verdict import CheckResult, Status, decide
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.types import Capture, Ending, Outcome

YES, NO = Evidence(output='{"a": "yes"}'), Evidence(output="no")
FILES = {"a.txt": "yes"}
CHEAP = Evidence(transcript=called("read", cost_usd=1, duration_ms=1, total_tokens=1))
DEAR = Evidence(transcript=called("edit", "edit", cost_usd=9, duration_ms=9, total_tokens=9))
FOUND, LACKING = Evidence(tree=tree(FILES)), Evidence(tree=tree({"b.txt": "no"}), before=tree({"b.txt": "no"}))


def ran(status: int) -> Evidence:
    return Evidence(done=(done(exited(status), "r"),))


def scored_by_code(score: float) -> Evidence:
    return Evidence(done=(done(exited(0, f'{{"score": {score}}}'), "r"),))


def item(report: bytes) -> Evidence:
    step = Step(Role.ITEM, "#1", ("runner",), "/workspace", 5.0, token="0" * 32, items=(ItemToken("#1", "0" * 32),))
    ended = Outcome(Ending.EXITED, 0 if report else 1, report=Capture(report, total_bytes=len(report)))
    return Evidence(done=(StepOutcome(step, ended),))


def printed(*, accepted: bool) -> Evidence:
    step = Step(Role.TEST, "#1", ("program",), "/workspace", 5.0)
    return Evidence(done=(StepOutcome(step, exited(0, "3\n"), comparison=OutputComparison(accepted=accepted)),))


# Each type: a check of it, what meets it, and what misses it.
TYPES: list[tuple[type[Check], dict[str, Any], Evidence, Evidence]] = [
    (CodeGrader, {"command": COMMAND}, ran(0), ran(1)),
    (Items, {"language": "bash", "items": (Item(name="#1", code="true"),)}, item(b"0" * 32), item(b"")),
    (Examples, {"language": "bash", "items": (Item(name="#1", code="true"),)}, item(b"0" * 32), item(b"")),
    (
        CallCheck,
        {"language": "python", "file": "a.py", "calls": (CallEntry(call="f", returns=1),)},
        item(b'["=",0,1]\n'),
        item(b'["=",0,2]\n'),
    ),
    (
        IoCheck,
        {"language": "python", "tests": (ProgramTest(name="#1"),)},
        printed(accepted=True),
        printed(accepted=False),
    ),
    (Rubrics, {"rubrics": (Rubric(id="r", command=COMMAND),)}, ran(0), ran(1)),
    *[(kind, {"value": "yes"}, YES, NO) for kind in (Contains, IContains, Regex)],
    *[(kind, {"value": ("yes",)}, YES, NO) for kind in (ContainsAny, ContainsAll, IContainsAny, IContainsAll)],
    *[(kind, {"value": '{"a": "yes"}'}, YES, NO) for kind in (StartsWith, EndsWith, Equals)],
    *[(kind, {}, YES, NO) for kind in (IsJson, ContainsJson)],
    *[(kind, {"value": ("a.b",)}, Evidence(output="<a><b/></a>"), NO) for kind in (IsXml, ContainsXml)],
    (Levenshtein, {"value": '{"a": "yes"}', "threshold": 1}, YES, NO),
    *[(kind, {"value": "1"}, scored_by_code(1), scored_by_code(0)) for kind in (JavaScript, Python)],
    (FileExists, {"paths": ("a.txt",)}, FOUND, LACKING),
    (FileContains, {"paths": ("a.txt",), "value": ("yes",)}, FOUND, LACKING),
    (FileChanges, {"paths": ("a.txt",)}, FOUND, LACKING),
    (FieldAccuracy, {"fields": (FieldRule(path="a"),)}, YES, Evidence(output='{"a": "no"}')),
    (ToolTrajectory, {"expected": (ExpectedCall(tool="read"),)}, CHEAP, DEAR),
    (ToolUsed, {"value": "read"}, CHEAP, DEAR),
    (ToolArgsMatch, {"value": ArgsEntry(name="read", args={})}, CHEAP, DEAR),
    (ToolSequence, {"value": ("read",)}, CHEAP, DEAR),
    (StepCount, {"value": CountedSteps(max=1)}, CHEAP, DEAR),
    (
        SkillTrigger,
        {"skill": "csv"},
        Evidence(transcript=Transcript(tool_calls=(ToolCall("Skill", {"skill": "csv"}),))),
        DEAR,
    ),
    (
        SkillUsed,
        {"value": "csv"},
        Evidence(transcript=Transcript(tool_calls=(ToolCall("Skill", {"skill": "csv"}),))),
        DEAR,
    ),
    (ExecutionMetrics, {"max_tool_calls": 1}, CHEAP, DEAR),
    (Latency, {"threshold": 2}, CHEAP, DEAR),
    (Cost, {"budget": 2}, CHEAP, DEAR),
    (TokenUsage, {"max_total": 2}, CHEAP, DEAR),
    (Composite, {"assertions": (make(Contains, value="yes"),)}, YES, NO),
    (
        CheckReference,
        {"check": "other"},
        Evidence(results={"other": result(1.0)}),
        Evidence(results={"other": result(0.0)}),
    ),
]
PASSING = result(1.0, "passing", weight=99.0)


def verdict(found: CheckResult) -> Status:
    """Decide a case in which another check outweighs this one by far."""
    return decide([PASSING, found], threshold=0.5).status


def graded(kind: type[Check], fields: Any, evidence: Evidence, **common: Any) -> CheckResult:
    return judge(make(kind, **fields, **common), evidence, expected_output={"a": "yes"})


def test_no_type_is_forgotten() -> None:
    # Those of a definition.toml take their results from one command, and are tested with it.
    assert {kind for kind, *_ in TYPES} | {LlmGrader, Similar} == set(check_types().values())


@pytest.mark.parametrize(("kind", "fields", "met", "missed"), TYPES, ids=lambda value: getattr(value, "type", ""))
def test_a_required_check_that_is_missed_fails_the_verdict(
    kind: type[Check], fields: Any, met: Evidence, missed: Evidence
) -> None:
    assert verdict(graded(kind, fields, met, required=True)) is Status.PASSED
    assert verdict(graded(kind, fields, missed, required=True)) is Status.FAILED
    assert verdict(graded(kind, fields, missed)) is Status.PASSED, (
        "the check is outweighed, so only the gate can fail it"
    )


@pytest.mark.parametrize(("kind", "fields", "met", "missed"), TYPES, ids=lambda value: getattr(value, "type", ""))
def test_negate_turns_the_gate_round(kind: type[Check], fields: Any, met: Evidence, missed: Evidence) -> None:
    assert verdict(graded(kind, fields, met, required=True, negate=True)) is Status.FAILED
    assert verdict(graded(kind, fields, missed, required=True, negate=True)) is Status.PASSED


@pytest.mark.parametrize("weight", [0.0, 1.0])
@pytest.mark.parametrize(("kind", "fields", "met", "missed"), TYPES, ids=lambda value: getattr(value, "type", ""))
def test_min_score_and_weight_are_those_of_the_check(
    kind: type[Check], fields: Any, met: Evidence, missed: Evidence, weight: float
) -> None:
    low = graded(kind, fields, missed, required=True, min_score=0.0, weight=weight)
    assert (low.status, low.wanted, low.weight) == (Status.PASSED, 0.0, weight)
    assert verdict(graded(kind, fields, missed, required=True, weight=weight)) is Status.FAILED


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize(
    ("kind", "fields"),
    [*((kind, fields) for kind, fields, *_ in TYPES), (LlmGrader, {"prompt": "Be kind."})],
    ids=lambda value: getattr(value, "type", ""),
)
def test_a_gate_without_evidence_never_opens(kind: type[Check], fields: Any, *, negate: bool) -> None:
    found = graded(kind, fields, Evidence(), required=True, negate=negate)
    if kind in {FileExists, FileContains, FileChanges}:
        # An empty workspace is evidence: nothing is there.
        assert found.score == float(negate)
    else:
        assert verdict(found) is Status.ERROR


def check(name: str, *named: str) -> Rubrics:
    return make(Rubrics, name, rubrics=tuple(Rubric(id=each, check=each) for each in named))


@pytest.mark.parametrize(
    ("specs", "order"),
    [
        ([check("a"), check("b")], (0, 1)),
        ([check("a", "b"), check("b")], (1, 0)),
        ([check("a", "b"), check("b", "c"), check("c"), check("d")], (2, 3, 1, 0)),
        ([check("a", "nowhere"), check("b")], (0, 1)),
        ([check("a", "b"), check("b", "a"), check("c", "a"), check("d")], (3, 0, 1, 2)),
        ([check("a", "a")], (0,)),
        ([make(Composite, "a", assertions=(make(CheckReference, "m", check="b"),)), check("b")], (1, 0)),
    ],
)
def test_what_is_named_is_judged_first(specs: list[Check], order: tuple[int, ...]) -> None:
    assert judging_order(specs) == order


def test_results_come_in_the_order_of_the_case_and_each_check_sees_those_it_names() -> None:
    specs = [check("quality", "login"), make(Contains, "login", value="yes"), check("round", "round")]

    def judging(evidence: Evidence) -> Callable[..., CheckResult]:
        return lambda spec, results: judge(spec, replace(evidence, results=results))

    found = evaluation.judge_all(specs, judging(YES))
    assert [(each.name, each.status) for each in found] == [
        ("quality", Status.PASSED), ("login", Status.PASSED), ("round", Status.ERROR),
    ]  # fmt: skip
    assert evaluation.judge_all(specs, judging(NO))[0].score == 0.0


# All of it together, on an engine whose commands are scripted


def graded_in_sandbox(tmp_path: Path, submission: Submission, statuses: Mapping[str, int], *specs: Check) -> Result:
    def script(run: FakeRun) -> FakeEnd:
        return FakeEnd(exit_code=statuses[run.argv[0]])

    case = Case("case", PLACE, tmp_path, specs)
    return grade(FakeEngine(script), case, submission, Settings(image_of=lambda _: "image"))


def code(name: str) -> CodeGrader:
    return make(CodeGrader, name, command=CommandSpec((name,)))


def test_every_check_gets_its_own_evidence(tmp_path: Path) -> None:
    submission = Submission(
        "work",
        Form.DIRECTORY,
        Tree({"answer.txt": file_entry("answer.txt", b"42")}),
        output="It is 42.",
        transcript=Transcript(),
    )
    found = graded_in_sandbox(
        tmp_path,
        submission,
        {"good": 0, "bad": 1, "lint": 0},
        make(
            Rubrics,
            "quality",
            rubrics=(Rubric(id="fine", check="all"), Rubric(id="lint", command=CommandSpec(("lint",)))),
        ),
        make(Composite, "all", assertions=(code("good"), code("bad"), make(CheckReference, "ref", check="says"))),
        make(Contains, "says", value="42"),
        make(Contains, "holds", value="42", file="answer.txt"),
        make(FileExists, "there", paths=("*.txt",)),
        make(LlmGrader, "words", prompt="Be kind."),
    )
    scores = {check.name: check.score for check in found.verdict.checks}
    assert scores == {"quality": (2 / 3 + 1) / 2, "all": 2 / 3, "says": 1.0, "holds": 1.0, "there": 1.0, "words": None}
    assert list(scores) == ["quality", "all", "says", "holds", "there", "words"]
    assert found.verdict.checks[-1].status is Status.NOT_JUDGED
    assert [step.argv for step in found.verdict.checks[1].steps] == [("good",), ("bad",)]
    assert found.verdict.status is Status.PASSED


def test_checks_that_run_nothing_do_not_pass_where_the_submission_could_not_be_laid(tmp_path: Path) -> None:
    broken = Submission("work", Form.DIFF, problem="It is not a diff.", output="42")
    found = graded_in_sandbox(
        tmp_path, broken, {}, make(Contains, value="42"), make(FileExists, "gone", paths=("x",), negate=True)
    )
    assert [check.score for check in found.verdict.checks] == [0.0, 0.0]
    assert found.verdict.status is Status.FAILED


@pytest.mark.parametrize(
    ("check", "looks"),
    [
        (make(FileExists, paths=("a",)), True),
        (make(Contains, value="yes", file="a.txt"), True),
        (make(Contains, value="yes"), False),
        (make(CodeGrader, command=COMMAND), True),
    ],
)
def test_what_reads_a_workspace_that_is_not_known_is_not_judged(check: Check, *, looks: bool) -> None:
    unknown = Evidence(output="yes", done=(done(exited(0), "r"),), no_workspace="the recording holds no workspace")
    found = judge(check, unknown, workspace=Path("w"))
    assert found.status is (Status.NOT_JUDGED if looks else Status.PASSED)
    assert found.reason == ("not judged: the recording holds no workspace" if looks else "")


def test_a_command_of_a_case_without_a_workspace_is_judged() -> None:
    unknown = Evidence(done=(done(exited(0), "r"),), no_workspace="the recording holds no workspace")
    assert judge(make(CodeGrader, command=COMMAND), unknown).status is Status.PASSED
