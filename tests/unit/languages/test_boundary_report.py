"""What a grader's process reports of the boundary, read from lines that may be anything."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.languages.boundary_report import (
    CONTRACT_MAX_BYTES,
    LIMIT,
    agreed,
    answers,
    contract,
    has_replaced,
    has_texts,
    limits,
    united,
    with_reworded,
)

TOKEN = "ab" * 16


def report(*lines: str, token: str = TOKEN) -> bytes:
    return "".join(f"{token} {line}\n" for line in lines).encode()


def test_a_limit_is_a_sentence_with_its_beginning() -> None:
    found = limits(TOKEN, report("limit numpy arrays", f"limit {LIMIT}numpy arrays", "limit a\x1b[2Jb", "done 1 0"))
    assert found == (f"{LIMIT}numpy arrays", f"{LIMIT}a [2Jb")


def test_limits_are_few_and_short() -> None:
    found = limits(TOKEN, report(*(f"limit {number} {'x' * 999}" for number in range(99))))
    assert len(found) == 10
    assert max(map(len, found)) <= len(LIMIT) + 300


def test_a_contract_is_the_union_of_its_parts() -> None:
    parts = ({"a": ["data"], "a()": ["object"]}, {"a": ["call", "data"]})
    found = contract(TOKEN, report(*(f"contract {json.dumps(part)}" for part in parts)))
    assert found == {"a": {"call", "data"}, "a()": {"object"}}
    assert united([found, {"b": frozenset({"data"})}]) == {**found, "b": {"data"}}


def test_tests_must_do_what_they_did_in_all_runs() -> None:
    one, other = {"#did": frozenset({"1 open a", "1 open b"})}, {"#did": frozenset({"1 open a"}), "a": frozenset({"x"})}
    assert agreed([one, other]) == {"#did": {"1 open a"}, "a": {"x"}}
    assert agreed([one, {}]) == {"#did": frozenset()}
    assert agreed([{}, {}]) == {}


@pytest.mark.parametrize("token", ["cd" * 16, ""])
def test_lines_without_the_token_are_nothing(token: str) -> None:
    lines = report("limit x", 'contract {"a": ["data"]}', token=token)
    assert limits(TOKEN, lines) == ()
    assert contract(TOKEN, lines) == {}
    assert limits("", b" limit x\n") == ()


@pytest.mark.parametrize("text", ["", "null", "[]", '{"a": "data"}', '{"a": [1]}', '{"a": {"b": []}}', "{", "[" * 9999])
def test_what_is_no_contract_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        contract(TOKEN, report(f"contract {text}"))


def test_a_contract_has_a_largest_size() -> None:
    half = json.dumps({"a" * (CONTRACT_MAX_BYTES // 2): ["data"]})
    contract(TOKEN, report(f"contract {half}"))
    with pytest.raises(ValueError, match="more than 1048576 bytes"):
        contract(TOKEN, report(*[f"contract {half}"] * 2))


@given(st.binary())
def test_any_report_can_be_read(data: bytes) -> None:
    assert len(limits(TOKEN, TOKEN.encode() + b" limit " + data)) <= 10
    with suppress(ValueError):
        contract(TOKEN, TOKEN.encode() + b" contract " + data)


def test_answers_are_counts_and_the_names_of_some_tests() -> None:
    told = {"same": 2, "other": 30, "unknown": 0, "tests": [f"a\x1b{'x' * 999}"] * 30, "more": 1}
    found = answers(TOKEN, report(f"answers {json.dumps(told)}", "done 32 0"))
    assert {name: found[name] for name in ("same", "other", "unknown")} == {"same": 2, "other": 30, "unknown": 0}
    assert found.keys() == {"same", "other", "unknown", "tests"}
    assert found["tests"] == [f"a {'x' * 298}"] * 20


@pytest.mark.parametrize("text", ["", "null", "[]", '{"same": 1}', '{"same": 1, "other": "2", "unknown": 0}', "{"])
def test_what_counts_no_answers_is_ignored(text: str) -> None:
    assert answers(TOKEN, report(f"answers {text}")) == {}
    assert answers("cd" * 16, report('answers {"same": 1, "other": 0, "unknown": 0}')) == {}


@pytest.mark.parametrize("nothing", ["e3b0c44298fc1c14", "looked", "compared", "?", "1234 e3b0c44298fc1c14"])
def test_exceptions_with_texts_have_a_hash(nothing: str) -> None:
    assert not has_texts({"#answers": frozenset({f"a {nothing}"}), "b": frozenset({"call"})})
    assert has_texts({"#answers": frozenset({f"a {nothing}", "b 1234567890abcdef"})})


def test_javascript_replaces_no_texts() -> None:
    assert has_replaced({"#answers": frozenset({"a 1234567890abcdef", "a reworded"})})
    assert not has_replaced({"#answers": frozenset({"a 1234567890abcdef", "a message reworded"})})


def test_what_passed_with_other_texts_is_taken_over() -> None:
    recorded = {"#answers": frozenset({"a 12"}), "b": frozenset({"call"})}
    other = {"#answers": frozenset({"a 34", "a reworded"}), "b": frozenset({"data"})}
    assert with_reworded(recorded, [other] * 2) == {**recorded, "#answers": frozenset({"a 12", "a reworded"})}
    assert with_reworded(recorded, [other, {}]) == with_reworded(recorded, []) == recorded
