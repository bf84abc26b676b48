"""``grade help``: contents, a page, a command, and what is said of a word that is neither."""

from __future__ import annotations

import io
import pydoc
import sys

import pytest

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode


def test_without_a_topic_it_lists_the_pages_by_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help"]) == ExitCode.PASSED
    out = capsys.readouterr().out
    assert "\n\nReference:\n  case  " in out
    assert "\n  exit-codes  " in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_page_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", "exit-codes"]) == ExitCode.PASSED
    assert capsys.readouterr().out.startswith("Exit codes\n==========\n")


def test_a_page_names_the_command_of_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", "runs"]) == ExitCode.PASSED
    assert capsys.readouterr().out.endswith("\n\nOptions of the command: grade runs --help\n")


def test_a_command_without_a_page_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", "plan"]) == ExitCode.PASSED
    assert capsys.readouterr().out.startswith("Usage: grade plan ")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("tutrial", "Did you mean `tutorial`?"),
        ("Buildkite", "These pages have the word: `grade help ci`, "),
        ("qqqqq", "`grade help` lists all pages."),
    ],
)
def test_a_word_that_is_no_topic_gets_advice(word: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", word]) == ExitCode.USAGE
    assert capsys.readouterr().err.startswith(f'grade: There is no page "{word}".\n  {said}')


def test_only_a_terminal_gets_a_pager(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    paged: list[str] = []
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setattr(pydoc, "pager", paged.append)
    monkeypatch.setenv("LESS", "")
    assert run(["help", "exit-codes"]) == ExitCode.PASSED
    assert sys.stdout.getvalue() == ""  # type: ignore[attr-defined]
    assert paged[0].startswith("Exit codes\n")
