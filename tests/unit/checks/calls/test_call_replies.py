"""What the candidate's process sends is an answer, and never more."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.checks.calls.call_replies import CallReply, missing_program, replies


def test_the_first_reply_to_a_call_counts_whoever_wrote_it() -> None:
    report = b'{"call":1,"returned":[1]}\n{"call":1,"returned":[2]}\n\n1 it ended the process\n0 it took too long\n'
    assert replies(report, 2) == {1: CallReply([1]), 0: CallReply(problem="it took too long")}


def test_what_was_raised_has_names_and_a_text() -> None:
    report = b'{"call":0,"raised":["KeyError","LookupError"],"message":"k"}\n'
    assert replies(report, 1) == {0: CallReply(raised=("KeyError", "LookupError"), message="k")}


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"raised": ["E"], "message": "m", "loading": True}, "was not made: its file cannot be loaded: E: m"),
        ({"missing": "f"}, "was not made: there is no function f"),
        ({"no_data": "a generator"}, "returned what is no data: a generator"),
        ({"returned": {"$set": 1}}, "returned what cannot be read: `$set` cannot hold"),
        ({"raised": [1], "message": "m"}, "was answered by what cannot be read"),
        ({"raised": [], "message": "m"}, "was answered by what cannot be read"),
        ({}, "was answered by what cannot be read"),
    ],
)
def test_why_there_is_no_value(said: dict[str, object], problem: str) -> None:
    (reply,) = replies(json.dumps({"call": 0, **said}).encode(), 1).values()
    assert reply.problem.startswith(problem)
    assert not reply.raised


@pytest.mark.parametrize(
    "line",
    [
        b'{"call":2,"returned":1}', b'{"call":-1,"returned":1}', b'{"call":true,"returned":1}', b'{"call":"0"}', b"[0]",
        b'{"call":0,"returned":' + b"[" * 200_000, b'{"call":0,"returned":NaN}', b"99999999999999999999 x", b"0",
    ],
)  # fmt: skip
def test_other_lines_mean_nothing(line: bytes) -> None:
    assert replies(line + b"\n", 2) == {}


def test_a_program_that_the_image_lacks_is_named() -> None:
    assert missing_program(b"missing python3\n") == "python3"
    assert missing_program(b'{"call":0,"returned":"missing"}\n') == ""


_LINES = st.lists(st.binary()).map(lambda parts: b"".join(b'{"call":0,' + part + b"}\n" for part in parts))


@given(st.binary() | _LINES)
def test_any_bytes_are_replies_or_nothing(report: bytes) -> None:
    assert set(replies(report, 1)) <= {0}
