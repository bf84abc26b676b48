"""The tests that a case lists for a report: in the case or in a file, alone or in groups; and mistakes in the lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.cases import Loaded, load
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.runners.test_reports.report_entry import ReportEntry, ReportGroup

NODES = ("tests/test_a.py::test_one", "tests/test_a.py::TestTwo::test_three[x-1]")
LINES = "\r\n".join((*NODES, "")).encode()


def loaded(directory: Path, report: str, **files: bytes) -> Loaded:
    (directory / "grading").mkdir()
    for name, data in files.items():
        (directory / "grading" / name.replace("__", ".")).write_bytes(data)
    check = f"{{type: code-grader, command: a, report: {{format: junit, path: r.xml, {report}}}}}"
    (directory / "case.yaml").write_text(f"image: gradebox/base\nassertions: [{check}]\n", "utf-8")
    return load(directory)


def report_of(found: Loaded) -> ReportEntry:
    ((check,),) = (case.checks for case in found.cases)
    assert isinstance(check, CodeGrader)
    assert check.report is not None
    return check.report


@pytest.mark.parametrize(
    ("name", "data"), [("pass__txt", LINES), ("pass__txt", b"\xef\xbb\xbf" + LINES + b"\n \n"), ("pass__json", None)]
)
def test_a_list_is_read_from_a_file(name: str, data: bytes | None, tmp_path: Path) -> None:
    data = data or str(list(NODES)).replace("'", '"').encode()
    written = f"must_pass: {{file: grading/{name.replace('__', '.')}}}, must_exist: b"
    found = report_of(loaded(tmp_path, written, **{name: data}))
    assert (found.must_pass, found.must_exist) == (NODES, ("b",))
    assert found.required == NODES
    assert [(group.required, group.tests) for group in found.listed] == [(True, NODES)]


def test_groups_have_weights_and_lists_of_their_own(tmp_path: Path) -> None:
    groups = "[{name: new, required: true, tests: {file: grading/p.txt}}, {name: old, weight: 3, tests: a}]"
    found = report_of(loaded(tmp_path, f"groups: {groups}", p__txt=LINES))
    assert found.groups == (
        ReportGroup(name="new", required=True, tests=NODES),
        ReportGroup(name="old", weight=3.0, tests=("a",)),
    )
    assert found.listed == found.groups
    assert found.required == NODES


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("must_pass: {file: grading/none.txt}", "the file `grading/none.txt` does not exist"),
        ("must_pass: {fiel: grading/p.txt}", "unknown key `fiel`"),
        ("must_pass: {file: grading/empty.txt}", "lists no test"),
        ("must_pass: {file: grading/twice.txt}", "`a` is listed twice in it"),
        ("must_pass: {file: grading/latin.txt}", "not UTF-8"),
        ("must_pass: {file: grading/numbers.json}", "must be text, not the number 1"),
        ("must_pass: {file: grading/object.json}", "must be a list"),
        ("must_pass: 1", "must be text"),
        ("must_exist: [a, b, a]", "`a` is listed twice"),
        ("must_pass: a, groups: [{name: g, tests: a}]", "`groups` takes the place of"),
        ("groups: [{name: g, tests: []}]", "the group lists no test"),
        ("groups: [{name: g, tests: a}, {name: g, tests: b}]", "two groups are named `g`"),
        ("groups: [{name: g, weight: 0, tests: a}]", "no group has a weight"),
        ("groups: [{tests: a}]", "`name` is missing"),
        ("groups: [{name: g}]", "`tests` is missing"),
    ],
)
def test_a_mistake_in_a_list_is_reported_with_its_place(written: str, message: str, tmp_path: Path) -> None:
    files = {"empty__txt": b"\n", "twice__txt": b"a\nb\na\n", "latin__txt": b"\xe4\n"}
    found = loaded(tmp_path, written, **files, numbers__json=b'["a", 1]', object__json=b'{"a": "b"}')
    (error,) = found.errors
    assert message in error.message
    assert error.place.line > 0


def test_a_required_group_cannot_be_negated(tmp_path: Path) -> None:
    found = loaded(tmp_path, "groups: [{name: g, required: true, tests: a}]}, negate: true, env: {A: b")
    (error,) = found.errors
    assert "cannot be negated" in error.message


@pytest.mark.parametrize(("written", "asks"), [("", True), ("must_pass: a", False), ("must_exist: a", False)])
def test_a_report_without_a_list_is_pointed_out(written: str, *, asks: bool, tmp_path: Path) -> None:
    found = loaded(tmp_path, written)
    assert not found.errors
    assert ["no test is listed" in warning.message for warning in found.warnings] == [True] * asks
