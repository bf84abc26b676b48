"""submissions/verdicts.yaml: which verdict each submission must get."""

from __future__ import annotations

from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders.authoring.expected_verdicts import KeptSubmissions, read_kept
from gradebox.graders.cases import load
from gradebox.graders.documents.diagnostics import Findings

CASE = 'image: image\nassertions: [{name: it, type: code-grader, command: ["check"]}]\n'


def read(root: Path, verdicts: str, **submissions: str) -> tuple[KeptSubmissions, list[str]]:
    write(root, {"case.yaml": CASE, "submissions/verdicts.yaml": verdicts})
    write(root, {f"submissions/{name.replace('__', '.')}": text for name, text in submissions.items()})
    (case,) = load(root).cases
    findings = Findings()
    return read_kept(case, findings), [found.message for found in findings]


def test_submissions_come_in_the_order_of_their_verdicts(tmp_path: Path) -> None:
    verdicts = (
        "b: {verdict: failed, score: 0.5, checks: {it: 0.5}}\nreference: {verdict: passed}\na: {verdict: error}\n"
    )
    kept, messages = read(tmp_path, verdicts, a__diff="", b__diff="")
    assert (list(kept.paths), messages) == (["b", "a"], [])
    expected = kept.verdicts["b"]
    assert (expected.verdict, expected.score, dict(expected.checks)) == ("failed", 0.5, {"it": 0.5})
    assert expected.place.line == 1


@pytest.mark.parametrize(
    ("verdicts", "message"),
    [
        ("a: {verdict: failed}\nb: {verdict: failed}\n", "there is no submission `b`"),
        ("reference: {verdict: passed}\n", "has no verdict"),
        ("a: {verdict: failed, checks: {its: 1}}\n", "the case has no check `its`"),
        ("a: failed\n", "`a` must be a mapping"),
        ("[a]\n", "must be a mapping of submissions to verdicts"),
    ],
)
def test_mistakes_are_found(tmp_path: Path, verdicts: str, message: str) -> None:
    assert message in read(tmp_path, verdicts, a__diff="")[1]


def test_without_submissions_nothing_is_kept(tmp_path: Path) -> None:
    write(tmp_path, {"case.yaml": CASE})
    (case,) = load(tmp_path).cases
    findings = Findings()
    assert read_kept(case, findings) == KeptSubmissions({}, {})
    assert not list(findings)
