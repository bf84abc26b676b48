"""The JSON protocol: what is a score, and what is an error and never a pass."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.checks import grader_json
from gradebox.graders.checks.grader_json import GraderOutputInvalid
from gradebox.sandbox.types import Capture, Ending, Outcome

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = ("score", "pass", "assertions", "hits", "misses", "reasoning", "reason", "details")
ASSERTION = st.fixed_dictionaries({}, optional={"passed": st.booleans() | JSON, "text": st.text(max_size=3)})
REPORTS = st.dictionaries(st.sampled_from(KEYS), JSON | st.lists(ASSERTION, max_size=3) | st.floats(-1, 2), max_size=4)


def outcome(stdout: bytes, *, exit_code: int = 0, total_bytes: int | None = None) -> Outcome:
    total = len(stdout) if total_bytes is None else total_bytes
    return Outcome(Ending.EXITED, exit_code, stdout=Capture(stdout, total_bytes=total))


def score_of(text: str) -> float:
    return grader_json.parse(outcome(text.encode())).score


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('{"score": 0.25}', 0.25),
        ('{"score": 0}', 0.0),
        ('{"score": 1}', 1.0),
        (' \n{"score": 1.0}\n\n', 1.0),
        ('{"score": 0.5, "assertions": [{"passed": true}]}', 0.5),
        ('{"score": 0.5, "pass": true, "hits": ["a"]}', 0.5),
        ('{"pass": true}', 1.0),
        ('{"pass": false, "reason": "no"}', 0.0),
        ('{"assertions": [{"text": "a", "passed": true}, {"text": "b", "passed": false}]}', 0.5),
        ('{"hits": ["a", "b", "c"], "misses": ["d"]}', 0.75),
        ('{"hits": ["a"]}', 1.0),
        ('{"misses": ["a"]}', 0.0),
    ],
)
def test_a_score_in_any_of_the_forms(text: str, score: float) -> None:
    assert score_of(text) == score


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not one JSON object"),
        ("1", "not an object"),
        ("[1]", "not an object"),
        ("true", "not an object"),
        ("passed", "not one JSON object"),
        ('{"score": 1}{"score": 1}', "not one JSON object"),
        ('All tests passed.\n{"score": 1}', "not one JSON object"),
        ('{"score": 1}\nbye', "not one JSON object"),
        ('{"score": 1, "score": 0}', "names a key twice"),
        ('{"details": {"a": 1, "a": 2}, "score": 1}', "names a key twice"),
        ("{}", "holds no score"),
        ('{"reasoning": "fine"}', "holds no score"),
        ('{"score": null}', "not a number"),
        ('{"score": true}', "not a number"),
        ('{"score": "1"}', "not a number"),
        ('{"score": [1]}', "not a number"),
        ('{"score": NaN}', "NaN is not a number"),
        ('{"score": Infinity}', "Infinity is not a number"),
        ('{"score": -Infinity}', "-Infinity is not a number"),
        ('{"score": 1e999}', "is too large"),
        ('{"score": 1.0000001}', "not between 0 and 1"),
        ('{"score": -0.1}', "not between 0 and 1"),
        ('{"score": 100}', "not between 0 and 1"),
        (f'{{"score": {10**400}}}', "not between 0 and 1"),
        (f'{{"score": 1{"0" * 5000}}}', "not one JSON object"),
        ('{"pass": 1}', "neither true nor false"),
        ('{"pass": "yes"}', "neither true nor false"),
        ('{"assertions": []}', "not a list with something in it"),
        ('{"assertions": "passed"}', "not a list with something in it"),
        ('{"assertions": {"passed": true}}', "not a list with something in it"),
        ('{"assertions": [{"passed": true}, {"text": "b"}]}', "does not say whether it passed"),
        ('{"assertions": [{"passed": 1}]}', "does not say whether it passed"),
        ('{"assertions": [true]}', "does not say whether it passed"),
        ('{"hits": [], "misses": []}', "holds no score"),
        ('{"hits": 3, "misses": 1}', "not lists"),
        ("[" * 100_000, "not one JSON object"),
        ('{"score": 1, "x": 1e999}', "is too large"),
        ('{"score": 1, "x": ' + "[" * 200 + "]" * 200 + "}", "nested deeper"),
        ('{"a":' * 100_000, "not one JSON object"),
    ],
)
def test_anything_else_is_an_error_that_says_why(text: str, said: str) -> None:
    with pytest.raises(GraderOutputInvalid, match=said):
        score_of(text)


def test_what_is_not_utf_8_is_an_error() -> None:
    with pytest.raises(GraderOutputInvalid, match="not one JSON object"):
        grader_json.parse(outcome(b'{"score": 1, "reasoning": "\xff"}'))


@pytest.mark.parametrize("exit_code", [1, 2, 255])
def test_a_good_report_under_a_bad_exit_status_is_an_error(exit_code: int) -> None:
    with pytest.raises(GraderOutputInvalid, match=f"exit status {exit_code}"):
        grader_json.parse(outcome(b'{"score": 1}', exit_code=exit_code))


def test_a_report_that_was_cut_is_an_error_even_if_what_is_left_is_json() -> None:
    with pytest.raises(GraderOutputInvalid, match="more than is kept"):
        grader_json.parse(outcome(b'{"score": 1}', total_bytes=1_000_000))


@pytest.mark.parametrize(
    ("text", "reasoning"),
    [
        ('{"score": 1}', ""),
        ('{"score": 1, "reasoning": "Good."}', "Good."),
        ('{"pass": true, "reason": "Good."}', "Good."),
        ('{"score": 1, "reasoning": ["a", "b"]}', '["a", "b"]'),
        ('{"score": 1, "reasoning": null}', ""),
        ('{"score": 1, "reasoning": null, "reason": "Good."}', "Good."),
    ],
)
def test_reasoning(text: str, reasoning: str) -> None:
    assert grader_json.parse(outcome(text.encode())).reasoning == reasoning


def test_everything_that_was_said_is_kept_as_it_was_written() -> None:
    said = {"score": 1, "details": {"camelCase": 1, "snake_case": [2]}}
    assert grader_json.parse(outcome(json.dumps(said).encode())).details == said


@given(REPORTS)
def test_a_report_has_a_score_between_0_and_1_or_is_an_error(said: dict[str, Any]) -> None:
    with suppress(GraderOutputInvalid):
        assert 0 <= grader_json.parse(outcome(json.dumps(said).encode())).score <= 1


@given(st.binary(max_size=100), st.integers(-1, 3))
def test_no_bytes_make_parsing_fail_otherwise(data: bytes, exit_code: int) -> None:
    with suppress(GraderOutputInvalid):
        assert 0 <= grader_json.parse(outcome(data, exit_code=exit_code)).score <= 1
