"""Checks of text."""

from __future__ import annotations

from typing import Any

import pytest
from evidence_bench import called, judge, make, tree

from gradebox.graders.checks.registry import check_types
from gradebox.graders.checks.text.contains import Contains
from gradebox.graders.checks.text.equals import Equals
from gradebox.graders.checks.text.text_check import TextCheck
from gradebox.graders.model.evidence import MAX_TEXT_BYTES, Evidence
from gradebox.graders.model.transcript import Transcript
from gradebox.graders.model.verdict import Status

TEXT_CHECKS = [kind for kind in check_types().values() if issubclass(kind, TextCheck)]
# What readers of text may look at again and again, or keep for each place.
PIECES = ("<a>", "</a>", "<a/>", "<a b='", "<!--", "[", "{", "[1,", '{"a":', '"', "\\", "(", "9", " ", "\n", "İ", "ab")
PATTERN = r"\s*\w*:\Z"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", TEXT_CHECKS, ids=lambda kind: kind.type)
def test_whatever_the_text_is_a_check_ends(kind: Any) -> None:
    several = "any" in kind.type or "all" in kind.type or "xml" in kind.type
    value = ("a.b", "z") if several else PATTERN if kind.type == "regex" else "b" * 1000
    check = make(kind, value=value, schema={"patternProperties": {PATTERN: False}})
    for piece in PIECES:
        text = piece * (MAX_TEXT_BYTES // len(piece))
        for written in (text, f"<r>{text[7:]}</r>") if "xml" in kind.type else (text,):
            assert judge(check, Evidence(output=written)).status in {Status.PASSED, Status.FAILED, Status.ERROR}


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize(
    ("files", "path", "reason"),
    [
        ({}, "a.txt", "there is no file a.txt"),
        ({"a.txt": None}, "a.txt", "a.txt is a directory"),
        ({"a.txt": b"x" * (MAX_TEXT_BYTES + 1)}, "a.txt", "more than the limit"),
        ({}, "link", "link is a link"),
        ({}, "link/passwd", "below the symbolic link"),
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
