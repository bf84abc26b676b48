"""Formats of reports are found by their modules and by entry points, and a report replaces the old one as a whole."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fabricated import many, write

from gradebox.graders.documents import plugins
from gradebox.graders.errors import GraderError, RunRefused, UsageRefused
from gradebox.graders.reports import html_report
from gradebox.graders.reports.report_formats import (
    ReportFile,
    check_places,
    formats,
    load_format,
    parse_report_options,
    save_report,
)
from gradebox.graders.runs.saved_run import SavedRun


@pytest.fixture
def run(tmp_path: Path) -> SavedRun:
    return write(tmp_path / "runs", many(2))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory of other distributions."""
    place = tmp_path / "site"
    info = place / "names-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: names\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[gradebox.reports]\nnames = names_only\nnames-too = names_only:report\nbroken = names_only:__doc__\n"
        "html = names_only\n"
    )
    (place / "names_only.py").write_text(
        "def report(run):\n    for verdict in run.verdicts.values():\n        yield verdict.case + '\\n'\n"
    )
    monkeypatch.syspath_prepend(place)
    plugins._found.cache_clear()
    plugins._entry_points.cache_clear()
    yield place
    plugins._found.cache_clear()
    plugins._entry_points.cache_clear()
    sys.modules.pop("names_only", None)


def test_the_formats_are_the_report_modules_of_the_package_and_those_of_plugins() -> None:
    named = "agentevals agentv candidate csv gradebook html json junit leaderboard leaderboard_csv markdown text"
    assert list(formats()) == named.split()
    modules = {path.stem for path in Path(html_report.__file__).parents[1].glob("*_report*")}
    beside = {"leaderboard", "leaderboard_csv"}
    assert modules == {f"{name}_report" for name in formats() if name not in beside}
    assert load_format("html") is html_report.report


def test_a_format_is_imported_when_it_is_used() -> None:
    code = (
        "import sys; from gradebox.graders.reports.report_formats import formats; formats(); "
        "print([name for name in sys.modules if name.endswith('_report') or name.split('.')[0] in ('rich', 'jinja2')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_another_distribution_adds_a_format(site: Path, run: SavedRun) -> None:
    assert {"names", "names-too"} < set(formats())
    expected = [f"{verdict.case}\n" for verdict in run.verdicts.values()]
    assert list(load_format("names")(run)) == list(load_format("names-too")(run)) == expected
    save_report(run, "names", site / "report")
    assert (site / "report").read_text() == "".join(expected)


@pytest.mark.usefixtures("site")
def test_no_distribution_replaces_a_format_of_ours_and_a_broken_one_is_named() -> None:
    assert load_format("html") is html_report.report
    with pytest.raises(GraderError, match="The report format broken of the distribution names has no function"):
        load_format("broken")


@pytest.mark.parametrize(
    ("word", "message"),
    [("pdf=x", "There is no report format pdf."), ("json", "takes FORMAT=PATH"), ("json=", "takes FORMAT=PATH")],
)
def test_words_that_are_no_report_are_refused(word: str, message: str) -> None:
    with pytest.raises(UsageRefused, match=message):
        parse_report_options([word])


def test_a_path_may_have_an_equals_sign() -> None:
    assert parse_report_options(["csv=a=b.csv", "html=x"]) == (
        ReportFile("csv", Path("a=b.csv")),
        ReportFile("html", Path("x")),
    )


def test_places_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    check_places([ReportFile("csv", tmp_path / "file"), ReportFile("csv", tmp_path / "new" / "file")])
    for place, reason in ((tmp_path, "Is a directory"), (tmp_path / "file" / "x", "Not a directory")):
        with pytest.raises(UsageRefused, match=reason):
            check_places([ReportFile("csv", place)])


def test_a_report_that_fails_leaves_the_old_one(tmp_path: Path, run: SavedRun, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "report"
    place.write_text("old")

    def full(_: SavedRun) -> Iterator[str]:
        yield "half"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gradebox.graders.reports.csv_report.report", full)
    with pytest.raises(RunRefused, match="cannot be written: No space left"):
        save_report(run, "csv", place)
    assert place.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report", "runs"]
