"""What of a saved grading no longer holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from grading_bench import Bench, check, command

from gradebox.graders.grading.fingerprint import plan_hashes
from gradebox.graders.grading.grade import grade
from gradebox.graders.grading.prepare import prepare
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Outcomes
from gradebox.graders.model.plan import Plan
from gradebox.graders.model.submission import UNTOUCHED
from gradebox.graders.runs.staleness import changed_checks, changed_for_all, rejoined


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def graded(bench: Bench, case: Case) -> tuple[Plan, Outcomes]:
    outcomes = grade(bench.engine, case, UNTOUCHED, bench.settings).outcomes
    assert outcomes is not None
    return prepare(case, UNTOUCHED, image="image"), outcomes


def stale(plan: Plan, outcomes: Outcomes) -> dict[str, str]:
    return changed_checks(plan, outcomes, plan_hashes(plan))


def test_nothing_is_stale_where_nothing_changed(bench: Bench) -> None:
    plan, outcomes = graded(bench, bench.case(check("judge"), files={"workspace/a": "1"}))
    assert changed_for_all(plan, outcomes, plan_hashes(plan)) == ""
    assert stale(plan, outcomes) == {}
    assert [one.outcome.exit_code for one in rejoined(plan, outcomes)["judge"]] == [0]


def test_another_workspace_spoils_everything(bench: Bench) -> None:
    _, outcomes = graded(bench, bench.case(check("judge"), files={"workspace/a": "1"}))
    plan = prepare(bench.case(check("judge"), files={"workspace/a": "2"}), UNTOUCHED, image="image")
    assert "the workspace" in changed_for_all(plan, outcomes, plan_hashes(plan))


def test_another_submission_spoils_everything(bench: Bench) -> None:
    plan, outcomes = graded(bench, bench.case(check("judge")))
    other = replace(plan, submission=bench.submission({"a": "1"}))
    assert changed_for_all(other, outcomes, plan_hashes(plan)) == "the submission has changed since"


def test_another_command_spoils_its_check_alone(bench: Bench) -> None:
    _, outcomes = graded(bench, bench.case(check("judge", name="it"), check("other")))
    changed = bench.case(check("judge", name="it", command=command("judge hard")), check("other"))
    assert stale(prepare(changed, UNTOUCHED, image="image"), outcomes) == {"it": "its commands have changed since"}


def test_a_check_that_is_new_has_never_been_run(bench: Bench) -> None:
    _, outcomes = graded(bench, bench.case(check("judge")))
    plan = prepare(bench.case(check("judge"), check("new")), UNTOUCHED, image="image")
    assert stale(plan, outcomes) == {"new": "its commands have never been run"}


def test_another_weight_spoils_nothing(bench: Bench) -> None:
    _, outcomes = graded(bench, bench.case(check("judge")))
    plan = prepare(bench.case(check("judge", weight=5.0, required=True)), UNTOUCHED, image="image")
    assert stale(plan, outcomes) == {}
