"""What a test report comes to beside an exit status: the score in parts, what is listed, and when they disagree."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weakened_defences import Defence, switched_off

from gradebox.graders.grading.artifacts import MAX_BYTES, artifact_of
from gradebox.graders.model.evidence import Artifact
from gradebox.graders.model.tampering import TamperingKind
from gradebox.graders.model.tree import Tree
from gradebox.graders.model.verdict_document import DETAILS_MAX_CHARACTERS
from gradebox.graders.runners.test_reports.assessment import Assessment, assess, unloaded
from gradebox.graders.runners.test_reports.report_entry import ReportEntry, ReportGroup
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry

MISSING = artifact_of((), "r.json")
STATES = {"+": "passed", "-": "failed", "~": "skipped"}


def written(tests: str) -> Artifact:
    """Return a report of tests such as ``+a -b ~c``."""
    rows = [{"name": word[1:], "status": STATES[word[0]], "suite": "s"} for word in tests.split()]
    return Artifact(json.dumps({"results": {"tests": rows}}).encode())


def assessed(artifact: Artifact, exit_code: int, *, tree: Tree | None = None, **lists: Any) -> Assessment:
    return assess(ReportEntry(format="ctrf", path="r.json", **lists), exit_code, artifact, tree or Tree())


@pytest.mark.parametrize(
    ("tests", "exit_code", "lists", "score", "missed"),
    [
        # Nothing is listed: every test that ran counts.
        ("+a +b", 0, {}, 1.0, ()),
        ("+a +b -c", 1, {}, 2 / 3, ()),
        ("+a ~b", 0, {}, 1.0, ()),
        ("-a ~b", 1, {}, 0.0, ()),
        ("+a +a -a", 1, {}, 2 / 3, ()),
        # must_exist: what did not run has failed, in addition.
        ("+a +b", 0, {"must_exist": ("a", "s::b")}, 1.0, ()),
        ("+a +b", 0, {"must_exist": ("a", "gone")}, 2 / 3, ()),
        ("+a ~b", 0, {"must_exist": ("b",)}, 0.5, ()),
        ("+a -b", 1, {"must_exist": ("b",)}, 0.5, ()),
        # must_pass: these count and no others, each once.
        ("+a -b", 1, {"must_pass": ("a",)}, 1.0, ()),
        ("+a -b +c +d", 1, {"must_pass": ("a", "b")}, 0.5, ("b",)),
        ("+a +b", 0, {"must_pass": ("a", "gone")}, 0.5, ("gone",)),
        ("+a ~b", 0, {"must_pass": ("b",)}, 0.0, ("b",)),
        ("+a -a", 1, {"must_pass": ("a",)}, 0.0, ("a",)),
        ("+a ~a", 0, {"must_pass": ("a",)}, 1.0, ()),
        ("+x1 +x2 -x3", 1, {"must_pass": ("s::x*",)}, 0.0, ("s::x*",)),
        ("+x1 +x2 -y", 1, {"must_pass": ("x*", "y")}, 0.5, ("y",)),
        # Both.
        ("+a -b", 1, {"must_pass": ("a",), "must_exist": ("b",)}, 1.0, ()),
        ("+a -b", 1, {"must_pass": ("a",), "must_exist": ("gone", "a")}, 0.5, ()),
    ],
)
def test_the_score_is_the_share_of_what_counts(
    tests: str, exit_code: int, lists: dict[str, Any], score: float, missed: tuple[str, ...]
) -> None:
    found = assessed(written(tests), exit_code, **lists)
    assert (found.score, found.missed, found.tampering) == (score, missed, ())
    assert found.reason


@pytest.mark.parametrize(
    ("tests", "exit_code", "scores"),
    [("+a -b +c +d", 1, [0.75, 0.5, 0.6]), ("+a +b +c +d", 0, [1, 1, 0.8]), ("+a +b -c -d", 1, [0.5, 1, 0.4])],
)
def test_the_worked_example_of_the_documentation(tests: str, exit_code: int, scores: list[float]) -> None:
    lists: list[dict[str, Any]] = [{}, {"must_pass": ("a", "b")}, {"must_exist": ("a", "e")}]
    assert [assessed(written(tests), exit_code, **listed).score for listed in lists] == scores


def test_a_test_more_of_the_candidate_s_own_changes_nothing_where_it_is_listed_what_must_pass() -> None:
    few, many = (assessed(written(f"+a -b{own}"), 1, must_pass=("a", "b")) for own in ("", " +own" * 500))
    assert few.score == many.score == 0.5


LINKED = Tree({"out": ArchiveEntry("out", EntryKind.LINK, target="/tmp")})


@pytest.mark.parametrize(
    ("artifact", "exit_code", "flagged", "reason"),
    [
        (MISSING, 0, True, "it is missing"),
        (MISSING, 1, False, "it is missing"),
        (
            artifact_of([ArchiveEntry("r.json", EntryKind.LINK, target="/etc/passwd")], "r.json"),
            0,
            True,
            "a link, not a file",
        ),
        (artifact_of([ArchiveEntry("r.json", EntryKind.DIRECTORY)], "r.json"), 0, True, "a directory, not a file"),
        (artifact_of([ArchiveEntry("r.json", EntryKind.DIRECTORY)], "r.json"), 2, False, "a directory, not a file"),
        (artifact_of([file_entry("r.json", bytes(MAX_BYTES + 1))], "r.json"), 0, False, "larger than 8 MiB"),
        (Artifact(b""), 0, True, "it is empty"),
        (Artifact(b'{"results": {"te'), 0, True, "it ends before its end"),
        (Artifact(b'{"results": {"te'), 1, False, "it ends before its end"),
        (Artifact(b"hello"), 0, False, "it is not JSON"),
        (Artifact(b"{}"), 0, False, "not a CTRF report"),
        (written("+a -b"), 0, True, "1 passed, 1 failed"),
        (written("+a +b"), 1, False, "shows no failed test (2 passed, 0 failed)"),
        (written(""), 5, False, "the report shows no failed test"),
        (written(""), 0, False, "the report has no test that ran"),
        (written("~a"), 0, False, "the report has no test that ran"),
    ],
)
def test_what_does_not_agree_earns_nothing_and_is_tampering_where_only_a_forger_would_do_it(
    artifact: Artifact, exit_code: int, reason: str, *, flagged: bool
) -> None:
    found = assessed(artifact, exit_code, must_pass=("a", "z"))
    assert reason in assessed(artifact, exit_code).reason
    assert (assessed(artifact, exit_code).score, bool(found.tampering)) == (0.0, flagged)
    if flagged:
        assert found.tampering[0].kind is TamperingKind.REPORT_DISAGREES
        assert found.tampering[0].evidence.startswith("exit status 0; r.json: ")
    if flagged or "ran" not in reason:
        assert (found.score, found.missed) == (0.0, ("a", "z"))


def test_a_report_beyond_a_link_of_the_workspace_is_no_tampering() -> None:
    spec = ReportEntry(format="ctrf", path="out/r.json")
    assert assess(spec, 0, MISSING, LINKED).tampering == ()
    assert assess(spec, 0, MISSING, LINKED).score == 0.0
    assert assess(spec, 0, MISSING, Tree()).tampering


def test_without_the_agreement_an_exit_status_of_0_would_be_believed() -> None:
    with switched_off(Defence.REPORT_AGREEMENT):
        assert [assessed(artifact, 0).score for artifact in (MISSING, written("-a"))] == [1.0, 1.0]
    assert [assessed(artifact, 0).score for artifact in (MISSING, written("-a"))] == [0.0, 0.0]


@given(
    st.lists(st.tuples(st.text(max_size=300), st.sampled_from(list(STATES.values()))), max_size=30), st.integers(0, 2)
)
def test_the_list_of_tests_is_kept_whatever_their_names(tests: list[tuple[str, str]], exit_code: int) -> None:
    rows = [{"name": name, "status": status} for name, status in tests] * 60
    found = assessed(Artifact(json.dumps({"results": {"tests": rows}}).encode()), exit_code)
    assert 0 <= found.score <= 1
    assert len(json.dumps(found.details, ensure_ascii=False)) < DETAILS_MAX_CHARACTERS
    listed = found.details["tests"]
    assert len(listed) + found.details["tests_left_out"] == len(rows)
    assert all(row["name"].isprintable() and len(row["name"]) <= 200 for row in listed)
    failed = sum(status == "failed" for _, status in tests) * 60
    assert all(row["state"] == "failed" for row in listed[:failed])


def test_listed_names_come_first_in_the_record() -> None:
    found = assessed(written("+a -b ~c"), 1, must_pass=("a", "b"), must_exist=("gone", "b", "c"))
    assert found.details["tests"] == [
        {"name": "b", "state": "failed", "must": "pass"},
        {"name": "gone", "state": "absent", "must": "exist"},
        {"name": "c", "state": "skipped", "must": "exist"},
        {"name": "a", "state": "passed", "must": "pass"},
        {"name": "s::b", "state": "failed"},
        {"name": "s::a", "state": "passed"},
        {"name": "s::c", "state": "skipped"},
    ]
    counts = {"passed": 1, "failed": 1, "skipped": 1, "not_loaded": 0, "missing": 0}
    assert found.details["counts"] == counts
    assert found.details["not_loaded"] == {}


def test_no_listed_test_that_did_not_pass_is_cut_out_of_the_record() -> None:
    names = [f"tests/unit/test_something.py::TestEverything::test_number[{number}]" for number in range(3000)]
    found = assessed(written("+a -b" + " -x" * 2000), 1, must_pass=tuple(names))
    assert [row["name"] for row in found.details["tests"][:3000]] == names
    assert found.details["tests_left_out"] > 0


def group(name: str, *tests: str, **more: Any) -> ReportGroup:
    return ReportGroup(name=name, tests=tests, **more)


@pytest.mark.parametrize(
    ("tests", "exit_code", "groups", "score", "missed"),
    [
        ("+a +b -c", 1, [group("new", "a"), group("old", "b", "c")], 0.75, ()),
        ("+a +b -c", 1, [group("new", "a", weight=3.0), group("old", "b", "c")], 3.5 / 4, ()),
        ("+a +b -c", 1, [group("new", "a"), group("old", "b", "c", required=True)], 0.75, ("c",)),
        ("+a -b +c", 1, [group("new", "b", required=True), group("old", "a", "c", required=True)], 0.5, ("b",)),
        ("+a +b", 0, [group("new", "a"), group("none", "gone", weight=0.0)], 1.0, ()),
        ("+a +b", 0, [group("new", "a", required=True), group("old", "gone", "b", required=True)], 0.75, ("gone",)),
        ("+a +b -own", 1, [group("new", "a", required=True), group("old", "b", required=True)], 1.0, ()),
    ],
)
def test_groups_are_scored_in_one_run(
    tests: str, exit_code: int, groups: list[ReportGroup], score: float, missed: tuple[str, ...]
) -> None:
    found = assessed(written(tests), exit_code, groups=tuple(groups))
    assert (found.score, found.missed) == (score, missed)
    rows = found.details["groups"]
    assert [(row["name"], row["of"], row["required"]) for row in rows] == [
        (one.name, len(one.tests), one.required) for one in groups
    ]
    assert {row["group"] for row in found.details["tests"] if "group" in row} == {one.name for one in groups}
    # Where nothing can be said, no required test has passed.
    assert set(assessed(MISSING, 1, groups=tuple(groups)).missed) == {t for g in groups if g.required for t in g.tests}


NOT_LOADED = (
    b'<testsuites><testsuite><testcase classname="t" name="a"/><testcase classname="t" name="b"/>'
    b'<testcase classname="" name="tests.test_c"><error message="collection failure">Traceback\n'
    b"E   ModuleNotFoundError: No module named 'work'\n</error></testcase></testsuite></testsuites>"
)


@pytest.mark.parametrize(
    ("lists", "score"),
    [
        ({}, 0.0),
        ({"must_pass": ("a",)}, 1.0),
        ({"must_pass": ("a", "tests/test_c.py::test_c")}, 0.5),
        ({"must_exist": ("a",)}, 2 / 3),
        ({"groups": (group("all", "a", "b"),)}, 1.0),
    ],
)
def test_a_file_that_does_not_load_is_not_one_test(lists: dict[str, Any], score: float) -> None:
    spec = ReportEntry(format="junit", path="r.xml", **lists)
    found = assess(spec, 1, Artifact(NOT_LOADED), Tree())
    assert (found.score, found.unfinished) == (score, not lists)
    assert "tests.test_c could not be loaded: ModuleNotFoundError: No module named 'work'" in found.reason
    # What the runner itself said goes before what is in the report, which code under test could have written.
    told = assess(spec, 1, Artifact(NOT_LOADED), Tree(), {"tests/test_c.py": "no"})
    assert told.details["not_loaded"] == {"tests/test_c.py": "no"}
    states = {row["name"]: row["state"] for row in found.details["tests"]}
    assert states.get("tests/test_c.py::test_c", "not_loaded") == "not_loaded"


def test_a_file_that_the_runner_could_not_load_counts_though_the_report_does_not_name_it() -> None:
    spec = ReportEntry(format="ctrf", path="r.json")
    found = assess(spec, 1, written("+a +b -c"), Tree(), {"tests/test_c.py": "no"})
    assert (found.score, found.reason) == (0.0, "tests/test_c.py could not be loaded: no")
    assert unloaded({"a": "  no "}) == "a could not be loaded: no"


def test_a_report_with_a_file_that_is_not_loaded_shows_a_failure() -> None:
    found = assess(ReportEntry(format="junit", path="r.xml", must_pass=("a",)), 0, Artifact(NOT_LOADED), Tree())
    assert found.score == 0.0
    assert found.tampering
    assert "2 passed, 0 failed, 1 not loaded" in found.reason
