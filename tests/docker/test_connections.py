"""A process that grades on a real engine holds no more connections and threads after many sandboxes than after some."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

from graders import Grader, Status

CASE = "assertions: [{name: one, type: code-grader, command: ['true'], required: true}]\n"


def held() -> tuple[int, int]:
    gc.collect()
    return sum(1 for _ in Path("/proc/self/fd").iterdir()), threading.active_count()


def test_gradings_leave_no_connection_and_no_thread(tmp_path: Path) -> None:
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "case.yaml").write_text(CASE)
    before = held()
    with Grader() as grader:
        counts = []
        for _ in range(20):
            assert grader.grade(tmp_path / "case").verdict.status is Status.PASSED
            counts.append(held())
    # Idle connections are kept, but not ever more.
    assert max(counts[10:]) <= max(counts[:10])
    assert held() == before


def test_threads_that_end_take_their_connections_with_them(tmp_path: Path) -> None:
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "case.yaml").write_text(CASE)
    with Grader() as grader:
        grader.grade(tmp_path / "case")
        before = held()
        for _ in range(5):
            one = threading.Thread(target=grader.grade, args=(tmp_path / "case",))
            one.start()
            one.join()
        assert held() == before
