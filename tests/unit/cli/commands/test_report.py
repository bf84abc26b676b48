"""Reports of runs that are over: which formats, where to, and what they are safe against."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from pathlib import Path

import pytest
from fake_engine import FakeEnd, FakeRun
from world import CHECK, World, the_run

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.reports.report_formats import formats


@pytest.fixture
def directory(world: World) -> Path:
    world.act = lambda ran: FakeEnd(exit_code=len(ran.files["answer"]) % 2, stdout=b"said\x1b[31m")
    run([*world.arguments, "-q"])
    return the_run()


@pytest.mark.parametrize("form", [form for form in formats() if form != "html"])
def test_a_report_is_printed_or_written(directory: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    capsys.readouterr()
    assert run(["report", str(directory), "-f", form]) == ExitCode.PASSED
    printed = capsys.readouterr().out
    assert run(["report", str(directory), "-f", form, "-o", "deep/report"]) == ExitCode.PASSED
    # A run directory of AgentV is printed as its index, and what candidates see as a line for each.
    place = Path("deep/report/index.jsonl" if form == "agentv" else "deep/report")
    files = sorted(place.glob("*.json")) if form == "candidate" else [place]
    written = "".join(file.read_bytes().decode() for file in files)
    assert sorted(written.splitlines()) == sorted(printed.splitlines())
    assert [path.name for path in Path("deep").iterdir()] == ["report"]
    # No verdict of this run is of a definition.toml.
    assert form.startswith("leaderboard") or all(name in printed for name in ("one", "two", "three", "four"))
    assert "\x1b" not in printed


@pytest.mark.parametrize("form", ["csv", "markdown", "html"])
def test_a_report_that_is_printed_has_the_encoding_of_its_format(
    world: World, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    world.write("a/case.yaml", CHECK.replace("{type", "{name: größe, required: true, type"))
    run(["-c", "a", "-s", "work/two", "-q"])
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="backslashreplace")
    monkeypatch.setattr(sys, "stdout", stdout)
    run(["report", str(the_run()), "-f", form])
    stdout.flush()
    printed = stdout.buffer.getvalue().decode()  # type: ignore[attr-defined] # It is in memory.
    monkeypatch.undo()
    assert "größe" in printed
    assert "\\x" not in printed


def test_the_json_report_has_every_verdict(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    run(["report", str(directory), "-f", "json"])
    found = json.loads(capsys.readouterr().out)
    assert found["run"] == directory.name
    assert len(found["verdicts"]) == 12
    assert sum(found["counts"].values()) == 12


def test_what_is_no_file_is_written_into_and_not_replaced(directory: Path) -> None:
    Path("deep").mkdir()
    Path("deep/link").symlink_to("file")
    os.mkfifo("deep/pipe")
    reader = os.open("deep/pipe", os.O_RDONLY | os.O_NONBLOCK)
    for place in ("deep/link", "deep/pipe"):
        assert run(["report", str(directory), "-f", "markdown", "-o", place]) == ExitCode.PASSED
    assert os.read(reader, 1 << 16).startswith(b"## gradebox")
    os.close(reader)
    assert Path("deep/file").read_text().startswith("## gradebox")
    assert Path("deep/link").is_symlink()
    assert Path("deep/pipe").is_fifo()


@pytest.mark.parametrize("place", ["full", "file/report", "full/deep/report", "a" * 300])
def test_a_place_where_no_report_can_be_is_refused_before_anything_is_graded(
    world: World, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    world.write("file", "")
    Path("full").mkdir()
    if place.startswith("full/"):
        Path("full").rmdir()
        Path("full").symlink_to("file")
    assert run([*world.arguments, "--report", f"csv={place}"]) == ExitCode.USAGE
    assert "cannot be written" in capsys.readouterr().err
    assert (world.graded, Path("runs").exists()) == (0, False)


def test_a_report_that_is_lost_in_the_end_costs_nothing_else(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    act = world.act

    def full(ran: FakeRun) -> FakeEnd:
        Path("lost").mkdir(exist_ok=True)
        return act(ran)

    world.act = full
    arguments = [*world.arguments, "--report", "csv=lost", "--report", "json=kept", "--exit-zero"]
    assert run(arguments) == ExitCode.NOT_GRADED
    told = capsys.readouterr().err
    assert f"run directory: {the_run()}" in told
    assert "json report: kept" in told
    assert "csv report" not in told
    assert "The report lost cannot be written: Is a directory." in told
    assert f"`grade report {the_run()} -f csv -o FILE` writes it elsewhere." in told
    assert len(json.loads(Path("kept").read_text())["verdicts"]) == 12


@pytest.mark.parametrize("name", ["=1+1", " =1+1", "+1", "-1", "@SUM(A1)"])
def test_no_cell_of_a_table_is_a_formula(world: World, capsys: pytest.CaptureFixture[str], name: str) -> None:
    world.write(f"work/{name}/answer", "right")
    run(["-c", "a", "-s", f"work/{name}", "-q"])
    capsys.readouterr()
    run(["report", str(the_run()), "-f", "csv"])
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert row["submission"] == f"'{name}"
    assert (row["case"], row["verdict"], row["score"]) == ("a", "passed", "1.0")


def test_reports_are_written_at_the_end_of_a_run(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run(["-c", "a", "--report", "json=out/run.json", "--report", "csv=out/run.csv"])
    assert json.loads(Path("out/run.json").read_text())["counts"] == {"failed": 1}
    assert "csv report: out/run.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "RUN", "-f", "pdf"], "There is no report format pdf"),
        (["-c", "a", "--report", "pdf=x"], "There is no report format pdf"),
        (["-c", "a", "--report", "json"], "--report takes FORMAT=PATH"),
        (["report", "RUN", "-f", "csv", "-o", "a/case.yaml/x"], "cannot be written"),
        (["report", "a"], "is not a run directory"),
        (["show", "RUN", "ab"], "The run has no case ab. Did you mean"),
        (["show", "RUN", "a", "-s", "nobody"], "has no submission nobody of a"),
        (["show", "RUN", "a", "-s", "thrre"], "Did you mean `three`?"),
        (["show", "RUN", "a", "-s", "t"], "The submission t is ambiguous: two, three. Write one of them in full."),
        (["show", "RUN", "a", "--target", "gpt"], "has no target gpt of a. It has no targets at all."),
        (["show", "RUN", "a", "--repeat", "2"], "has no repeat 2 of a. It has 1."),
    ],
)
def test_what_makes_no_sense_is_said(
    directory: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert run([str(directory) if word == "RUN" else word for word in arguments]) == ExitCode.USAGE
    assert message in " ".join(capsys.readouterr().err.split())


def test_a_report_is_opened_on_request(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []

    def open_(address: str) -> bool:
        opened.append(address)
        return len(opened) == 1

    monkeypatch.setattr("webbrowser.open", open_)
    place = tmp_path / "report.html"
    arguments = ["report", str(directory), "-f", "html"]
    assert run([*arguments, "--open"]) == ExitCode.USAGE
    assert run([*arguments, "-o", str(place), "--open"]) == ExitCode.PASSED
    assert opened == [place.as_uri()]
    capsys.readouterr()
    assert run([*arguments, "-o", str(place), "--open"]) == ExitCode.PASSED
    assert "no browser" in capsys.readouterr().err
