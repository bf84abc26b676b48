"""A process that grades on a real engine holds no more connections and threads after many sandboxes than after some."""

from __future__ import annotations

import gc
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders import Grader, Status
from gradebox.sandbox.engines.docker.http_client import HttpClient

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
        for _ in range(12):
            assert grader.grade(tmp_path / "case").verdict.status is Status.PASSED
            counts.append(held())
    # Idle connections are kept, but not ever more.
    assert max(counts[6:]) <= max(counts[:6])
    assert held() == before


def test_no_archive_is_exchanged_with_a_container_in_which_a_candidate_has_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine runs archive calls as root, in the file system of the container: programs there may lie in wait."""
    sent: list[tuple[str, str]] = []
    answer = HttpClient._answer

    def record(self: HttpClient, method: str, path: str, *more: Any, **others: Any) -> Any:
        sent.append((method, path))
        return answer(self, method, path, *more, **others)

    monkeypatch.setattr(HttpClient, "_answer", record)
    (tmp_path / "case" / "workspace").mkdir(parents=True)
    (tmp_path / "case" / "workspace" / "made.txt").write_text("made")
    (tmp_path / "case" / "case.yaml").write_text(CASE)
    with Grader() as grader:
        assert grader.grade(tmp_path / "case").verdict.status is Status.PASSED
    container = re.compile(r".*/containers/(?!create)([^/?]+)")
    started = {found[1] for method, path in sent if path.endswith("/start") and (found := container.match(path))}
    copied = {found[1] for _, path in sent if "/archive" in path and (found := container.match(path))}
    assert started
    assert not started & copied
    assert not any("/export" in path or "/exec" in path or "/copy" in path for _, path in sent)


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
