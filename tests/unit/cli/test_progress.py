"""What is printed of a run where nobody looks."""

from __future__ import annotations

import io
import sys
from dataclasses import replace

import pytest
from some_events import CASE_GRADED, EVENTS, GRADED, Clock

from gradebox.graders.cli.progress import Counts, PlainProgress
from gradebox.graders.model.events import CaseGraded, CaseStarted, StepStarted
from gradebox.graders.model.verdict import Status


def test_what_matters_least_gives_way_first() -> None:
    clock = Clock()
    counts = Counts(9, clock)
    clock.now += 10
    counts.add(CASE_GRADED)
    widths = {width: counts.summary(width) for width in (40, 36, 28, 10)}
    assert widths == {
        40: "1/9  1 passed  0.1/s  about 1:20 left",
        36: "1/9  1 passed  about 1:20 left",
        28: "1/9  1 passed",
        10: "1/9  1 passed",
    }


def test_a_log_gets_a_line_now_and_then_and_none_of_a_short_run(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, clock = io.StringIO(), Clock()
    monkeypatch.setattr(sys, "stderr", stream)
    with PlainProgress(10, clock) as progress:
        progress.take(EVENTS[2])
        assert stream.getvalue() == ""
        clock.now += 20
        progress.take(EVENTS[2])
        progress.take(EVENTS[2])
    assert stream.getvalue() == "2/10  2 passed  0.1/s  about 1:20 left\n"


def test_a_log_names_the_grading_that_all_others_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, clock = io.StringIO(), Clock()
    monkeypatch.setattr(sys, "stderr", stream)
    progress = PlainProgress(3, clock)
    progress.take(CaseStarted("words", "slow"))
    clock.now += 1
    progress.take(CaseStarted("words", "quick"))
    progress.take(StepStarted("words", "slow", "hidden\x1btests", 2, 5))
    clock.now += 20
    progress.print_when_due()
    assert stream.getvalue() == "0/3  longest: words slow, hidden\\x1btests (2/5), 21 s\n"


def test_the_rate_and_the_rest_are_those_of_the_run_so_far() -> None:
    clock = Clock()
    counts = Counts(4, clock)
    assert counts.remaining_seconds is None
    clock.now += 2
    counts.add(CASE_GRADED)
    assert (counts.per_second, counts.remaining_seconds) == (0.5, 6.0)
    # Nothing new begins, so nobody waits for the rest.
    counts.finishing = True
    assert counts.remaining_seconds is None


def test_verdicts_that_had_been_found_before_say_nothing_about_the_rest() -> None:
    clock = Clock()
    counts = Counts(10, clock)
    for _ in range(7):
        counts.add(CaseGraded(GRADED, found_before=True))
    clock.now += 2
    assert (counts.graded, counts.per_second, counts.remaining_seconds) == (7, 0.0, None)
    counts.add(CASE_GRADED)
    assert (counts.graded, counts.per_second, counts.remaining_seconds) == (8, 0.5, 4.0)


def test_cheats_are_counted_apart_from_verdicts() -> None:
    counts = Counts(9, Clock())
    counts.add(CASE_GRADED)
    for _ in range(2):
        counts.add(CASE_GRADED, cheat=True)
    failed = CASE_GRADED._replace(result=replace(GRADED, verdict=replace(GRADED.verdict, status=Status.FAILED)))
    counts.add(failed, cheat=True)
    assert counts.summary(0) == "4/9  1 passed  2 cheats passed  1 cheat held"
