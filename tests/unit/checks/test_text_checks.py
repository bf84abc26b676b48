"""Checks of text."""

from __future__ import annotations

import time
from typing import Any

import pytest
from evidence_bench import called, judge, make, tree
from hypothesis import given
from hypothesis import strategies as st

from graders.checks.text import json_schema
from graders.checks.text.contains import (
    Contains,
    ContainsAll,
    ContainsAny,
    IContains,
    IContainsAll,
    IContainsAny,
)
from graders.checks.text.equals import (
    EndsWith,
    Equals,
    StartsWith,
)
from graders.checks.text.is_json import IsJson
from graders.checks.text.regex import Regex
from graders.checks.text.text_check import TextCheck
from graders.model.evidence import MAX_TEXT_BYTES, Evidence
from graders.model.transcript import Transcript
from graders.model.verdict import Status

TEXT = "The Answer\nis 42.\n"
SCHEMA = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 1}}}


@pytest.mark.parametrize(
    ("kind", "fields", "text", "met"),
    [
        (Contains, {"value": "Answer"}, TEXT, True),
        (Contains, {"value": "answer"}, TEXT, False),
        (IContains, {"value": "ANSWER"}, TEXT, True),
        (IContains, {"value": "STRASSE"}, "an der Straße", True),
        (IContains, {"value": "question"}, TEXT, False),
        (ContainsAny, {"value": ("41", "42")}, TEXT, True),
        (ContainsAny, {"value": ("answer", "41")}, TEXT, False),
        (ContainsAll, {"value": ("Answer", "42")}, TEXT, True),
        (ContainsAll, {"value": ("Answer", "41")}, TEXT, False),
        (IContainsAny, {"value": ("ANSWER", "41")}, TEXT, True),
        (IContainsAny, {"value": ("question",)}, TEXT, False),
        (IContainsAll, {"value": ("ANSWER", "IS")}, TEXT, True),
        (IContainsAll, {"value": ("ANSWER", "41")}, TEXT, False),
        (StartsWith, {"value": "The"}, f"\n {TEXT}", True),
        (StartsWith, {"value": "Answer"}, TEXT, False),
        (EndsWith, {"value": "42.\n"}, TEXT, True),
        (EndsWith, {"value": "42"}, TEXT, False),
        (Equals, {"value": "The Answer\nis 42."}, TEXT, True),
        (Equals, {"value": "The Answer is 42."}, TEXT, False),
        (Regex, {"value": r"is\s\d+\.$"}, TEXT, True),
        (Regex, {"value": r"^is"}, TEXT, False),
        (Regex, {"value": r"^IS", "flags": "gim"}, TEXT, True),
        (Regex, {"value": r"Answer.is", "flags": "s"}, TEXT, True),
        (Regex, {"value": r"Answer.is"}, TEXT, False),
        (IsJson, {}, ' {"n": 1}\n', True),
        (IsJson, {}, "42", True),
        (IsJson, {}, TEXT, False),
        (IsJson, {}, "", False),
        (IsJson, {}, '{"n": NaN}', False),
        (IsJson, {}, '{"n": 1e999}', False),
        (IsJson, {}, "[" * 200_000, False),
        (IsJson, {"schema": SCHEMA}, '{"n": 1}', True),
        (IsJson, {"schema": SCHEMA}, '{"n": 0}', False),
        (IsJson, {"schema": SCHEMA}, "{}", False),
        (IsJson, {"schema": True}, "[]", True),
        (IsJson, {"schema": False}, "[]", False),
    ],
)
def test_text_meets_a_check_or_its_opposite(kind: type[TextCheck], fields: Any, text: str, *, met: bool) -> None:
    spec = make(kind, **fields)
    assert judge(spec, Evidence(output=text)).score == float(met)
    assert judge(make(kind, negate=True, **fields), Evidence(output=text)).score == float(not met)
    in_file = Evidence(tree=tree({"a.txt": text}))
    assert judge(make(kind, file="a.txt", **fields), in_file).score == float(met)


@given(st.text(), st.text())
def test_letters_of_either_case_are_found_where_the_same_letters_are(text: str, value: str) -> None:
    if judge(make(Contains, value=value), Evidence(output=text)).score:
        assert judge(make(IContains, value=value), Evidence(output=text)).score == 1.0


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize(
    ("files", "path", "reason"),
    [
        ({}, "a.txt", "there is no file a.txt"),
        ({"a.txt": None}, "a.txt", "a.txt is a directory"),
        ({"a.txt": b"x" * (MAX_TEXT_BYTES + 1)}, "a.txt", "are read at most"),
        ({}, "link", "link is a link"),
        ({}, "link/passwd", "beyond the link"),
        ({}, "../../etc/passwd", "there is no file"),
    ],
)
def test_what_cannot_be_read_meets_nothing_and_no_opposite(files: Any, path: str, reason: str, *, negate: bool) -> None:
    spec = make(Contains, value="x", file=path, negate=negate)
    found = judge(spec, Evidence(output="x", tree=tree(files, link="/etc")))
    assert (found.status, found.score) == (Status.FAILED, 0.0)
    assert reason in found.reason


@pytest.mark.parametrize("path", ["src/a.txt", "./src/a.txt", "/workspace/src/a.txt", "src/../src/a.txt"])
def test_a_file_is_found_however_its_path_is_written(path: str) -> None:
    assert judge(make(Contains, value="é", file=path), Evidence(tree=tree({"src/a.txt": "é"}))).score == 1.0


def test_bytes_that_are_no_text_are_replaced() -> None:
    found = judge(make(Equals, value="a\N{REPLACEMENT CHARACTER}b", file="a"), Evidence(tree=tree({"a": b"a\xffb"})))
    assert found.score == 1.0


def test_without_an_answer_nothing_is_judged_and_a_gate_is_an_error() -> None:
    assert judge(make(Contains, value="x")).status is Status.NOT_JUDGED
    assert judge(make(Contains, value="x", required=True)).status is Status.ERROR


@pytest.mark.parametrize("negate", [False, True])
def test_an_answer_beyond_the_cap_meets_nothing_and_no_opposite(*, negate: bool) -> None:
    long = Evidence(output="x" * (MAX_TEXT_BYTES + 1))
    assert judge(make(Contains, value="y", negate=negate), long).score == 0.0


def test_the_answer_is_what_the_transcript_ends_with_unless_there_is_one_by_itself() -> None:
    transcript = Transcript(output="from the transcript")
    assert judge(make(Contains, value="transcript"), Evidence(transcript=transcript)).score == 1.0
    assert judge(make(Contains, value="transcript"), Evidence(output="", transcript=transcript)).score == 0.0
    assert judge(make(Contains, value="x"), Evidence(transcript=called("read"))).score == 0.0


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize(
    ("kind", "fields", "text"),
    [
        (Regex, {"value": r"(A+)+\1b", "flags": "i"}, "a" * 5000),
        (Regex, {"value": "(unclosed"}, "x"),
        (Regex, {"value": "x", "flags": "q"}, "x"),
        (IsJson, {"schema": {"pattern": r"(?i)(A+)+\1b"}}, '"' + "a" * 5000 + '"'),
        (IsJson, {"schema": {"patternProperties": {r"(?i)(A+)+\1b": True}}}, '{"' + "a" * 5000 + '": 1}'),
        (
            IsJson,
            {"schema": {"additionalProperties": False, "patternProperties": {r"(?i)(A+)+\1b": True}}},
            '{"' + "a" * 5000 + '": 1}',
        ),
        (IsJson, {"schema": {"type": "nothing"}}, "1"),
        (IsJson, {"schema": {"$schema": "https://json-schema.org/draft/2020-12/schema"}}, "1"),
        (IsJson, {"schema": {"$ref": "https://example.org/elsewhere.json"}}, "1"),
        (IsJson, {"schema": {"$ref": "#"}}, "1"),
    ],
)
def test_a_pattern_or_schema_that_cannot_be_used_is_an_error_whichever_way_round(
    monkeypatch: pytest.MonkeyPatch, kind: type[TextCheck], fields: Any, text: str, *, negate: bool
) -> None:
    monkeypatch.setattr("graders.checks.text.patterns.found.__kwdefaults__", {"seconds": 0.2})
    begun = time.monotonic()
    found = judge(make(kind, negate=negate, **fields), Evidence(output=text))
    assert found.status is Status.ERROR
    assert found.reason
    assert time.monotonic() - begun < 5


def test_a_schema_that_never_ends_on_data_made_for_it_is_given_up() -> None:
    both = [{"items": {"$ref": "#"}}, {"items": {"$ref": "#"}}]
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "allOf": both}
    data: Any = 1
    for _ in range(40):
        data = [data]
    begun = time.monotonic()
    with pytest.raises(json_schema.SchemaFault, match="no end"):
        json_schema.violation(schema, data, seconds=0.3)
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    ("schema", "data", "fits"),
    [
        ({"uniqueItems": True}, [1, "1", True, [1], {"a": 1}], True),
        ({"uniqueItems": True}, [{"a": 1, "b": 2}, {"b": 2, "a": 1.0}], False),
        ({"uniqueItems": True}, [[n] for n in range(50_000)], True),
        ({"patternProperties": {"^a": {"type": "string"}}, "additionalProperties": False}, {"ab": "x"}, True),
        ({"patternProperties": {"^a": {"type": "string"}}, "additionalProperties": False}, {"ab": 1}, False),
        ({"patternProperties": {"^a": {"type": "string"}}, "additionalProperties": False}, {"b": "x"}, False),
        ({"properties": {"b": True}, "additionalProperties": {"type": "null"}}, {"b": 1, "c": None}, True),
        ({"properties": {"b": True}, "additionalProperties": {"type": "null"}}, {"b": 1, "c": 1}, False),
        ({"pattern": "^a+$"}, "aaa", True),
        ({"pattern": "^a+$"}, "ab", False),
        ({"multipleOf": 0.1}, 10**400, False),
        ({"definitions": {"n": {"type": "integer"}}, "items": {"$ref": "#/definitions/n"}}, [1, 2], True),
        ({"definitions": {"n": {"type": "integer"}}, "items": {"$ref": "#/definitions/n"}}, [1, "2"], False),
        ({"properties": {"$schema": {"type": "string"}}}, {"$schema": 1}, False),
    ],
)
def test_schemas_are_those_of_draft_07(schema: Any, data: Any, *, fits: bool) -> None:
    assert (json_schema.violation(schema, data) == "") is fits
