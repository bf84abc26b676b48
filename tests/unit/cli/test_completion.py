"""The words that options take are those that the product knows."""

from __future__ import annotations

import pytest
from world import World

from gradebox.graders.cli import completion
from gradebox.graders.cli.main import run


def test_options_are_completed_with_what_they_take() -> None:
    assert completion.displays() == ["auto", "live", "plain", "dots", "none"]
    assert completion.log_formats() == ["text", "json"]
    assert {"default", "strict", "strict!"} <= {*completion.profiles()}
    assert {"text", "json", "csv", "markdown", "junit", "html"} <= {*completion.report_formats()}
    assert {"base", "python", "bun", "julia"} <= {*completion.images()}


def completed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str) -> list[str]:
    monkeypatch.setenv("_GRADE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
    run([])
    monkeypatch.delenv("_GRADE_COMPLETE")
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out.split()


def test_a_shell_completes_runs_cases_and_formats(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["-c", "a", "-c", "b", "-s", "work/one", "--name", "nightly", "-q"])
    capsys.readouterr()
    assert completed(monkeypatch, capsys, "grade --resume n") == ["nightly"]
    assert completed(monkeypatch, capsys, "grade compare latest ") == ["latest", "nightly"]
    assert completed(monkeypatch, capsys, "grade show nightly ") == ["a", "b"]
    assert completed(monkeypatch, capsys, "grade show nightlx ") == []
    assert completed(monkeypatch, capsys, "grade runs rm l") == ["latest"]
    assert completed(monkeypatch, capsys, "grade -c a -c b -k ") == ["a", "b"]
    assert completed(monkeypatch, capsys, "grade list a c -k ") == ["a", "c"]
    world.write("a/case.yaml", "assertions: [{")
    assert completed(monkeypatch, capsys, "grade list a absent -k ") == []
    assert "junit" in completed(monkeypatch, capsys, "grade report latest -f j")
