"""Which path is suggested for one that leads nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.cases.load import load
from gradebox.graders.documents.suggest import closest, did_you_mean, misspelt, suggestion
from gradebox.graders.errors import RunRefused, SubmissionRefused
from gradebox.graders.runs.saved_run import read_run
from gradebox.graders.submissions.source import read_submission


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    for name in ("exits-zero", "reference", "x"):
        (tmp_path / name).mkdir()
    return tmp_path


def test_the_nearest_name_beside_it_is_suggested(directory: Path) -> None:
    assert did_you_mean(directory / "exit-zero") == f"Did you mean {directory / 'exits-zero'}?"


@pytest.mark.parametrize("name", ["nothing-alike", "reference", "nowhere/reference"])
def test_nothing_is_suggested_where_nothing_is_near(directory: Path, name: str) -> None:
    assert did_you_mean(directory / name) is None


@pytest.mark.parametrize(
    ("written", "known", "meant"),
    [
        ("checks", ("assertions", "criteria", "cwd"), "assertions"),
        ("prompt", ("protect", "input", "output"), "input"),
        ("timeout", ("timeout_seconds", "timeouts"), "timeout_seconds"),
        ("Time-Limit", ("timeout_seconds", "limits"), "timeout_seconds"),
        ("treshold", ("threshold", "teardown"), "threshold"),
        # Where the other word is not a key, similarity decides.
        ("prompt", ("protect", "promt"), "promt"),
    ],
)
def test_a_synonym_is_known_where_the_key_is(written: str, known: tuple[str, ...], meant: str) -> None:
    assert suggestion(written, known) == f"Did you mean `{meant}`?"


def test_cases_submissions_and_runs_are_suggested(directory: Path) -> None:
    missing, wanted = directory / "referense", f"Did you mean {directory / 'reference'}?"
    (told,) = load(missing).diagnostics
    assert told.hint == wanted
    with pytest.raises(SubmissionRefused) as refused:
        read_submission(missing)
    assert refused.value.remedy == wanted
    with pytest.raises(RunRefused) as no_run:
        read_run(missing)
    assert no_run.value.remedy == wanted


def test_paths_that_cases_and_suites_write_are_suggested(directory: Path) -> None:
    wanted = f"Did you mean {directory / 'reference'}?"
    for name, text in (("EVAL.yaml", "tests: ./refrence/\n"), ("case.yaml", "id: a\nworkspace: refrence\n")):
        (directory / name).write_text(text)
        assert wanted in [told.hint for told in load(directory / name).diagnostics]


def test_of_a_directory_of_runs_the_newest_is_named(directory: Path) -> None:
    for name in ("20260131-142501-3f9c2a", "20260201-000000-000000"):
        (directory / name).mkdir()
        (directory / name / "run.json").write_text("{}")
    with pytest.raises(RunRefused) as refused:
        read_run(directory)
    assert refused.value.remedy == f"The newest run in it is {directory / '20260201-000000-000000'}."


@pytest.mark.parametrize(
    ("written", "intended"),
    [("wieght", "weight"), ("Min-Score", "min_score"), ("cmd", "command"), ("timeo", "timeout_seconds"), ("qqq", None)],
)
def test_the_known_name_that_is_probably_intended(written: str, intended: str | None) -> None:
    assert closest(written, ["weight", "min_score", "command", "timeout_seconds", "cwd"]) == intended


def test_a_suggestion_is_one_name_or_the_names_that_exist() -> None:
    assert suggestion("wieght", ["weight", "name"]) == "Did you mean `weight`?"
    assert suggestion("qqq", ["weight", "name"]) == "Known here: `name`, `weight`."
    assert suggestion("qqq", []) == ""
    assert suggestion("q", [f"name-{number:02}" for number in range(50)]).endswith("`name-39`, ....")


@pytest.mark.parametrize(
    ("written", "sure"),
    [
        ("wieght", True),
        ("cmd", True),
        ("timeout", True),
        ("timeout_second", True),
        ("expect_edited", False),
        ("require_metrics", False),
        ("tone", False),
    ],
)
def test_a_slip_of_the_pen_is_told_from_a_key_of_the_authors_own(written: str, *, sure: bool) -> None:
    known = ("command", "cwd", "expect", "required", "timeout_seconds", "weight")
    assert misspelt(written, known) is sure
