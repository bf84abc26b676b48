"""What all checks of files have in common."""

from __future__ import annotations

from collections.abc import Iterator

from evidence_bench import judge, make

from gradebox.graders.checks.files.file_check import Condition, FileCheck
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.verdict import Status


class Some(FileCheck):
    type = "some"

    met: tuple[bool, ...] = ()

    def conditions(self, evidence: Evidence) -> Iterator[Condition]:
        assert evidence.output is None
        return (Condition(met, f"not {number}") for number, met in enumerate(self.met))


def test_the_score_is_the_share_of_the_conditions_that_hold() -> None:
    found = judge(make(Some, met=(True, False, True, False)))
    assert (found.score, found.reason) == (0.5, "not 1; not 3")
    assert judge(make(Some, met=(True, False), negate=True)).score == 0.5


def test_a_check_without_conditions_is_an_error() -> None:
    assert judge(make(Some)).status is Status.ERROR
