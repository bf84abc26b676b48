"""A `Grader` that was made and used before a fork may be used after it, on both sides: a pool of workers does that."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from gradebox.graders import Grader, Status

CASE = "assertions: [{name: one, type: code-grader, command: ['true']}]\n"


class Inherited:
    """What a worker has from its parent, given to it as its initializer's argument: by the fork, not by pickling."""

    grader: Grader
    case: Path


def inherit(grader: Grader, case: Path) -> None:
    Inherited.grader, Inherited.case = grader, case


def grade(_: int) -> tuple[Status, int]:
    return Inherited.grader.grade(Inherited.case).verdict.status, os.getpid()


def close(_: int) -> str:
    session = str(vars(Inherited.grader.engine)["session"])
    Inherited.grader.close()
    return session


@pytest.fixture
def case(tmp_path: Path) -> Path:
    (tmp_path / "case.yaml").write_text(CASE)
    return tmp_path


def test_workers_that_inherit_a_grader_grade_beside_it(case: Path) -> None:
    with Grader() as grader:
        assert grader.grade(case).verdict.status is Status.PASSED
        with multiprocessing.get_context("fork").Pool(2, inherit, (grader, case)) as workers:
            # With a limit, since whoever shares a connection waits for an answer that the other one has read.
            results = workers.map_async(grade, range(4), chunksize=1).get(timeout=60)
            sessions = workers.map_async(close, range(2), chunksize=1).get(timeout=60)
        assert {status for status, _ in results} == {Status.PASSED}
        assert os.getpid() not in {worker for _, worker in results}
        # What a worker removes when it closes is not its parent's.
        assert vars(grader.engine)["session"] not in sessions
        assert grader.grade(case).verdict.status is Status.PASSED
