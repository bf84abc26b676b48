"""The reference decides how a case is judged, and its runs are the contract of all submissions."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from apart_fakes import Said, Told, runner
from fake_supervisor import FakeEnd, FakeRun
from grading_bench import Bench, check

from gradebox.graders.grading.apart.settling import Unsettled, settled
from gradebox.graders.grading.baseline_cache import BaselineCache
from gradebox.graders.model.case import Case
from gradebox.graders.model.crossing import ContractRule, Crossing, Isolation
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status
from gradebox.sandbox.protocol.frames import Cause

AUTO = Isolation.AUTO
CONTRACT = 'contract {"a": ["call"], "a()": ["data"]}'
Say = Callable[[Told], Said]


def recording(told: Told) -> Said:
    return Said(lines=[CONTRACT] if told.record else [])


class World:
    """A case with tests of pytest and a reference, and what was told in every run."""

    def __init__(self, place: Path, say: Say | None = None, act: Callable[[FakeRun], FakeEnd] | None = None) -> None:
        self.told: list[Told] = []

        def said(told: Told) -> Said:
            self.told.append(told)
            return (say or recording)(told)

        self.bench = Bench(place, {"python3": act or runner(said)})
        self.work = self.bench.submission({"a.py": "work"})

    def case(self, *, reference: bool = True, of_check: dict[str, Any] | None = None, **changes: Any) -> Case:
        asked = check("python3 -m pytest grading", name="tests", adapter="pytest", **(of_check or {}))
        files = {"grading/test_a.py": ""} | ({"reference/a.py": "reference"} if reference else {})
        case = self.bench.case(asked, files=files, isolation=changes.pop("isolation", AUTO), **changes)
        return replace(case, reference=case.directory / "reference") if reference else case

    def grade(self, case: Case) -> Result:
        return self.bench.grade_beside_others(case, self.work)

    def settled(self, case: Case) -> Crossing | None:
        return settled(self.bench.engine, case, self.bench.settings).crossing

    @property
    def contracts(self) -> list[Any]:
        return [told.apart and told.apart["contract"] for told in self.told if told.files["a.py"] == b"work"]


def fails(*, apart: int = 0, in_process: int = 0) -> Say:
    """Return what fails so many times first."""
    left = {True: apart, False: in_process}

    def say(told: Told) -> Said:
        is_apart = told.apart is not None
        left[is_apart] -= 1
        return Said(passed=left[is_apart] < 0, lines=[CONTRACT] if told.record else [])

    return say


@pytest.mark.parametrize("isolation", [AUTO, Isolation.APART])
def test_the_reference_is_recorded_twice_and_the_submission_is_held_to_it(tmp_path: Path, isolation: Isolation) -> None:
    world = World(tmp_path)
    case = world.case(isolation=isolation)
    for _ in range(2):
        graded = world.grade(case)
        assert (graded.verdict.status, graded.verdict.checks[0].judged) == (Status.PASSED, "apart")
    assert [told.record for told in world.told] == [True, True, False, False, False]
    assert [told.files["a.py"] for told in world.told[:3]] == [b"reference"] * 3
    assert world.told[2].apart is not None
    assert world.told[2].apart["contract"] == world.contracts[0]
    assert world.contracts == [{"a": ["call"], "a()": ["data"]}] * 2


def test_the_contract_is_the_union_of_both_runs(tmp_path: Path) -> None:
    lines = iter([CONTRACT, 'contract {"a": ["data"], "b": ["call"]}'])
    world = World(tmp_path, lambda told: Said(lines=[next(lines)] if told.record else []))
    world.grade(world.case())
    assert world.contracts == [{"a": ["call", "data"], "a()": ["data"], "b": ["call"]}]


def test_without_a_reference_it_stays_as_it_is(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert world.grade(world.case(reference=False)).verdict.checks[0].judged == "in-process"
    world.grade(world.case(reference=False, isolation=Isolation.APART))
    assert [told.apart and told.apart["contract"] for told in world.told] == [None, None]
    assert world.told[1].apart is not None


@pytest.mark.parametrize("of_check", [None, {"contract": "none"}])
def test_a_case_or_a_check_can_do_without_a_contract(tmp_path: Path, of_check: dict[str, Any] | None) -> None:
    world = World(tmp_path)
    rule = ContractRule.RECORDED if of_check else ContractRule.NONE
    world.grade(world.case(isolation=Isolation.APART, contract=rule, of_check=of_check))
    assert world.contracts == [None]
    assert [told.record for told in world.told] == [True]


def test_a_check_can_have_the_contract_that_its_case_does_without(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.grade(world.case(contract=ContractRule.NONE, of_check={"contract": "recorded"}))
    assert world.contracts == [{"a": ["call"], "a()": ["data"]}]


@pytest.mark.parametrize("of_check", [None, {"contract": "exact"}])
def test_exact_answers_are_asked_of_the_submission_and_make_another_content(
    tmp_path: Path, of_check: dict[str, Any] | None
) -> None:
    world = World(tmp_path)
    rule = ContractRule.RECORDED if of_check else ContractRule.EXACT
    graded = world.grade(world.case(contract=rule, of_check=of_check))
    assert [told.apart and told.apart["exact"] for told in world.told] == [True] * 4
    assert [told.record for told in world.told] == [True, True, False, False]
    assert graded.content != world.grade(world.case()).content


WITH_TEXTS = f'contract {{"#answers": ["{"a" * 16} {"b" * 32}"]}}'
WITHOUT = f'contract {{"#answers": ["{"a" * 16} {"b" * 16}e3b0c44298fc1c14", "c looked"]}}'
REWORDED = f'contract {{"#answers": ["{"a" * 16} {"c" * 32}", "{"a" * 16} reworded"]}}'


@pytest.mark.parametrize(
    ("rule", "line", "runs"),
    [
        (ContractRule.EXACT, WITH_TEXTS, [1, 2]),
        (ContractRule.EXACT, WITHOUT, []),
        (ContractRule.RECORDED, WITH_TEXTS, []),
    ],
)
@pytest.mark.parametrize("failing", [3, 1, 2])
def test_with_exact_the_reference_is_judged_with_other_texts_of_exceptions(
    tmp_path: Path, rule: ContractRule, line: str, runs: list[int], failing: int
) -> None:
    def how(told: Told) -> Any:
        return told.apart and told.apart["reword"]

    def said(told: Told) -> str:
        return WITHOUT if how(told) == failing else REWORDED if how(told) else line

    world = World(tmp_path, lambda told: Said(lines=[said(told)] if told.record else []))
    world.grade(world.case(contract=rule))
    # If no test passes with other texts, the second way shows nothing more.
    assert [how(told) for told in world.told] == [0, 0, *(runs[:1] if failing == 1 else runs), 0, 0]
    (contract,) = world.contracts
    is_reworded = runs and failing not in runs
    expected = json.loads(line.removeprefix("contract "))["#answers"] + [f"{'a' * 16} reworded"] * bool(is_reworded)
    assert contract["#answers"] == sorted(expected)


@pytest.mark.parametrize("failures", ["by its contract", "apart"])
def test_with_exact_answers_no_case_is_judged_in_process(tmp_path: Path, failures: str) -> None:
    world = World(tmp_path, fails(apart=2) if failures == "apart" else fails_by_its_contract(2))
    found = world.settled(world.case(contract=ContractRule.EXACT))
    assert found is not None
    assert (found.isolation, found.why) == (Isolation.APART, "`contract: exact` is for tests that run apart")
    assert "the reference fails" in found.note
    assert all(told.apart is not None for told in world.told)


def test_a_submission_whose_answers_were_not_compared_does_not_pass_an_exact_check(tmp_path: Path) -> None:
    world = World(tmp_path)
    (result,) = world.grade(world.case(contract=ContractRule.EXACT)).verdict.checks
    assert result.status is Status.ERROR
    assert result.reason == "its answers were not compared, which `contract: exact` needs"


@pytest.mark.parametrize("passed", [True, False])
def test_the_verdict_says_with_which_answers_tests_passed(tmp_path: Path, passed: bool) -> None:
    told = {"same": 3, "other": 2, "unknown": 1, "tests": ["test_a", "test_b"]}
    line = f"answers {json.dumps(told)}"
    world = World(tmp_path, lambda told: Said(passed=told.record or passed, lines=[CONTRACT if told.record else line]))
    (result,) = world.grade(world.case(isolation=Isolation.APART)).verdict.checks
    assert result.details["answers"] == told
    assert result.reason.endswith("2 of 6 tests passed with answers that the reference did not give")
    assert (result.status is Status.PASSED) is passed


@pytest.mark.parametrize("program", ["judge", "vitest run grading"])
def test_a_case_that_no_runner_of_ours_can_judge_apart_runs_nothing_more(tmp_path: Path, program: str) -> None:
    bench = Bench(tmp_path)
    case = bench.case(check(program, adapter="auto"), files={"reference/a.py": ""}, isolation=AUTO)
    case = replace(case, reference=case.directory / "reference")
    graded = bench.grade(case, bench.submission({"a.py": ""}))
    assert graded.verdict.checks[0].judged == "in-process"
    assert len(bench.watch.runs) == 1


@pytest.mark.parametrize(
    ("apart", "in_process", "judged", "runs"),
    [
        (0, 0, "apart", [True, True, True]),
        (1, 0, "apart", [True, True, True]),
        (2, 0, "in-process", [True, True, False]),
        (2, 1, "apart", [True, True, False]),
    ],
)
def test_in_process_needs_two_failures_apart_and_a_pass(
    tmp_path: Path, apart: int, in_process: int, judged: str, runs: list[bool]
) -> None:
    world = World(tmp_path, fails(apart=apart, in_process=in_process))
    found = world.settled(world.case())
    assert found is not None
    assert (found.isolation, [told.apart is not None for told in world.told]) == (judged, runs)
    assert bool(found.note) is bool(in_process)


def fails_by_its_contract(count: int) -> Say:
    """Return what fails so many times first when it is held to a contract."""
    left = [count]

    def say(told: Told) -> Said:
        is_held = told.apart is not None and told.apart["contract"] is not None
        left[0] -= is_held
        return Said(passed=not is_held or left[0] < 0, lines=[CONTRACT] if told.record else [])

    return say


@pytest.mark.parametrize(("failures", "judged", "runs"), [(1, "apart", 4), (2, "in-process", 4)])
def test_a_case_whose_reference_fails_by_its_own_contract_is_not_judged_apart(
    tmp_path: Path, failures: int, judged: str, runs: int
) -> None:
    world = World(tmp_path, fails_by_its_contract(failures))
    found = world.settled(world.case())
    assert found is not None
    assert (found.isolation, len(world.told)) == (judged, runs)
    assert ("the reference fails its own contract: tests: exit status 1" in found.why) is (failures > 1)


def test_an_explicit_choice_is_kept_though_the_reference_fails_by_its_own_contract(tmp_path: Path) -> None:
    found = (world := World(tmp_path, fails_by_its_contract(2))).settled(world.case(isolation=Isolation.APART))
    assert found is not None
    assert found.isolation is Isolation.APART
    assert "the reference fails its own contract" in found.note


def test_an_explicit_choice_is_kept_with_what_was_recorded_and_a_note(tmp_path: Path) -> None:
    world = World(tmp_path, fails(apart=2))
    graded = world.grade(world.case(isolation=Isolation.APART))
    assert graded.verdict.checks[0].judged == "apart"
    (note,) = graded.notes
    assert note.startswith("With `isolation: apart`, the reference fails: tests: exit status 1. What its tests ask")
    assert world.contracts == [{"a": ["call"], "a()": ["data"]}]


LOST = FakeEnd(lost=True)
LATE = FakeEnd(cause=Cause.DEADLINE, exit_code=-9)
GARBAGE = 'contract {"a": 1}'


@pytest.mark.parametrize(
    ("end", "isolation"), [(LOST, AUTO), (LOST, Isolation.APART), (LATE, AUTO)], ids=["lost", "lost, explicit", "late"]
)
def test_what_the_engine_or_the_time_prevented_decides_nothing(
    tmp_path: Path, end: FakeEnd, isolation: Isolation
) -> None:
    ends = [end]

    def act(run: FakeRun) -> FakeEnd:
        return ends.pop() if ends else runner(recording)(run)

    world = World(tmp_path, act=act)
    case = world.case(isolation=isolation)
    graded = world.grade(case)
    assert graded.verdict.status is Status.ERROR
    assert "It is unknown whether the reference passes" in graded.verdict.reasons[0]
    # It is tried again with the next submission.
    assert world.grade(case).verdict.checks[0].judged == "apart"


def test_a_reference_that_is_too_slow_is_the_cases_matter_where_it_says_apart(tmp_path: Path) -> None:
    world = World(tmp_path, act=lambda _: LATE)
    found = world.settled(world.case(isolation=Isolation.APART))
    assert found is not None
    assert "timed out" in found.note


def test_a_contract_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    world = World(tmp_path, lambda told: Said(lines=[GARBAGE] if told.record else []))
    with pytest.raises(Unsettled, match="what was recorded cannot be read"):
        world.settled(world.case())


def test_what_is_settled_survives_the_process_and_is_looked_up_by_content(tmp_path: Path) -> None:
    world = World(tmp_path)
    case = world.case()
    for count in (3, 3):
        world.bench.settings = replace(world.bench.settings, baselines=BaselineCache(tmp_path / "kept"))
        found = world.settled(case)
        assert found is not None
        assert (len(world.told), len(found.content)) == (count, 64)
    (case.directory / "reference" / "a.py").write_text("other")
    world.settled(case)
    assert len(world.told) == 6


def test_another_contract_is_another_content(tmp_path: Path) -> None:
    world = World(tmp_path)
    case = world.case()
    found = world.settled(case)
    assert found is not None
    other = replace(found, contracts={"tests": {"a": frozenset({"data"})}})
    first, second = (world.grade(replace(case, crossing=one)) for one in (found, other))
    assert first.content != second.content


def test_a_case_that_could_not_be_settled_is_an_error(tmp_path: Path) -> None:
    world = World(tmp_path)
    graded = world.grade(replace(world.case(), crossing=Crossing(AUTO, problem="The engine was away.")))
    assert (graded.verdict.status, graded.verdict.reasons) == (Status.ERROR, ("The engine was away.",))
    assert world.told == []


def test_a_case_of_scripts_is_looked_at_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    case = bench.case(check("judge"), files={"reference/a.py": ""}, isolation=Isolation.APART)
    case = settled(bench.engine, replace(case, reference=case.directory / "reference"), bench.settings)
    assert case.crossing == Crossing(Isolation.APART)
    assert settled(bench.engine, case, bench.settings) is case
    assert bench.watch.runs == []
