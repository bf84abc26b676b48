"""The order of a case's checks cannot matter, whatever they do to the sandbox."""

from __future__ import annotations

import random
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from fake_engine import FakeEnd, FakeRun
from grading_bench import PASS, Act, Bench, check
from hypothesis import given
from hypothesis import strategies as st

from gradebox.sandbox.protocol.frames import Cause


def leaves_traces(run: FakeRun) -> FakeEnd:
    run.files["trace"] = run.argv[0].encode()
    run.files["main.py"] = b"rewritten"
    return PASS


def finds_traces(run: FakeRun) -> FakeEnd:
    return FakeEnd(exit_code=int("trace" in run.files or run.files.get("main.py") != b"work"))


def removes_everything(run: FakeRun) -> FakeEnd:
    run.files.clear()
    return FakeEnd(exit_code=1)


ACTS: tuple[Act, ...] = (
    PASS,
    FakeEnd(exit_code=1),
    FakeEnd(exit_code=-9, oom_kills=1),
    FakeEnd(cause=Cause.DEADLINE),
    FakeEnd(cause=Cause.NOT_STARTED, errno=2),
    leaves_traces,
    finds_traces,
    removes_everything,
)


@given(st.lists(st.tuples(st.sampled_from(ACTS), st.booleans(), st.booleans()), min_size=1, max_size=6), st.randoms())
def test_checks_in_any_order_give_the_same_verdict(wanted: list[tuple[Act, bool, bool]], chance: random.Random) -> None:
    acts = {f"check-{number}": act for number, (act, _, _) in enumerate(wanted)}
    checks = [
        check(name, required=required, negate=negate, weight=number + 1.0)
        for number, (name, (_, required, negate)) in enumerate(zip(acts, wanted, strict=True))
    ]
    shuffled = checks[:]
    chance.shuffle(shuffled)
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(Path(directory), acts)
        case = bench.case(*checks, files={"workspace/main.py": "work"})
        one = bench.grade(case).verdict
        other = bench.grade(replace(case, checks=tuple(shuffled))).verdict
    assert (one.status, one.gated_score) == (other.status, other.gated_score)
    assert one.score == pytest.approx(other.score)
    told = [{(c.name, c.status, c.score, c.reason, c.missed) for c in verdict.checks} for verdict in (one, other)]
    assert told[0] == told[1]
