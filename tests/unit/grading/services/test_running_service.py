"""What is said of a service that has ended: how, and the last lines of what it printed."""

from __future__ import annotations

import pytest

from gradebox.graders.grading.services.running_service import _FINE, _log
from gradebox.sandbox.types import Capture, Ending, Outcome


def _printed(stdout: bytes = b"", stderr: bytes = b"") -> Outcome:
    streams = (Capture(printed, total_bytes=len(printed)) for printed in (stdout, stderr))
    return Outcome(Ending.EXITED, None, None, *streams)


def test_the_last_lines_of_stderr_are_quoted_or_else_those_of_stdout() -> None:
    many = b"".join(b"line %d\n" % number for number in range(100))
    assert _log(_printed(b"out\n", many)).startswith(" Its log ends with: line 92 | line 93 | ")
    assert _log(_printed(b"out\n", b" \n")) == " Its log ends with: out"
    assert _log(_printed()) == " It printed nothing."


def test_a_long_line_is_cut() -> None:
    assert len(_log(_printed(b"x" * 100_000))) < 1300


@pytest.mark.parametrize(
    ("line", "fine"),
    [
        ("HTTP/1.0 200 OK", True),
        ("HTTP/1.1 302 Found", True),
        ("HTTP/1.1 503 Service Unavailable", False),
        ("HTTP/1.1 404", False),
        ("SSH-2.0-OpenSSH", False),
        ("", False),
    ],
)
def test_a_reply_shows_by_its_status_that_a_service_is_ready(line: str, *, fine: bool) -> None:
    assert (_FINE.match(line) is not None) is fine
