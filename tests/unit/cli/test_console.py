"""What is printed on stderr: a line each, with colours only where they are wanted, and no character that acts."""

from __future__ import annotations

import io
import sys

import pytest

from gradebox.graders.cli import console
from gradebox.graders.model.verdict import Status


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environ", "coloured"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
        (io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_a_terminal_gets_colours_and_a_pipe_on_request(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, environ: dict[str, str], *, coloured: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert console.coloured(stream) is coloured
    assert console.styled("x", stream, "red") == ("\x1b[31mx\x1b[0m" if coloured else "x")


def test_every_line_is_harmless_and_on_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    console.error("It \x1b[2J broke.", "Mend it.")
    console.warn("first", "second\n")
    console.warn()
    console.note("note")
    console.say("said")
    assert capsys.readouterr() == ("", "grade: It \\x1b[2J broke.\n  Mend it.\nfirst\nsecond\\x0a\nnote\nsaid\n")


def test_verdicts_are_counted_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    console.print_counts({Status.FAILED: 2, Status.NOT_JUDGED: 1}, "in 3.0 s")
    console.print_counts({Status.PASSED: 1, Status.ERROR: 1}, "")
    assert sys.stderr.getvalue() == "0 passed  2 failed  1 not judged  in 3.0 s\n1 passed  1 error  \n"


@pytest.mark.parametrize(("number", "text"), [(0, "0 cases"), (1, "1 case"), (2, "2 cases")])
def test_numbers_agree_with_their_nouns(number: int, text: str) -> None:
    assert console.counted(number, "case") == text


def test_json_has_no_half_characters() -> None:
    assert console.json_line(["caf\udce9 gemüse"]) == '["caf\\ufffd gem\\u00fcse"]'
