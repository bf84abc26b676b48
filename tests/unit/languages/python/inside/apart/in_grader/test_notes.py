"""Warnings and records of logs of the submission are shown again, and what is neither is refused."""

from __future__ import annotations

import linecache
import logging
import warnings
from typing import Any

import pytest

from gradebox.graders.languages.python.inside.apart.describing import HERE
from gradebox.graders.languages.python.inside.apart.in_grader.notes import note
from gradebox.graders.languages.python.inside.apart.wire import Malformed

RECORD = ("words", logging.WARNING, "it failed", "/w/words.py", 3, "run", None, None, {})


@pytest.mark.parametrize(
    "parts",
    [
        ("file", "x"), ("log",), ("log", *RECORD[:5]), ("log", 1, *RECORD[1:]), ("warning", "text", "path", 1),
        ("warning", UserWarning("x"), "path", "1"),
    ],
)  # fmt: skip
def test_what_is_neither_is_refused(parts: Any) -> None:
    with pytest.raises(Malformed):
        note(None, False, *parts)


def test_a_record_has_its_error_and_what_was_added(caplog: pytest.LogCaptureFixture) -> None:
    note(None, False, "log", *RECORD[:6], ValueError("boom"), "Traceback of it", {"topic": "news"})
    note(None, False, "log", "words", logging.DEBUG, "not wanted", *RECORD[3:])
    (record,) = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[0] is ValueError
    assert (record.funcName, record.topic) == ("run", "news")  # type: ignore[attr-defined]
    assert "Traceback of it" in caplog.text


def test_a_warning_that_names_its_caller_names_the_test() -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        note(None, False, "warning", UserWarning("a"), HERE, 1)
        note(None, False, "warning", UserWarning("b"), "/w/words.py", 2)
    assert [each.filename for each in seen] == [__file__, "<submission>"]
    assert "note(None" in linecache.getline(__file__, seen[0].lineno)


def test_what_is_added_replaces_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(KeyError):
        note(None, False, "log", *RECORD[:8], {"msg": "%s"})
    assert caplog.records == []
