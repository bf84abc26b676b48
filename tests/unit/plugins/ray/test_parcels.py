"""What crosses arrives as it was, by the hashes that decide what a verdict is of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from world import World

from gradebox.graders.errors import SubmissionRefused, UsageRefused
from gradebox.graders.grading.fingerprint import case_key
from gradebox.graders.grading.grader import Grader
from gradebox.graders.grading.prepare import read_files
from gradebox.graders.grading.task import load_case
from gradebox.graders.model.submission import Submission, digest
from gradebox.graders.model.verdict import OwnDetails
from gradebox.graders.submissions.packed_submission import unpacked
from gradebox.graders.submissions.source import read_submission
from gradebox.plugins.ray import parcels


def crossed(submission: Submission) -> Submission:
    return unpacked(*parcels.packed_submission(submission))


def test_a_directory_arrives_with_modes_links_and_odd_names(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/run").write_bytes(b"\0\xff")
    (tmp_path / "bin/run").chmod(0o755)
    (tmp_path / "link").symlink_to("/etc/passwd")
    Path(f"{tmp_path}/odd\udcff").write_text("x")
    submission = read_submission(tmp_path)
    assert digest(crossed(submission)) == digest(submission)
    assert crossed(submission).tree.entries.keys() == submission.tree.entries.keys()


def test_a_diff_an_answer_and_a_transcript_arrive(tmp_path: Path) -> None:
    (tmp_path / "a.diff").write_bytes(b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\xff\n+b\n")
    (tmp_path / "b.md").write_text("Of course.\n```python\nx = 1\n```\n")
    (tmp_path / "c.jsonl").write_text('{"role": "user", "content": "hi"}\n{"role": "assistant", "content": "ho"}\n')
    for path in tmp_path.iterdir():
        submission = read_submission(path)
        assert crossed(submission) == submission


def test_a_submission_that_is_too_large_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parcels, "MAX_BYTES", 3)
    with pytest.raises(SubmissionRefused, match="the most that can be sent"):
        parcels.packed_submission(read_submission(_directory_of("four")))


def _directory_of(text: str) -> Path:
    Path("work").mkdir()
    Path("work/file").write_text(text)
    return Path("work")


@pytest.fixture(autouse=True)
def _somewhere(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("here"))


def test_a_case_is_the_same_where_its_files_were_laid_down(tmp_path: Path) -> None:
    World().write("a/workspace/x", "1")
    World().write("a/submissions/large", "not read to grade")
    Path("a/workspace/x").chmod(0o664)
    case = load_case("a")
    parcels.lay_down(parcels.case_files([Path("a")], [case]), tmp_path)
    there = load_case(tmp_path / str(Path("a").absolute()).lstrip("/"))
    assert case_key(there, read_files(there)) == case_key(case, read_files(case))
    assert not list(tmp_path.rglob("submissions"))


def test_cases_that_are_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    World()
    monkeypatch.setattr(parcels, "MAX_BYTES", 3)
    with pytest.raises(UsageRefused, match="can be sent at most"):
        parcels.case_files([Path("a")], [load_case("a")])


def test_a_result_arrives_with_its_evidence() -> None:
    with Grader(engine=FakeEngine(World())) as grader:
        result = grader.grade("a", "work/one")
    check = replace(result.verdict.checks[0], details=OwnDetails(tests=["\ud800"]))
    result = replace(result, verdict=replace(result.verdict, checks=(check,)))
    found = parcels.unpacked_result(parcels.packed_result(result))
    assert isinstance(found.verdict.checks[0].details, OwnDetails)
    assert found.verdict.checks[0].steps == result.verdict.checks[0].steps
    assert found.outcomes is not None
    assert result.outcomes is not None
    assert found.outcomes.plan_hashes == result.outcomes.plan_hashes
    assert (found.id, found.content, found.started) == (result.id, result.content, result.started)


@pytest.mark.parametrize("data", [b"", b"{}", b"[{}]", b"\x80\x04K\x01."])
def test_what_is_no_result_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any of pydantic's
        parcels.unpacked_result({"result": data, "outcomes": None, "own_details": []})


def test_a_result_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parcels, "MAX_BYTES", 3)
    with pytest.raises(ValueError, match="read at most"):
        parcels.unpacked_result({"result": b"four", "outcomes": None, "own_details": []})
