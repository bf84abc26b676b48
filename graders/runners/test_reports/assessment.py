"""Scores a test report together with the exit status of the command that wrote it. Pure.

The exit status comes first. With status 0 a report must exist, complete and without a failure, since a runner that
succeeded has written all of it. Any other report shows that the runner was ended early, or that its report was forged.
With another status the report shows how many tests passed. If it shows no failure, it does not explain the status and
earns nothing; that is no tampering, since runners also end like that for a hook or an error outside of any test.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from importlib import import_module
from posixpath import normpath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from graders.documents.entries import Entry
from graders.documents.fields import Texts, WorkspaceFile
from graders.documents.validators import refused
from graders.model.evidence import Artifact
from graders.model.tampering import Tampering, TamperingKind
from graders.model.tree import Tree, parents
from graders.runners.test_reports.test_report import CutOff, Index, Report, State, Unreadable
from sandbox.archive import EntryKind
from sandbox.records import dataclass

_NAME_MAX = 200
_NAMED = 3
# Of the list of tests in a verdict, so that all of its details together are kept.
_LIST_MAX_CHARACTERS = 40_000


def _writable(path: str) -> str:
    if path.partition("/")[0] == "grading":
        raise refused("must not lie in `grading`, where no command can write", "Write it to the workspace itself.")
    return path


def parser(form: str) -> Callable[[bytes], Report]:
    """Return the function that reads reports of a format, which is a module of this package."""
    parse: Callable[[bytes], Report] = import_module(f"{__package__}.{form}").parse
    return parse


class ReportEntry(Entry):
    """A report on each test, which the command writes."""

    format: Literal["junit", "ctrf", "tap"] = Field(description="What it is written in.")
    path: Annotated[WorkspaceFile, AfterValidator(normpath), AfterValidator(_writable)] = Field(
        description="Where it is, relative to the workspace; what is there before the command runs is removed."
    )
    # Empty where all tests count.
    must_pass: Texts = Field(default=(), description="The tests that count. Each of them is required.")
    must_exist: Texts = Field(default=(), description="Tests that have failed if they did not run.")

    def repeated(self) -> Iterator[tuple[str, int, str]]:
        """Yield the tests that are listed twice: the field, the position and the name."""
        for field_name, tests in (("must_pass", self.must_pass), ("must_exist", self.must_exist)):
            yield from ((field_name, n, test) for n, test in enumerate(tests) if test in tests[:n])


@dataclass(frozen=True, slots=True)
class Assessment:
    """The score of a report.

    Attributes:
        score: In [0, 1].
        reason: A clause for people.
        details: Every test, for the record.
        missed: Tests that must pass and did not.
        tampering: At most one finding.
        passed: How many tests passed according to it.
    """

    score: float
    reason: str
    details: Mapping[str, Any] = field(default_factory=dict)
    missed: tuple[str, ...] = ()
    tampering: tuple[Tampering, ...] = ()
    passed: int = 0


def assess(spec: ReportEntry, exit_code: int, artifact: Artifact, tree: Tree) -> Assessment:
    """Return the score of a command's report.

    Args:
        spec: The report that the case requests.
        exit_code: Of the command, which ended by itself.
        artifact: What was found at the path.
        tree: The workspace as it was before anything was run.
    """
    try:
        report = _read(spec, artifact, tree)
    except Unreadable as problem:
        if exit_code == 0 and isinstance(problem, CutOff):
            return _disagreement(spec, str(problem))
        return _nothing(spec, f"exit status {exit_code}, and the report {spec.path} cannot be read: {problem}")
    counts = f"{report.count(State.PASSED)} passed, {report.count(State.FAILED)} failed"
    details = _details(spec, report)
    if exit_code == 0 and report.shows_failure:
        return _disagreement(spec, f"{counts}, {report.cut_off}" if report.cut_off else counts, details)
    if exit_code != 0 and not report.shows_failure:
        return _nothing(spec, f"exit status {exit_code}, although the report shows no failed test ({counts})", details)
    return _counted(spec, report, details)


def problem(spec: ReportEntry, artifact: Artifact) -> str:
    """Say that the report is ``missing``, or of another ``format``; empty if it can be read, or was cut off."""
    if artifact.missing:
        return "missing"
    try:
        _read(spec, artifact, Tree())
    except Unreadable as unreadable:
        return "" if isinstance(unreadable, CutOff) or artifact.problem else "format"
    return ""


def _read(spec: ReportEntry, artifact: Artifact, tree: Tree) -> Report:
    ahead = parents(spec.path)
    beyond = next((at for at in ahead if at in tree.entries and tree.entries[at].kind is EntryKind.LINK), None)
    if artifact.missing and beyond:
        # The runner may have written through that link, whoever made it.
        raise Unreadable(f"it lies beyond the link {beyond}")
    if artifact.missing:
        raise CutOff(artifact.problem)
    if artifact.problem:
        raise Unreadable(artifact.problem)
    return parser(spec.format)(artifact.data)


def _disagreement(spec: ReportEntry, seen: str, details: Mapping[str, Any] | None = None) -> Assessment:
    reason = f"exit status 0, but the report {spec.path} shows no complete success: {seen}"
    what = (
        f"{reason}; if this also happens with honest work, make sure that the command writes this file and ends with "
        "the exit status of its test runner"
    )
    finding = Tampering(TamperingKind.REPORT_DISAGREES, what, evidence=f"exit status 0; {spec.path}: {seen}")
    return _nothing(spec, reason, details, (finding,))


def _nothing(
    spec: ReportEntry, reason: str, details: Mapping[str, Any] | None = None, tampering: tuple[Tampering, ...] = ()
) -> Assessment:
    return Assessment(0.0, reason, details or {}, spec.must_pass, tampering)


def _counted(spec: ReportEntry, report: Report, details: Mapping[str, Any]) -> Assessment:
    index = Index(report.tests)
    must_pass = dict.fromkeys(spec.must_pass)
    missed = tuple(name for name in must_pass if index.state(name) is not State.PASSED)
    absent = tuple(name for name in _others(spec) if index.state(name) is State.SKIPPED)
    if must_pass:
        passed, total = len(must_pass) - len(missed), len(must_pass)
        wrong = absent
    else:
        passed = report.count(State.PASSED)
        total = passed + report.count(State.FAILED) + report.lost
        failed = dict.fromkeys(test.full_name for test in report.tests if test.state is State.FAILED)
        wrong = (*failed, *absent)
    total += len(absent)
    if not total:
        return _nothing(spec, "the report has no test that ran", details)
    reason = f"{passed} of {total} passed"
    if wrong:
        reason += f"; not passed: {', '.join(few(wrong))}"
    elif report.cut_off:
        reason += f"; {report.cut_off}"
    return Assessment(passed / total, reason, details, missed, passed=report.count(State.PASSED))


def few(names: Sequence[str]) -> tuple[str, ...]:
    """Return the first of some names, in a form that can be shown, and how many more there are."""
    more = (f"{len(names) - _NAMED} more",) if len(names) > _NAMED else ()
    return (*(_safe(name) for name in names[:_NAMED]), *more)


def _others(spec: ReportEntry) -> Iterator[str]:
    """Yield what must exist and is not among what must pass, where it counts already."""
    return (name for name in dict.fromkeys(spec.must_exist) if name not in spec.must_pass)


def _details(spec: ReportEntry, report: Report) -> dict[str, Any]:
    """Return every test for the record, those that failed first, as many as there is room for."""
    index = Index(report.tests)
    listed = [
        *(_row(name, index.state(name), must="pass") for name in dict.fromkeys(spec.must_pass)),
        *(_row(name, index.state(name), must="exist") for name in _others(spec)),
    ]
    ordered = sorted(report.tests, key=lambda test: test.state is not State.FAILED)
    rows = [*listed, *(_row(test.full_name, test.state) for test in ordered[: _LIST_MAX_CHARACTERS // 20])]
    shown: list[dict[str, str]] = []
    room = _LIST_MAX_CHARACTERS
    for row in rows:
        room -= len(json.dumps(row, ensure_ascii=False)) + 2
        if room < 0:
            break
        shown.append(row)
    return {
        "report": spec.path,
        "counts": {**{str(state): report.count(state) for state in State}, "missing": report.lost},
        "tests": shown,
        "tests_left_out": len(listed) + len(report.tests) - len(shown),
    }


def _row(name: str, state: State, must: str = "") -> dict[str, str]:
    """Return a row of the list. A listed test has not run if it was skipped, or does not exist."""
    row = {"name": _safe(name), "state": str(state)}
    return {**row, "state": "not_run" if state is State.SKIPPED else str(state), "must": must} if must else row


def _safe(name: str) -> str:
    """Return a test's name in a form that can be shown: on one line, and not longer than that."""
    text = "".join(character if character.isprintable() else "\ufffd" for character in name[: _NAME_MAX + 1])
    return text if len(text) <= _NAME_MAX else f"{text[: _NAME_MAX - 3]}..."
