"""A folder of submissions is not one submission."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders.cases import load
from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.model.submission import Submission
from gradebox.graders.runs import submission_folder
from gradebox.graders.runs.request import Request
from gradebox.graders.runs.submission_folder import refuse_folder, with_hand_ins

CASE = 'image: image\nassertions: [{name: it, type: code-grader, command: ["check"]}]\n'


def test_a_folder_of_submissions_is_refused_where_it_is_the_only_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"a/case.yaml": CASE, "b/case.yaml": CASE, "b/workspace/x": "", "one/x": "1"})
    write(tmp_path, {"handins/x": "1", "handins/anna/x": "1", "handins/broken.zip": "PK\3\4"})
    with zipfile.ZipFile("handins/ben.zip", "w") as archive:
        archive.writestr("x", "1")
    knowing, without = (load(Path(name)).cases for name in "ba")
    with pytest.raises(SubmissionRefused) as refused:
        refuse_folder(knowing, ("handins/",))
    assert str(refused.value) == (
        "handins is a folder of submissions: x, anna, ben.zip fit the case b by themselves. Did you mean -s handins/*?"
    )
    # No case knows what lies there; it is one of several; it is one submission; it is none.
    refuse_folder(without, ("handins",))
    refuse_folder(knowing, ("handins", "one"))
    refuse_folder(knowing, ("one",))
    refuse_folder(knowing, ("handins/ben.zip",))
    refuse_folder(knowing, ())


def test_a_class_that_lies_one_directory_too_deep_is_found(tmp_path: Path) -> None:
    write(tmp_path, {"b/case.yaml": CASE, "b/workspace/x": ""})
    write(tmp_path, {"deep/class/anna/x": "1", "deep/class/ben/hw/x": "1", "deep/.DS_Store": "", "one/anna/x": "1"})
    cases = load(tmp_path / "b").cases

    def names(folder: str, strip: int | None = None) -> list[str]:
        request = Request(cases=(), folder=tmp_path / folder, strip=strip)
        found = with_hand_ins(request, cases)
        assert list(found.submissions) == [one.path for one in found.hand_ins]
        return [one.name for one in found.hand_ins]

    assert names("deep") == names("deep", 1) == names("deep/class") == ["anna", "ben"]
    assert names("deep", 0) == ["class"]
    assert names("one") == ["anna"]
    assert with_hand_ins(Request(cases=()), cases) == Request(cases=())


def test_an_archive_is_unpacked_once_for_all_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = {f"{name}/case.yaml": CASE for name in "abc"} | {f"{name}/workspace/x": "" for name in "abc"}
    write(tmp_path, {**cases, "handins/anna/x": "1"})
    with zipfile.ZipFile(tmp_path / "handins" / "ben.zip", "w") as archive:
        archive.writestr("y", "1")
    read: list[str] = []
    real = submission_folder.read_submission

    def counted(path: Path) -> Submission:
        read.append(path.name)
        return real(path)

    monkeypatch.setattr(submission_folder, "read_submission", counted)
    refuse_folder([load(tmp_path / name).cases[0] for name in "abc"], (str(tmp_path / "handins"),))
    assert read == ["handins", "ben.zip"]
