"""From gradings of a case to findings about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from evidence_bench import COMMAND, case, make
from evidence_bench import result as check_result

from gradebox.graders.authoring.attack.attempts import TriedCheat
from gradebox.graders.authoring.case_quality import (
    CheckedCase,
    depends_on_surroundings,
    find_cheats,
    find_problems,
    of_judging,
)
from gradebox.graders.authoring.expected_verdicts import ExpectedVerdict
from gradebox.graders.authoring.quality_gradings import Level, Quality, Subject, SubjectResult, quality_of
from gradebox.graders.authoring.surroundings import named
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.model.case import Place
from gradebox.graders.model.crossing import ContractRule, Isolation
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import CheckResult, decide

CHECK = make(CodeGrader, "it", command=COMMAND, required=True)
CASE = case(CHECK)


def of(score: float | None, subject: Subject = Subject.REFERENCE, repeat: int = 1, **more: Any) -> SubjectResult:
    checks: list[CheckResult] = [] if score is None else [check_result(score, "it", required=True)]
    verdict = decide(checks, threshold=0.8, faults=["It was away."] if score is None else ())
    name = more.pop("name", subject.value)
    return SubjectResult(subject, repeat, Result.of(CASE, name, verdict), **more)


def messages(*results: SubjectResult, level: Level = Level.UNFAIR) -> list[str]:
    return [found.message for found in find_problems(CASE, results) if found.level is level]


def test_a_reference_that_passes_and_a_workspace_that_fails_are_fair() -> None:
    assert find_problems(CASE, [of(1.0), of(0.0, Subject.UNTOUCHED)]) == ()


def test_a_reference_needs_the_full_score() -> None:
    (message,) = messages(of(0.9), of(0.0, Subject.UNTOUCHED))
    assert message.startswith("The reference passed with score 0.9 and must pass with score 1")


def test_a_required_check_that_the_reference_fails_is_unreachable() -> None:
    found = messages(of(0.0), of(0.0, Subject.UNTOUCHED))
    assert any("required check it was never passed by the reference: a score of 0, needs 0.8" in one for one in found)


def test_an_untouched_workspace_must_not_pass() -> None:
    (message,) = messages(of(1.0), of(1.0, Subject.UNTOUCHED))
    assert "an empty submission passes" in message


def test_a_submission_must_get_the_verdict_that_is_written() -> None:
    expected = ExpectedVerdict(place=Place(CASE.directory), verdict="failed", score=0.5)
    found = messages(of(1.0, Subject.SUBMISSION, name="wrong", expected=expected))
    assert found == [
        "The submission wrong passed with score 1, and failed is written.",
        "The submission wrong got score 1, and 0.5 is written.",
    ]


def test_what_could_not_be_graded_is_neither_proven_nor_unfair() -> None:
    findings = find_problems(CASE, [of(None), of(0.0, Subject.UNTOUCHED)])
    assert quality_of(findings, attacked=True) is Quality.NOT_GRADED


@pytest.mark.parametrize(("judged", "required", "warned"), [
    ("in-process", True, True), ("in-process", False, False), ("apart", True, False), ("", True, False),
])  # fmt: skip
def test_a_required_check_that_is_judged_in_process_is_a_warning(judged: str, *, required: bool, warned: bool) -> None:
    check = replace(check_result(0.0, "it", required=required), judged=judged)
    results = [SubjectResult(Subject.UNTOUCHED, 1, Result.of(CASE, "untouched", decide([check], threshold=0.8)))]
    found = [one.message for one in find_problems(CASE, results) if "in-process" in one.message]
    assert bool(found) is warned
    meant = find_problems(replace(CASE, isolation=Isolation.IN_PROCESS), results)
    assert not [one for one in meant if "in-process" in one.message]
    assert bool(list(of_judging(CASE, results))) is (judged == "in-process")


@pytest.mark.parametrize(
    ("answers", "subject", "rule", "is_possible"),
    [
        ({"same": 3, "other": 0, "unknown": 0}, Subject.REFERENCE, ContractRule.RECORDED, True),
        ({"same": 2, "other": 0, "unknown": 1}, Subject.REFERENCE, ContractRule.RECORDED, False),
        ({"same": 0, "other": 0, "unknown": 0}, Subject.REFERENCE, ContractRule.RECORDED, False),
        ({"same": 3, "other": 0, "unknown": 0}, Subject.UNTOUCHED, ContractRule.RECORDED, False),
        ({"same": 3, "other": 0, "unknown": 0}, Subject.REFERENCE, ContractRule.EXACT, False),
        (None, Subject.REFERENCE, ContractRule.RECORDED, False),
    ],
)
def test_check_says_whether_exact_answers_are_possible(
    answers: dict[str, int] | None, subject: Subject, rule: ContractRule, is_possible: bool
) -> None:
    case = replace(CASE, contract=rule)
    check = replace(check_result(1.0, "it"), judged="apart", details={"answers": answers} if answers else {})
    results = [SubjectResult(subject, 1, Result.of(case, "reference", decide([check], threshold=0.8)))]
    assert any("`contract: exact`" in one for one in of_judging(case, results)) is is_possible


def test_a_check_that_never_failed_is_a_warning() -> None:
    (warning,) = messages(of(1.0), level=Level.WARNING)
    assert warning == "The check it has never been seen to fail in 1 run."


ALL = ("hash seed", "time zone", "locale")


def elsewhere(score: float, *changed: str) -> SubjectResult:
    return of(score, Subject.ELSEWHERE, name="reference", changed=changed)


@pytest.mark.parametrize(("others", "named"), [
    ([elsewhere(1.0, *ALL)], ()),
    ([elsewhere(0.5, *ALL), elsewhere(1.0, "hash seed"), elsewhere(0.5, "time zone")], ("time zone",)),
    ([elsewhere(0.5, *ALL), elsewhere(0.5, "hash seed"), elsewhere(0.5, "locale")], ("hash seed", "locale")),
    # Only all of them together make it differ.
    ([elsewhere(0.5, *ALL), elsewhere(1.0, "hash seed"), elsewhere(1.0, "locale")], (named(ALL),)),
])  # fmt: skip
def test_what_makes_the_reference_differ_is_named(others: list[SubjectResult], named: tuple[str, ...]) -> None:
    results = [of(1.0), *others, of(0.0, Subject.UNTOUCHED)]
    assert depends_on_surroundings(results) is bool(named)
    found = [found for found in find_problems(CASE, results) if "another" in found.message]
    assert [one.message.split(",")[0].split(" the ")[0] for one in found] == [
        f"With another {name}".split(",")[0] for name in named
    ]
    assert all("score was 1.0 and then 0.5" in one.message and one.level is Level.WARNING for one in found)
    # Chance explains it as well.
    assert not depends_on_surroundings([of(1.0), of(0.5, repeat=2), *others])


def test_repeats_that_differ_are_reported_with_their_place() -> None:
    (message,) = messages(of(1.0), of(0.9, repeat=2), of(0.0, Subject.UNTOUCHED))[1:] or [""]
    assert "run 2" in message
    assert "score was 1.0 and then 0.9" in message


PASSED = TriedCheat("exit/at-load", "Ends the process.", "passed", 1.0, remedies=("case.yaml: it: give it a control.",))


def quality(*tried: TriedCheat) -> Quality:
    return CheckedCase(CASE, (), tuple(find_cheats(tried)), tried).quality


def test_a_case_is_proven_only_where_cheats_were_tried_and_none_passed() -> None:
    failed = PASSED._replace(outcome="failed", remedies=())
    assert quality() is Quality.FAIR
    assert quality(PASSED._replace(outcome="did not fit", remedies=())) is Quality.FAIR
    assert quality(failed) is Quality.PROVEN
    assert quality(failed, PASSED) is Quality.CHEATED
    assert quality(failed, failed._replace(outcome="error", reason="no engine")) is Quality.NOT_GRADED


def test_cheats_that_pass_are_named_with_the_remedy() -> None:
    (finding,) = find_cheats([PASSED, PASSED._replace(cheat="exit/in-call")])
    assert finding.message == "The cheat exit/at-load passes. Ends the process. So do exit/in-call."
    assert finding.remedy == "case.yaml: it: give it a control."


def test_a_workspace_that_is_expected_to_pass_must_pass() -> None:
    expecting = replace(CASE, expect_untouched="pass")
    results = [of(1.0), of(1.0, Subject.UNTOUCHED)]
    assert [found.level for found in find_problems(expecting, results)] == [Level.WARNING]
    (finding, *_) = find_problems(expecting, [of(1.0), of(0.0, Subject.UNTOUCHED)])
    assert (finding.level, finding.message[-36:]) == (Level.UNFAIR, "`expect_untouched: pass` is written.")
