"""Gradings begin in their order, and as many run as the pace says."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import count

from gradebox.graders.grading.many.line import Line
from gradebox.graders.grading.many.pace import Pace
from gradebox.sandbox.limits import MIB


def test_they_begin_in_order_and_no_more_run_than_may() -> None:
    begun: list[int] = []
    running, most = threading.Semaphore(2), Pace(2, 8)

    def grade(task: int) -> int:
        begun.append(task)
        assert running.acquire(blocking=False), "a third one runs"
        running.release()
        return task

    found = list(Line(most).graded(range(50), grade, finishing=lambda: False, cancel=lambda: None))
    assert found == begun == list(range(50))


def test_more_begin_when_the_pace_grows() -> None:
    pace = Pace(1, 3)
    together = threading.Barrier(3, timeout=10)

    def grade(task: int) -> int:
        if task == 0:
            pace.jobs = 3
        else:
            together.wait()
        return task

    assert list(Line(pace).graded(range(7), grade, finishing=lambda: False, cancel=lambda: None)) == list(range(7))


def test_whoever_leaves_cancels_what_runs() -> None:
    left = threading.Event()
    line = Line(Pace(2))
    results = line.graded(count(), lambda task: left.wait(10) or task if task else 0, finishing=bool, cancel=left.set)
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]
    assert left.is_set()


def test_nothing_is_taken_after_the_end_is_near() -> None:
    line = Line(Pace(1))
    assert list(line.graded(iter([1, 2]), lambda task: task, finishing=lambda: True, cancel=lambda: None)) == []
    assert line.waiting == 0


def test_few_tasks_that_hold_much_memory_are_taken_ahead() -> None:
    taken: list[int] = []
    ready = threading.Event()

    def tasks() -> Iterator[int]:
        for number in range(20):
            taken.append(number)
            yield number

    def grade(task: int) -> int:
        assert ready.wait(10)
        return task

    for size, most in ((0, 8), (100 * MIB, 3), (300 * MIB, 2)):
        taken.clear()
        ready.clear()
        threading.Timer(0.1, ready.set).start()
        line = Line(Pace(2))
        results = line.graded(
            tasks(), grade, finishing=lambda: False, cancel=lambda: None, size=lambda _, size=size: size
        )
        assert next(results) == 0
        assert len(taken) == most
        assert list(results) == list(range(1, 20))
