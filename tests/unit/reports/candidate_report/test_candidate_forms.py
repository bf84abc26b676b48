"""Nothing hidden is in any byte of what candidates read, in whatever form they read it."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from hidden_case import COUNT, MARKER, marker, tells_everything, write_hidden_case
from world import the_run

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.reports.candidate_report.candidate_forms import FORMS
from gradebox.graders.reports.report_formats import formats
from gradebox.sandbox.engines import docker

REPORTS = ("candidate=out/pages", "markdown=out/report.md", "junit=out/junit.xml", "text=out/report.txt")


@pytest.fixture(autouse=True)
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = FakeEngine(tells_everything)
    monkeypatch.setattr(docker, "connect", lambda *_: engine)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "out/summary.md")
    Path("out").mkdir()
    write_hidden_case(tmp_path)


def graded(*more: str) -> ExitCode:
    reports = [word for report in REPORTS for word in ("--report", report)]
    return run(["-c", "hidden", "-s", "anna.md", "--audience", "candidate", *reports, *more])


def files_of_run() -> Iterator[str]:
    for path in Path("out").rglob("*"):
        yield str(path)
        if path.is_file():
            yield path.read_text()


def found(texts: Iterator[str]) -> set[str]:
    return {one for text in texts for one in MARKER.findall(text)}


def test_no_marker_is_in_any_output_for_candidates(capsys: pytest.CaptureFixture[str]) -> None:
    assert graded() == ExitCode.FAILED
    printed = capsys.readouterr()
    texts = [*files_of_run(), printed.out, printed.err]
    assert found(iter(texts)) == set()
    # It is the page of this submission, and what is visible is there.
    page = Path("out/pages/anna.html").read_text()
    for shown in ("sums", "sample", "seen input", "seen output", "seen-grader", "seen-word", "seen source", "tests"):
        assert shown in page, shown
    for name in ("out/report.md", "out/junit.xml", "out/summary.md"):
        assert "seen-grader" in html.unescape(Path(name).read_text()), name
    assert "seen-grader" in printed.out
    assert "::error" in printed.err


def test_every_marker_is_known_to_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Otherwise it would be no wonder that candidates do not see it."""
    graded()
    known = {marker(number) for number in range(1, COUNT + 1)}
    assert len(known) >= 40
    of_case = found(path.read_text() for path in Path("hidden").rglob("*") if path.is_file())
    assert of_case == known
    run(["show", str(the_run()), "hidden"])
    for form in ("json", "text", "markdown", "junit"):
        run(["report", str(the_run()), "-f", form])
    # Authors see them, but for words that nothing says in a run: notes, descriptions and so on.
    seen_by_authors = found(iter([capsys.readouterr().out]))
    assert len(seen_by_authors) >= 25


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_a_report_made_later_hides_the_same(form: str, after: bool, capsys: pytest.CaptureFixture[str]) -> None:
    graded("-q")
    capsys.readouterr()
    words = ["report", str(the_run()), "-f", form, "--audience", "candidate", *(["--after"] if after else [])]
    assert run(words) == ExitCode.PASSED
    # What is visible afterwards is a check with its reason, which names the value.
    assert found(iter([capsys.readouterr().out])) == ({marker(37), marker(38)} if after else set())


@pytest.mark.parametrize("form", sorted(set(formats()) - set(FORMS)))
def test_every_other_format_is_refused_to_candidates(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    graded("-q")
    assert run(["report", str(the_run()), "-f", form, "--audience", "candidate"]) == ExitCode.USAGE
    assert run(["report", str(the_run()), "-f", form, "--audience", "candidate", "-o", "out/x"]) == ExitCode.USAGE
    assert not Path("out/x").exists()
    assert "for candidates" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--json", "-v"])
def test_what_shows_everything_is_refused(option: str) -> None:
    assert graded(option) == ExitCode.USAGE


def test_a_case_that_is_refused_is_not_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    path = Path("hidden/case.yaml")
    path.write_text(path.read_text().replace("name: sums", f"nam: {marker(1)}\n    name: sums"))
    assert graded() == ExitCode.USAGE
    assert found(iter([capsys.readouterr().err])) == set()


def test_the_json_has_nothing_but_what_is_shown() -> None:
    graded("-q")
    (result,) = json.loads(Path("out/pages/anna.json").read_text())["results"]
    checks = {check["name"]: check for check in result["checks"]}
    assert list(checks) == ["sums", "tests", "together", "seen-grader", "items", "word", "both", "opinion"]
    assert (checks["sums"]["verdict"], checks["sums"]["of"], checks["sums"]["hidden_tests"]) == ("failed", 1.0, 1)
    assert checks["together"]["withheld"].startswith("Output is withheld")
    assert (checks["together"]["message"], checks["together"]["output"]) == ("", "")
    assert "seen-word" in checks["seen-grader"]["output"]
    assert result["hidden_checks"] == 6
