"""JUnit XML: what becomes of every verdict, and that no output makes the file invalid or large."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fabricated import HOSTILE, capture, check, graded, hostile, step, write
from hypothesis import given, settings
from hypothesis import strategies as st
from junitparser import JUnitXml
from lxml import etree

from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status, Verdict
from gradebox.graders.reports import junit_report
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.sandbox.types import Capture

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).with_name("junit.xsd")))
OPTIONAL = check("style", 0.5, "2 of 4 rules", step("style", "exit status 1", stdout=capture(b"E501")), weight=0.1)
# What a candidate can have a say in, bytes and text alike, and more of what parsers refuse than chance would give.
ODD = st.sampled_from(
    ["\x00", "\x1b[31m", "]]>", "\ufffe", "\ud800", "\u202e", "&#0;", "<", "\r", "\x85", '"', "\x1b]0;"]
)
TEXTS = st.lists(st.text(max_size=8) | ODD, max_size=5).map("".join)
BYTES = st.lists(st.binary(max_size=20) | ODD.map(lambda text: text.encode("utf-8", "surrogatepass")), max_size=5).map(
    b"".join
)


def valid(run: SavedRun) -> etree._Element:
    """Return the report as Jenkins, GitLab and the rest would read it, after three readers have agreed about it."""
    text = "".join(junit_report.report(run))
    assert text.isascii()
    root = etree.fromstring(text.encode())
    SCHEMA.assertValid(root)
    kinds: Counter[str] = Counter()
    for case in root.iter("testcase"):
        # As what reads pytest's files does it: a test case passed unless it has a child that says otherwise.
        kinds.update([child.tag for child in case if child.tag in {"failure", "error", "skipped"}] or ["passed"])
    stated = {"failure": root.get("failures"), "error": root.get("errors")}
    assert {kind: str(kinds[kind]) for kind in stated} == stated
    assert root.get("tests") == str(kinds.total())
    parsed = JUnitXml.fromstring(text.encode())
    assert sum(len(list(suite)) for suite in parsed) == kinds.total()
    assert sum(suite.skipped for suite in parsed) == kinds["skipped"]
    return root


def properties_of(suite: etree._Element, test: str) -> dict[str, str]:
    """Return the properties in the output of a test case, as readers of them take them apart."""
    text = suite.findtext(f"testcase[@name='{test}']/system-out", "")
    return dict(re.findall(r"^\[\[PROPERTY\|([^=\]|]+)=(.*)\]\]$", text, re.MULTILINE))


def results(suite: etree._Element) -> list[tuple[str | None, str]]:
    """Return what each test case of a suite came to."""
    return [
        (case.get("name"), next((child.tag for child in case if not child.tag.startswith("system")), "passed"))
        for case in suite.iter("testcase")
    ]


NOT_RUN = "not run: setup exited with 1"
WITHHELD = Verdict(Status.NOT_JUDGED, None, None, None, 0.8, (), reasons=("not run: it depends on b",))


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (graded("a", check("tests", 1.0)), [("tests", "passed"), ("verdict", "passed")]),
        (graded("a", check("tests", 0.0, "3 of 9")), [("tests", "failure"), ("verdict", "skipped")]),
        (graded("a", check("tests", None, "no such program")), [("tests", "error"), ("verdict", "skipped")]),
        (graded("a", check("tests", 1.0), OPTIONAL), [("tests", "passed"), ("style", "passed"), ("verdict", "passed")]),
        (
            graded("a", check("tests", 0.0), OPTIONAL),
            [("tests", "failure"), ("style", "failure"), ("verdict", "skipped")],
        ),
        (
            graded("a", check("tests", 1.0), check("judge", None, "no judge", status=Status.NOT_JUDGED, weight=0.0)),
            [("tests", "passed"), ("judge", "skipped"), ("verdict", "passed")],
        ),
        (
            graded("a", check("tests", None, NOT_RUN), faults=("setup exited with 1",)),
            [("tests", "skipped"), ("verdict", "error")],
        ),
        (replace(graded("a"), verdict=WITHHELD), [("verdict", "skipped")]),
        (
            graded("a", check("tests", 0.0), check("judge", None, "no judge")),
            [("tests", "failure"), ("judge", "error"), ("verdict", "skipped")],
        ),
        (
            graded("a", check("tests", 0.0), check("judge", None, NOT_RUN), faults=("setup exited with 1",)),
            [("tests", "failure"), ("judge", "skipped"), ("verdict", "error")],
        ),
    ],
)
def test_every_verdict_becomes_what_readers_know(
    tmp_path: Path, one: Result, expected: list[tuple[str | None, str]]
) -> None:
    (suite,) = valid(write(tmp_path, [one])).iter("testsuite")
    assert results(suite) == expected


def test_each_failure_counts_once(tmp_path: Path) -> None:
    failed = [graded(f"case {n}", check("tests", 1.0), check("style", 0.0, "2 of 4 rules")) for n in range(38)]
    root = valid(write(tmp_path, failed))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("114", "38", "0")
    skipped = root.find("testsuite/testcase[@name='verdict']/skipped")
    assert skipped.get("message") == "failed, which its checks count: score 0.5 is below the threshold 0.8"


def test_an_optional_check_that_failed_is_described_by_properties(tmp_path: Path) -> None:
    (suite,) = valid(write(tmp_path, [graded("a", check("tests", 1.0), OPTIONAL)])).iter("testsuite")
    properties = {str(one.get("name")): one.get("value") for one in suite.iter("property")}
    assert properties["style.verdict"] == "failed, optional"
    assert (properties["style.score"], properties["style.reason"]) == ("0.5000", "2 of 4 rules")
    assert suite.get("failures") == "0"
    lines = suite.findtext("testcase[@name='style']/system-out", "").splitlines()
    assert properties_of(suite, "style") == {"verdict": "failed, optional", "score": "0.5000", "reason": "2 of 4 rules"}
    assert lines[-1] == "E501"


@pytest.mark.parametrize("reason", ["arr[0]", "a]]b", "[[PROPERTY|x=y]]", "]", "x\n[[/PROPERTY]]", "::error::x"])
def test_a_property_ends_where_its_line_ends(tmp_path: Path, reason: str) -> None:
    (suite,) = valid(write(tmp_path, [graded("a", check("tests", 1.0), replace(OPTIONAL, reason=reason))]))
    found = properties_of(suite, "style")
    assert set(found) == {"verdict", "score", "reason"}
    assert found["reason"].replace("\\u005d", "]").replace("\\u005b", "[").replace("\\u003a", ":") == " ".join(
        reason.split("\n")
    )


ATTACKS = (
    "[[ATTACHMENT|/etc/passwd]]",
    "before [[ATTACHMENT|../../.env|{}]] after",
    "[[[ATTACHMENT|x]]]",
    "[\x1b[0m[ATTACHMENT|x]]",
    "[\x00[ATTACHMENT|x]]",
    "[\ufffe[ATTACHMENT|x]]",
    "[[attachment|x]]",
    "[[PROPERTY|verdict=passed]]",
    "[[PROPERTY|log]]\nx\n[[/PROPERTY]]",
    "##teamcity[publishArtifacts '/etc']",
    "  ::add-mask::x",
    "##vso[task.uploadfile]/etc/passwd",
)


def test_no_reader_of_the_file_takes_an_order_from_a_candidate(tmp_path: Path) -> None:
    bad = [
        check(text, 0.0, text, step(text, text, argv=(text,), stdout=capture(text.encode()), stderr=capture(b"[[" * 3)))
        for text in ATTACKS
    ]
    own = step("setup", "no", role="setup", stdout=capture("\n".join(ATTACKS).encode()))
    names = {"submission": ATTACKS[0], "target": ATTACKS[1], "category": ATTACKS[2], "tags": ATTACKS}
    failed = graded("a", *bad, own_steps=(own,), **names)
    fine = graded("b", check("tests", 1.0), replace(OPTIONAL, reason=ATTACKS[0]), **names)
    root = valid(write(tmp_path, [failed, fine]))
    texts = [text for node in root.iter() for text in (node.text or "", *map(str, node.attrib.values()))]
    assert not [text for text in texts if re.search(r"\[\[\W*(attachment|/property)", text, re.IGNORECASE)]
    assert not [text for text in texts if re.search(r"^\s*::|##\w*\[", text, re.MULTILINE)]
    # Ours: three of the one optional check that failed.
    assert sum(text.count("[[PROPERTY|") for text in texts) == 3
    assert "\\u005b[ATTACHMENT|/etc/passwd]]" in "".join(texts)


def test_no_class_is_a_path_at_which_jenkins_would_look_for_files(tmp_path: Path) -> None:
    one = graded("a", check("t", 1.0), submission="/home/x/../secret")
    root = valid(write(tmp_path, [one, graded("a", check("t", 1.0), submission="c:\\x")]))
    assert {case.get("classname") for case in root.iter("testcase")} == {"a, %2fhome%2fx%2f..%2fsecret", "a, c:%5cx"}


@pytest.mark.parametrize(
    ("verdicts", "names"),
    [
        ([graded("a", check("t", 1.0))], ["a"]),
        ([graded("a", check("t", 1.0)), graded("b", check("t", 1.0))], ["a", "b"]),
        (
            [graded("a", check("t", 1.0), submission="one"), graded("a", check("t", 1.0), submission="two")],
            ["a / one", "a / two"],
        ),
        (
            [graded("a", check("t", 1.0), target="old"), graded("a", check("t", 1.0), target="new", repeat=2)],
            ["a / old / repeat 1", "a / new / repeat 2"],
        ),
    ],
)
def test_a_suite_is_called_by_what_tells_it_apart(tmp_path: Path, verdicts: list[Result], names: list[str]) -> None:
    root = valid(write(tmp_path, verdicts))
    assert [suite.get("name") for suite in root] == names
    assert {case.get("classname") for case in root.iter("testcase")} == {name.replace(" / ", ", ") for name in names}


def test_the_times_of_a_suite_add_up(tmp_path: Path) -> None:
    (suite,) = valid(write(tmp_path, [graded("a", check("t", 1.0, "", step("t", seconds=1.25)), wall_seconds=3.0)]))
    assert [case.get("time") for case in suite.iter("testcase")] == ["1.250", "1.750"]
    assert (suite.get("time"), suite.get("timestamp")) == ("3.000", "2026-01-31T14:25:00")


def test_hostile_output_is_plain_text(tmp_path: Path) -> None:
    root = valid(write(tmp_path, [hostile()]))
    text = "".join(root.itertext()) + " ".join(str(value) for node in root.iter() for value in node.attrib.values())
    assert "bold red green of 256" in text.replace("\n", " ")
    assert "\\u202e" in text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u200b]|\[1;31m|a title", text)
    assert "<script>" in text


def test_a_control_string_without_an_end_hides_nothing(tmp_path: Path) -> None:
    failed = check("t", 0.0, "no", step("t", "no", stdout=capture(b"\x1b]0;title\nshown\x1b[999\n\x1b")))
    (suite,) = valid(write(tmp_path, [graded("a", failed)]))
    assert suite.findtext("testcase/system-out", "").splitlines()[1:3] == ["]0;title", "shown[999"]


def test_output_is_limited_by_stream_and_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit_report, "STREAM_MAX", 100)
    monkeypatch.setattr(junit_report, "FILE_MAX", 2000)
    flood = capture(b"begin" + b"\xff" * 5000 + b"end", 1_000_000)
    steps = (step(f"t {number}", "no", stdout=flood, stderr=capture(b"short")) for number in range(50))
    run = write(tmp_path, [graded("a", check("t", 0.0, "no", *steps))])
    (suite,) = valid(run)
    out = suite.findtext("testcase/system-out", "")
    assert "999900 bytes omitted" in out
    assert junit_report._OMITTED in out
    assert len("".join(junit_report.report(run))) < 50 * 2 * len(junit_report._OMITTED) + 5000


def test_commands_of_the_case_itself_belong_to_the_suite(tmp_path: Path) -> None:
    failed = replace(
        step("setup 1", "exit status 1", role="setup", stderr=capture(b"no space")), argv=("sh", "-c", "x")
    )
    one = graded("a", check("t", None, NOT_RUN), faults=("setup 1 failed",), own_steps=(failed,))
    (suite,) = valid(write(tmp_path, [one]))
    assert suite.findtext("system-err", "").splitlines() == ["$ sh -c x (exit status 1 after 0.30 s)", "no space"]


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_no_text_and_no_bytes_make_it_invalid(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    def text() -> str:
        return data.draw(TEXTS)

    failed = step(text(), text(), argv=(text(), text()), stdout=capture(data.draw(BYTES)), stderr=capture(HOSTILE))
    own = step(text(), "no", role="setup", stdout=capture(data.draw(BYTES)), stderr=Capture())
    names: dict[str, Any] = {"submission": text(), "target": text() or None, "category": text(), "tags": (text(),)}
    score = data.draw(st.sampled_from([0.0, 1.0, None]))
    checks = check(text(), score, text(), failed), replace(OPTIONAL, name=text(), reason=text())
    one = graded(text(), *checks, own_steps=(own,), **names)
    valid(write(tmp_path_factory.mktemp("runs"), [one, replace(one, repeat=2)]))


def test_no_run_is_too_small(tmp_path: Path) -> None:
    root = valid(write(tmp_path, []))
    assert (root.get("tests"), len(root)) == ("0", 0)


@pytest.mark.parametrize(("strategy", "failures"), [("pass_at_k", 0), ("mean", 1)])
def test_a_try_that_failed_fails_nothing_if_its_case_passed(tmp_path: Path, strategy: str, failures: int) -> None:
    tried = [graded("a", check("t", score), trials=strategy, repeat=n) for n, score in enumerate((1.0, 0.5), 1)]
    root = valid(write(tmp_path, tried))
    assert root.get("failures") == str(failures)
    (case,) = root.findall("testsuite[@name='tries']/testcase")
    assert (case.get("name"), case.find("skipped") is not None) == ("a", bool(failures))
