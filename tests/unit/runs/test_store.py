"""The run directory: what is on disk when, and under which names."""

from __future__ import annotations

import errno
import json
import os
import tarfile
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from unpacked import unpacked

from gradebox.graders.errors import RunRefused
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import CheckResult, Status, StepRecord, decide
from gradebox.graders.runs.evidence_log import LOG
from gradebox.graders.runs.saved_evidence import changes_of, steps_of
from gradebox.graders.runs.saved_run import read_run
from gradebox.graders.runs.store import RESULTS, Store
from gradebox.sandbox.types import Capture, Ending, Outcome

STARTED = datetime(2026, 1, 31, 14, 25, tzinfo=UTC)


def capture(data: bytes) -> Capture:
    return Capture(head=data, total_bytes=len(data), sha256=sha256(data).hexdigest())


def step(name: str, stdout: bytes = b"", stderr: bytes = b"", *, role: str = "check") -> StepRecord:
    outcome = Outcome(Ending.EXITED, 0, stdout=capture(stdout), stderr=capture(stderr))
    return StepRecord(role, name, ("true",), outcome, passed=True)


def graded(
    *steps: StepRecord, case: str = "case", submission: str = "work", own: tuple[StepRecord, ...] = ()
) -> Result:
    check = CheckResult("login", "code-grader", Status.PASSED, 1.0, 0.8, steps=steps)
    return Result("0123", case, submission, decide([check], threshold=0.8), STARTED, own_steps=own)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_verdict_is_on_disk_when_it_was_added(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "deep" / "runs", {"cases": (Path("a"),), "reference": False})
    store.add(graded(submission="first"))
    store.add(graded(submission="second"))
    found = lines(store.directory / RESULTS)
    assert [(line["submission"], line["run"], line["verdict"]) for line in found] == [
        ("first", store.id, "passed"),
        ("second", store.id, "passed"),
    ]
    store.close()
    record = json.loads((store.directory / "run.json").read_text())
    assert (record["id"], record["asked"]) == (store.id, {"cases": ["a"], "reference": False})
    assert record["version"]


def test_output_lies_beside_the_step_that_printed_it(tmp_path: Path) -> None:
    store = Store.create(tmp_path, {})
    store.add(graded(step("login", b"out\xff", b"err"), step("quiet"), own=(step("setup 1", b"made", role="setup"),)))
    store.close()
    directory = unpacked(store.directory) / "case" / "work"
    found = lines(directory / "steps.jsonl")
    assert [(line["check"], line["name"]) for line in found] == [
        (None, "setup 1"),
        ("login", "login"),
        ("login", "quiet"),
    ]
    assert (directory / "002-check-login.stdout").read_bytes() == b"out\xff"
    assert (directory / "002-check-login.stderr").read_bytes() == b"err"
    stdout = found[1]["stdout"]
    assert stdout == {
        "bytes": 4, "sha256": sha256(b"out\xff").hexdigest(), "omitted_bytes": 0, "file": "002-check-login.stdout",
    }  # fmt: skip
    assert sorted(path.name for path in directory.iterdir()) == [
        "001-setup-setup+1.stdout", "002-check-login.stderr", "002-check-login.stdout", "steps.jsonl",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["../../outside", "..", "/etc", "a\0b", "caf\udce9", "\ud800", "x" * 5000])
def test_no_name_leads_out_of_the_run_directory(tmp_path: Path, name: str) -> None:
    store = Store.create(tmp_path / "runs", {})
    store.add(replace(graded(step(name, b"out"), case=name, submission=name), target=name))
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]
    with tarfile.open(store.directory / LOG) as archive:
        assert all(name.startswith("evidence/") and ".." not in name.split("/") for name in archive.getnames())
    evidence = unpacked(store.directory)
    assert sorted(path.name for path in store.directory.iterdir()) == ["evidence", "lock", RESULTS, "run.json"]
    assert len(list(evidence.glob("*/*/*/steps.jsonl"))) == 1
    assert len(lines(store.directory / RESULTS)) == 1


def test_targets_of_one_submission_do_not_share_evidence(tmp_path: Path) -> None:
    store = Store.create(tmp_path, {})
    for target in ("one", "two"):
        store.add(replace(graded(step("login")), target=target))
    store.close()
    assert {path.parent.name for path in unpacked(store.directory).glob("case/work/*/steps.jsonl")} == {"one", "two"}


def test_a_place_that_cannot_be_written_is_said_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunRefused, match=r"cannot be written.*--runs"):
        Store.create(tmp_path / "file", {})


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a file that is always full")
def test_a_disk_that_is_full_is_said_and_the_directory_let_go_of(tmp_path: Path) -> None:
    store = Store.create(tmp_path, {})
    store.close()
    (store.directory / RESULTS).unlink()
    (store.directory / RESULTS).symlink_to("/dev/full")
    with (store.directory / "lock").open("ab") as lock:
        full = Store(store.directory, lock)
        with pytest.raises(RunRefused, match=r"A verdict cannot be written.*--resume"):
            full.add(graded())
        full.close()
        assert lock.closed


def test_evidence_is_that_of_the_last_grading(tmp_path: Path) -> None:
    store = Store.create(tmp_path, {})
    store.add(replace(graded(step("login", b"out"), step("more", b"out")), changes="-a"))
    store.add(replace(graded(step("login")), repeat=2))
    store.add(graded(step("login")))
    store.close()
    run = read_run(store.directory)
    first, second = run.verdicts.values()
    assert [(found.name, found.stdout.head) for found in steps_of(run, first)] == [("login", b"")]
    assert len(steps_of(run, second)) == 1
    assert changes_of(run, first) == ""


def test_runs_of_the_same_second_have_directories_of_their_own(tmp_path: Path) -> None:
    stores = [Store.create(tmp_path, {}) for _ in range(5)]
    for store in stores:
        store.close()
    assert len({store.directory for store in stores}) == 5


def test_where_there_are_no_locks_a_run_goes_on_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    assert Store.create(tmp_path, {}).locked
    monkeypatch.setattr("fcntl.flock", none)
    store = Store.create(tmp_path, {})
    store.add(graded())
    store.close()
    assert not Store.reopen(store.directory).locked


@pytest.mark.parametrize("name", [RESULTS, LOG, "lock", "run.json.new"])
def test_a_run_whose_files_lead_elsewhere_is_not_continued(tmp_path: Path, name: str) -> None:
    store = Store.create(tmp_path / "runs", {})
    store.close()
    own = store.directory / name
    own.unlink(missing_ok=True)
    (tmp_path / "other").write_text("precious")
    own.symlink_to(tmp_path / "other")
    with pytest.raises(RunRefused, match="is a link or not a regular file"):
        Store.reopen(store.directory)
    assert (tmp_path / "other").read_text() == "precious"
    own.unlink()
    os.mkfifo(own)
    with pytest.raises(RunRefused, match="is a link or not a regular file"):
        Store.reopen(store.directory)


def test_what_the_disk_does_not_take_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.create(tmp_path, {})
    store.add(graded(step("login", b"out")))
    before = {name: (store.directory / name).read_bytes() for name in (LOG, RESULTS)}

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        with pytest.raises(RunRefused, match="No space left"):
            store.add(graded(step("login", b"out"), submission="other"))
    assert {name: (store.directory / name).read_bytes() for name in (LOG, RESULTS)} == before
    store.add(graded(step("login", b"more"), submission="third"))
    store.close()
    run = read_run(store.directory)
    assert sorted(steps_of(run, one)[0].stdout.head for one in run.verdicts.values()) == [b"more", b"out"]


@pytest.mark.parametrize("torn", [b"", b"{", b"\0" * 200_000, b'{"id": "half'])
@pytest.mark.parametrize("whole", [0, 3])
def test_what_a_crash_left_at_the_end_is_cut_off(tmp_path: Path, torn: bytes, whole: int) -> None:
    store = Store.create(tmp_path, {})
    for number in range(whole):
        store.add(graded(case=f"case-{number}"))
    store.close()
    results = store.directory / RESULTS
    data = results.read_bytes()
    results.write_bytes(data + torn)
    Store.reopen(store.directory).close()
    assert results.read_bytes() == data
