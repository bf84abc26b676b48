"""A folder of submissions is not one submission."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders.cases import load
from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.runs.submission_folder import refuse_folder

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
