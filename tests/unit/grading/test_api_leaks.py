"""A process that grades for ever does not grow: memory, descriptors and threads are as before."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from pathlib import Path

from fake_engine import FakeEnd, FakeRun
from grading_bench import PASS, Bench, check

from gradebox.graders import Grader
from gradebox.graders.submissions.source import read_submission

WARM_UP, MANY = 30, 150
# Caches of the interpreter and of libraries; one verdict kept for every grading would be five times this.
GROWN_BYTES = 400_000


def act(run: FakeRun) -> FakeEnd:
    return FakeEnd(exit_code=int(run.uid % 2), stdout=b"x" * 20_000, stderr=b"y" * 20_000)


def test_many_gradings_leave_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"one": act, "two": PASS})
    case = bench.case(check("one"), check("two"), files={"workspace/main.py": "x" * 10_000}, image="image")
    submission = read_submission(bench.root / "case" / "workspace")

    def held() -> tuple[int, int, int]:
        # What the engine remembers for tests is not part of it.
        bench.watch.runs.clear()
        bench.engine.created.clear()
        bench.engine.removed.clear()
        gc.collect()
        return (
            tracemalloc.get_traced_memory()[0],
            sum(1 for _ in Path("/proc/self/fd").iterdir()),
            threading.active_count(),
        )

    with Grader(engine=bench.engine) as grader:
        tracemalloc.start()
        try:
            for _ in range(WARM_UP):
                grader.grade(case, submission)
            memory, descriptors, threads = held()
            for _ in range(MANY):
                grader.grade(case, submission)
            now = held()
        finally:
            tracemalloc.stop()
    assert now[0] - memory < GROWN_BYTES
    assert now[1:] == (descriptors, threads)
