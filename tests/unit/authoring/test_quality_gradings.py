"""Which gradings check a case, and what prevents them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders.authoring.quality_gradings import Level, QualityPlan, Subject, plan_gradings
from gradebox.graders.authoring.surroundings import OTHER
from gradebox.graders.cases import load
from gradebox.graders.model.crossing import Isolation

CASE = 'image: image\nassertions: [{name: it, type: code-grader, command: ["check"]}]\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, {"case.yaml": CASE, "workspace/a": "1", "reference/a": "2", "submissions/wrong/a": "3"})
    return tmp_path


def plan(root: Path, repeat: int = 2, *, submissions: bool = True) -> QualityPlan:
    (case,) = load(root).cases
    return plan_gradings(case, repeat, submissions=submissions)


def test_reference_and_workspace_are_repeated_and_submissions_are_not(root: Path) -> None:
    write(root, {"submissions/verdicts.yaml": "wrong: {verdict: failed}\n"})
    planned = plan(root)
    assert [(one.subject, one.repeat, one.submission.name) for one in planned.gradings] == [
        (Subject.REFERENCE, 1, "reference"),
        (Subject.REFERENCE, 2, "reference"),
        (Subject.APART, 1, "reference"),
        (Subject.UNTOUCHED, 1, "(untouched)"),
        (Subject.UNTOUCHED, 2, "(untouched)"),
        (Subject.SUBMISSION, 1, "wrong"),
        (Subject.ELSEWHERE, 1, "reference"),
    ]
    expected = planned.gradings[-2].expected
    assert expected is not None
    assert [one.changed for one in planned.one_at_a_time().gradings] == [(name,) for name in OTHER]
    assert expected.verdict == "failed"
    assert planned.findings == ()


def test_apart_is_tried_where_it_makes_a_difference(root: Path) -> None:
    (tried,) = (one for one in plan(root).gradings if one.subject is Subject.APART)
    (case,) = load(root).cases
    assert tried.case(case).isolation is Isolation.APART
    apart = replace(case, isolation=Isolation.APART)
    assert all(one.subject is not Subject.APART for one in plan_gradings(apart, 1).gradings)


def test_submissions_can_be_left_out(root: Path) -> None:
    assert all(one.subject is not Subject.SUBMISSION for one in plan(root, submissions=False).gradings)


def test_submissions_without_verdicts_are_a_warning(root: Path) -> None:
    (finding,) = plan(root).findings
    assert finding.level is Level.WARNING


def test_a_case_without_a_reference_is_unfair(root: Path) -> None:
    (root / "reference/a").unlink()
    (root / "reference").rmdir()
    finding = plan(root, submissions=False).findings[-1]
    assert (finding.level, finding.message[:24]) == (Level.UNFAIR, "There is no reference, s")
