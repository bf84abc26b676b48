"""GitHub Actions: annotations, the summary of the step, and that nothing that is quoted is ever a command."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest
from fabricated import capture, check, graded, hostile, step, write
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.cli import main as cli
from gradebox.graders.model.case import Place
from gradebox.graders.reports import ci_log, github
from gradebox.graders.reports.ci_log import InertLog, commands_stopped, harmless_streams
from gradebox.graders.reports.escaping import inert

# As the runner reads a line, whatever it does with the command: the new form after blanks, the old one anywhere.
OLD = re.compile(r"##(?:vso|teamcity)?\[([^\]\s]*)[^\]]*\]?")
# Beginnings of commands, in pieces.
PARTS = st.sampled_from(["::", ":", "error", "::error::x", "##", "#", "[", "##[error]", "vso[", "]", " ", "\t", "\n",
                         "\r", "\x85", "\u00a0", "\u2028", "\x1c", "x", '{"a": "'])  # fmt: skip


def commands(text: str) -> list[str]:
    """Return what a runner would take for commands."""
    return [line for line in re.split(r"\r\n|\r|\n", text) if line.lstrip().startswith("::") or OLD.search(line)]


@given(st.lists(PARTS, max_size=12))
def test_no_command_is_left_however_it_is_written(pieces: list[str]) -> None:
    raw = io.BytesIO()
    log = InertLog(io.TextIOWrapper(raw, encoding="utf-8", newline=""))
    for piece in pieces:
        log.write(piece)
        log.flush()
    log.finish()
    written = raw.getvalue().decode()
    assert not commands(written)
    assert written.replace("\\u0023", "#").replace("\\u003a", ":").replace("\r\n", "\n") == "".join(pieces).replace(
        "\r\n", "\n"
    )


@given(st.lists(PARTS).map("".join))
def test_json_stays_the_same_json(text: str) -> None:
    line = json.dumps({text: text}) + "\n"
    assert not commands(inert(line))
    assert json.loads(inert(line)) == {text: text}


def test_a_command_of_ours_has_a_line_of_its_own() -> None:
    raw = io.BytesIO()
    log = InertLog(io.TextIOWrapper(raw, encoding="utf-8"))
    log.write("half a line")
    log.command("::notice::x")
    log.write("##[error]y")
    log.finish()
    assert raw.getvalue() == b"half a line\n::notice::x\n#\\u0023[error]y"


def test_quoting_is_stopped_and_resumed_with_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(raw, encoding="utf-8"))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    tokens = set()
    for _ in range(2):
        with harmless_streams(), commands_stopped():
            print("::error::quoted", file=sys.stderr)
        first, quoted, last = raw.getvalue().decode().splitlines()[-3:]
        assert quoted == "\\u003a:error::quoted"
        assert last == f"::{first.removeprefix('::stop-commands::')}::"
        tokens.add(last)
    assert len(tokens) == 2


def test_annotations_name_the_case_and_no_more_than_ten_of_a_kind(tmp_path: Path) -> None:
    verdicts = [graded(f"bad{n}", check("t", 0.0, "50% wrong", required=True)) for n in range(12)]
    verdicts += [graded(f"odd{n}", check("t", None, "no judge")) for n in range(11)]
    run = write(tmp_path / "runs", [*verdicts, graded("good", check("t", 1.0))])
    places = {"bad0": Place(tmp_path / "repo/cases/a,b:c/case.yaml", 7), "bad1": Place(Path("/elsewhere/case.yaml"), 3)}
    lines = list(github.annotated(run, places, tmp_path / "repo"))
    assert [line.split()[0] for line in lines] == ["::error"] * 10 + ["::warning"] * 10 + ["::notice"]
    assert lines[0].startswith("::error title=bad0%3A failed,file=cases/a%2Cb%3Ac/case.yaml,line=7::")
    assert "50%25 wrong" in lines[0]
    assert "file=" not in lines[1]
    assert lines[-1] == f"::notice title=gradebox::1 passed, 12 failed, 11 could not be graded. Run {run.id}."


def test_a_hostile_submission_adds_no_command_to_ours(tmp_path: Path) -> None:
    name = "x\n::error::forged\r::add-mask::y%0A::notice::z##[error]"
    bad = check("t", 0.0, name, step(name, name, stdout=capture(name.encode())), required=True)
    for line in github.annotated(write(tmp_path, [graded(name, bad, submission=name), hostile()]), {}, tmp_path):
        assert len(commands(line)) == 1
        assert not OLD.search(line)
        # As the runner takes it apart.
        head, _, data = line.removeprefix("::").partition("::")
        assert head.split(" ")[0] in {"error", "notice"}
        assert "%0A" not in data
        assert [part.partition("=")[0] for part in head.partition(" ")[2].split(",")] == ["title"]


def test_the_summary_is_added_to_what_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write(tmp_path / "runs", [hostile()])
    summary = tmp_path / "summary.md"
    summary.write_text("# Before\n")
    environ = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_WORKSPACE": str(tmp_path)}
    assert github.publish(run, {}, environ) == ""
    assert summary.read_text().startswith("# Before\n## gradebox: 1 failed")
    captured = capsys.readouterr()
    assert (captured.out, len(captured.err.splitlines())) == ("", 2)
    for taken in (github.SUMMARY_MAX - 5000, github.SUMMARY_MAX - 10, github.SUMMARY_MAX + 10):
        summary.write_bytes(b"x" * taken)
        complaint = github.publish(run, {}, environ)
        assert ("is full" in complaint) is (summary.stat().st_size == taken)
        assert taken <= summary.stat().st_size <= max(taken, github.SUMMARY_MAX)
    environ["GITHUB_STEP_SUMMARY"] = str(tmp_path)
    assert github.publish(run, {}, environ) == f"The summary {tmp_path} cannot be written: Is a directory."


def test_elsewhere_nothing_is_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write(tmp_path / "runs", [hostile()])
    assert github.publish(run, {}, {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}) == ""
    assert not (tmp_path / "summary.md").exists()
    assert capsys.readouterr() == ("", "")


def test_the_command_line_quotes_nothing_that_is_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forged = "##[error]forged"
    bad = check(forged, 0.0, forged, step(forged, forged, stdout=capture(b"::error::x\n  ##vso[task.complete]y\n")))
    run = write(tmp_path, [graded("a", bad, submission="::add-mask::" + forged)])
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    for words in (["show", str(run.directory), "a"], *(["report", str(run.directory), "-f", form] for form in
                  ("text", "json", "csv", "markdown", "junit", "html"))):  # fmt: skip
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
        monkeypatch.setattr(sys, "stdout", streams[0])
        monkeypatch.setattr(sys, "stderr", streams[1])
        monkeypatch.setattr(sys, "argv", ["grade", *words])
        with pytest.raises(SystemExit) as end:
            cli.main()
        assert end.value.code == 0
        written = "".join(stream.buffer.getvalue().decode() for stream in streams)
        assert "forged" in written
        assert commands(written) == []
    assert ci_log.inert("x ::y") == "x ::y"
