"""A run directory that is read."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gradebox.graders.errors import RunRefused
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import CheckResult, Status, StepRecord, decide
from gradebox.graders.runs.saved_run import read_run
from gradebox.graders.runs.store import RESULTS, Store

STARTED = datetime(2026, 1, 31, 14, 25, tzinfo=UTC)


def graded(
    *steps: StepRecord, case: str = "case", submission: str = "work", own: tuple[StepRecord, ...] = ()
) -> Result:
    check = CheckResult("login", "code-grader", Status.PASSED, 1.0, 0.8, steps=steps)
    return Result("0123", case, submission, decide([check], threshold=0.8), STARTED, own_steps=own)


def test_verdicts_that_are_not_kept_in_memory_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.create(tmp_path, {})
    for number in (1, 2, 3, 2):
        store.add(replace(graded(case=f"case-{number}"), id=f"{number}", number=number))
    store.add(replace(graded(case="case-1"), id="new", number=1))
    store.close()
    kept = dict(read_run(store.directory).verdicts)
    monkeypatch.setattr("gradebox.graders.runs.saved_run._KEPT_BYTES", 1)
    read = read_run(store.directory).verdicts
    assert dict(read) == kept
    assert [verdict.id for verdict in read.values()] == ["new", "2", "3"]
    light = read_run(store.directory, light=True).verdicts
    assert dict(light) == kept
    (store.directory / RESULTS).unlink()
    with pytest.raises(RunRefused, match="cannot be read: No such file"):
        dict(light)


def test_verdicts_of_one_number_with_and_without_a_target_are_read(tmp_path: Path) -> None:
    store = Store.create(tmp_path, {})
    for target in (None, "a"):
        store.add(replace(graded(), target=target))
    store.close()
    assert len(read_run(store.directory).verdicts) == 2


def test_a_run_of_another_version_says_so(tmp_path: Path) -> None:
    store = Store.create(tmp_path, {})
    store.add(graded())
    store.close()
    assert read_run(store.directory).other_version == ""
    record, results = store.directory / "run.json", store.directory / RESULTS
    record.write_text(json.dumps(json.loads(record.read_text()) | {"version": "0.0.1"}))
    assert read_run(store.directory).other_version == "0.0.1"
    results.write_bytes(results.read_bytes().replace(b'"case"', b'"kase"'))
    with pytest.raises(RunRefused, match=r"is not a verdict.*\n?.*gradebox 0\.0\.1 started this run, and this is"):
        read_run(store.directory)
