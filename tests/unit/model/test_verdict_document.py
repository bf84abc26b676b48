"""A graded submission as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.model.result import Result
from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.graders.model.verdict import CheckResult, Status, StepRecord, decide
from gradebox.graders.model.verdict_document import VerdictDocument, as_json, document, json_schema, result_of
from gradebox.sandbox.types import Capture, Ending, Outcome, ResourceUsage

STARTED = datetime(2026, 1, 31, 14, 25, tzinfo=UTC)
# All of Unicode, the halves of surrogate pairs included.
TEXTS = st.text(st.characters(), max_size=20) | st.sampled_from(["caf\udce9", "\ud800", "\ud83d\ude00", "\0"])

OUTCOME = Outcome(
    Ending.EXITED,
    1,
    stdout=Capture(b"secret output", total_bytes=13),
    usage=ResourceUsage(wall_seconds=1.23456, cpu_seconds=0.45678, held_up_seconds=0.1),
)
STEP = StepRecord("check", "login", ("pytest", "x" * 1000), OUTCOME, passed=False, reason="exit status 1")
CHECK = CheckResult(
    "login", "code-grader", Status.FAILED, 0.0, 0.8, 2.0, required=True, reason="exit status 1", steps=(STEP,)
)


def graded(*checks: CheckResult, **changes: Any) -> Result:
    verdict = decide(checks or (CHECK,), threshold=0.8, tampering=changes.pop("tampering", ()))
    return replace(Result("0123", "add-auth", "work", verdict, STARTED), **changes)


def test_the_object_says_what_the_verdict_says() -> None:
    found = json.loads(
        as_json(
            graded(
                image="gradebox/base",
                image_id="sha256:1",
                services={"db": "sha256:2"},
                machine={"kernel": "Linux 6.1"},
                wall_seconds=1.23456,
            ),
            "run-1",
        )
    )
    assert found == {
        "schema_version": 1,
        "id": "0123",
        "run": "run-1",
        "case": "add-auth",
        "target": None,
        "submission": "work",
        "repeat": 1,
        "number": 0,
        "tags": [],
        "category": "",
        "suite": "",
        "trials": "",
        "about": {},
        "origin": {},
        "case_hash": "",
        "submission_hash": "",
        "content": "",
        "reused": "",
        "verdict": "failed",
        "score": 0.0,
        "gated_score": 0.0,
        "band": "fail",
        "partial_score": None,
        "threshold": 0.8,
        "missed": ["login"],
        "reasons": ["required check login scored 0, needs 0.8 (exit status 1)"],
        "tampering": [],
        "restored": [],
        "removed": [],
        "removed_count": 0,
        "left_out": [],
        "notes": [],
        "told": [],
        "image": "gradebox/base",
        "image_id": "sha256:1",
        "services": {"db": "sha256:2"},
        "profile": "",
        "runtime": "",
        "machine": {"kernel": "Linux 6.1"},
        "not_enforced": [],
        "checks": [
            {
                "name": "login",
                "type": "code-grader",
                "verdict": "failed",
                "score": 0.0,
                "min_score": 0.8,
                "weight": 2.0,
                "required": True,
                "negate": False,
                "reason": "exit status 1",
                "judged": "",
                "seen": {"visibility": "hidden", "show": [], "tests": {}, "groups": {}},
                "details": {},
                "tampering": [],
                "steps": [
                    {
                        "role": "check",
                        "name": "login",
                        "argv": ["pytest", f"{'x' * 200}[... 1000 characters]"],
                        "passed": False,
                        "reason": "exit status 1",
                        "ending": "exited",
                        "exit_code": 1,
                        "signal": None,
                        "wall_seconds": 1.235,
                        "cpu_seconds": 0.457,
                        "held_up_seconds": 0.1,
                    }
                ],
            }
        ],
        "judging": {},
        "setup": [],
        "started": "2026-01-31T14:25:00Z",
        "wall_seconds": 1.235,
    }


def test_without_a_score_there_is_no_number_that_could_be_taken_for_one() -> None:
    check = CheckResult("login", "code-grader", Status.ERROR, None, 0.8, reason="no tool")
    found = document(graded(check))
    assert (found.verdict, found.score, found.gated_score, found.band) == ("error", None, None, None)
    assert (found.checks[0].verdict, found.checks[0].score) == ("error", None)


def test_two_gradings_agree_in_all_but_ids_and_times() -> None:
    one = document(graded(), "run-1").model_dump()
    other = document(graded(id="4567", started=datetime.now(UTC), wall_seconds=9.0), "run-2").model_dump()
    assert {key for key in one if one[key] != other[key]} == {"id", "run", "started", "wall_seconds"}


def test_a_line_of_version_0_1_is_read_without_its_retired_key() -> None:
    old = {**json.loads(as_json(graded())), "defences_off": []}
    assert VerdictDocument.model_validate_json(json.dumps(old)) == document(graded())


def test_the_score_of_an_error_that_an_earlier_version_wrote_is_a_partial_one() -> None:
    passed, broken = (
        replace(CHECK, name="a", status=Status.PASSED, score=1.0),
        replace(CHECK, status=Status.ERROR, score=None),
    )
    now = document(graded(passed, broken))
    assert (now.score, now.partial_score) == (None, 1.0)
    old = {**now.model_dump(mode="json"), "score": 1.0, "gated_score": 1.0, "band": "pass"}
    del old["partial_score"]
    assert VerdictDocument.model_validate(old) == now
    assert result_of(VerdictDocument.model_validate_json(json.dumps(old))).verdict.reward is None


def test_what_was_printed_is_not_in_it() -> None:
    assert "secret output" not in as_json(graded())


@given(TEXTS, TEXTS, TEXTS)
def test_no_text_of_anybody_breaks_the_line_or_the_encoding(name: str, reason: str, path: str) -> None:
    step = replace(STEP, name=name, argv=(path,), reason=reason)
    check = replace(
        CHECK,
        name=name,
        reason=reason,
        tampering=(Tampering(TamperingKind.TOKEN_MISSING, reason, path),),
        steps=(step,),
    )
    line = as_json(
        graded(check, case=name, submission=path, target=name, restored=(path,), removed=(path,), left_out=(path,),
               own_steps=(step,), tampering=(Tampering(TamperingKind.PROTECTED_FILE_CHANGED, path, path),))
    )  # fmt: skip
    assert line.isascii()
    assert line.isprintable()
    found = VerdictDocument.model_validate_json(line)
    assert found.verdict == "failed"
    if path.isascii():
        assert (found.submission, found.removed) == (path, [path])


@pytest.mark.parametrize(
    ("text", "written"),
    [("caf\udce9", "caf\\xe9"), ("\ud800", "\\ud800"), ("gemüse \U0001f600", "gemüse \U0001f600"), ("a\nb", "a\nb")],
)
def test_bytes_that_are_no_text_become_escapes(text: str, written: str) -> None:
    assert document(graded(submission=text)).submission == written
    assert document(graded(submission=written)).submission == written
    assert document(graded(origin={"student": text})).origin == {"student": written}


def test_the_schema_describes_every_key_of_the_object() -> None:
    schema = json_schema()
    found = json.loads(as_json(graded()))
    assert set(schema["properties"]) == set(found)
    # What lines of older runs do not have yet.
    younger = {"repeat", "number", "tags", "category", "suite", "trials", "about", "origin", "content", "reused"}
    younger |= {"notes", "told", "judging", "partial_score", "case_hash", "submission_hash", "machine", "services"}
    assert set(schema["required"]) == set(found) - younger - {"schema_version"}
    assert schema["additionalProperties"] is False
    assert set(schema["$defs"]["CheckDocument"]["properties"]) == set(found["checks"][0])
    assert set(schema["$defs"]["StepDocument"]["properties"]) == set(found["checks"][0]["steps"][0])


def test_tampering_is_written_with_its_kind_its_check_and_its_evidence() -> None:
    bent = replace(CHECK, tampering=(Tampering(TamperingKind.CONTROL_PASSED, "a control passed", "exit status 0"),))
    brought = Tampering(TamperingKind.PROTECTED_FILE_CHANGED, "it brought grading/x", "grading/x")
    found = document(graded(bent, tampering=(brought,)))
    assert [one.model_dump(mode="json") for one in found.tampering] == [
        {"kind": "protected-file-changed", "check": "", "what": "it brought grading/x", "evidence": "grading/x"},
        {"kind": "control-passed", "check": "login", "what": "a control passed", "evidence": "exit status 0"},
    ]
    assert found.tampering[0].as_value() == brought
    assert [one.check for one in found.checks[0].tampering] == [""]


def test_what_was_written_is_read_back() -> None:
    check = CheckResult("it", "contains", Status.PASSED, 1.0, 0.8, details={"a": [1]})
    written = graded(
        check, tags=("a",), origin={"model": "org/x:7b"}, restored=("tests/t.py",), content="c", reused="run-1"
    )
    read = result_of(VerdictDocument.model_validate_json(as_json(written)))
    assert document(read) == document(written)
    assert read.origin == {"model": "org/x:7b"}
    assert (read.tags, read.restored, read.verdict.checks[0].details) == (("a",), ("tests/t.py",), {"a": [1]})


@pytest.mark.parametrize(("levels", "deep"), [(99, False), (100, True)])
def test_details_that_are_nested_too_deeply_are_omitted(levels: int, deep: bool) -> None:
    details: Any = {"a": 1}
    for _ in range(levels):
        details = {"a": details}
    check = CheckResult("it", "contains", Status.PASSED, 1.0, 0.8, details=details)
    assert (document(graded(check)).checks[0].details == {"omitted": "it is nested too deeply"}) is deep
