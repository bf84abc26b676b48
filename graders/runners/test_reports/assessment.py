"""Scores a test report together with the exit status of the command that wrote it. Pure.

With exit status 0, a complete report without a failure must exist, since a runner that succeeded has written all of it.
Otherwise the runner was ended early, or its report was forged. With any other status, the report shows how many tests
passed. If it shows no failure, it does not explain the status and earns nothing. That is not tampering, since runners
also exit like that after an error in a hook or outside of any test.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from importlib import import_module
from typing import Any

from gradebox.graders.model.evidence import Artifact
from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.graders.model.tree import Tree, parents
from gradebox.graders.model.verdict import OwnDetails
from gradebox.graders.runners.test_reports.report_entry import ReportEntry, ReportGroup
from gradebox.graders.runners.test_reports.test_report import CutOff, Index, Report, Reported, State, Unreadable
from gradebox.sandbox.archive import EntryKind
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import WORKSPACE

_NAME_MAX = 200
_NAMED = 3
# Limits the list of tests in a verdict, so that its details are not cut.
_LIST_MAX_CHARACTERS = 40_000
_FILES_MAX = 20
_FAILED = (State.FAILED, State.NOT_LOADED)
_NOT_RUN = (State.SKIPPED, State.ABSENT, State.NOT_LOADED)


def parser(form: str) -> Callable[[bytes], Report]:
    """Return the function that parses reports of a format; each format is a module of this package."""
    parse: Callable[[bytes], Report] = import_module(f"{__package__}.{form}").parse
    return parse


@dataclass(frozen=True, slots=True)
class Assessment:
    """The score of a report."""

    score: float  # In [0, 1].
    reason: str  # A clause for people.
    details: Mapping[str, Any] = field(default_factory=dict)  # Every test, for the record.
    missed: tuple[str, ...] = ()  # Tests that must pass but did not.
    tampering: tuple[Tampering, ...] = ()  # At most one finding.
    passed: int = 0  # How many tests passed according to the report.
    unfinished: bool = False  # Whether the score is 0 even with `negate`, because a test file could not be loaded.


def assess(
    spec: ReportEntry, exit_code: int, artifact: Artifact, tree: Tree, not_loaded: Mapping[str, str] | None = None
) -> Assessment:
    """Return the score of a command's report.

    `not_loaded` maps the files that the test runner could not load to the reasons.
    """
    try:
        report = _read(spec, artifact, tree)
    except Unreadable as problem:
        if exit_code == 0 and isinstance(problem, CutOff):
            return _disagreement(spec, str(problem))
        return _nothing(spec, f"exit status {exit_code}, and the report {spec.path} cannot be read: {problem}")
    counts = f"{report.count(State.PASSED)} passed, {report.count(State.FAILED)} failed"
    if report.count(State.NOT_LOADED):
        counts += f", {report.count(State.NOT_LOADED)} not loaded"
    found = {
        test.full_name.removeprefix(f"{WORKSPACE}/"): test.why
        for test in report.tests
        if test.state is State.NOT_LOADED
    }
    details = _details(spec, report, not_loaded or found)
    if exit_code == 0 and report.shows_failure:
        return _disagreement(spec, f"{counts}, {report.cut_off}" if report.cut_off else counts, details)
    if exit_code != 0 and not report.shows_failure:
        return _nothing(spec, f"exit status {exit_code}, although the report shows no failed test ({counts})", details)
    if details["not_loaded"] and not (spec.listed or spec.must_exist):
        return replace(_nothing(spec, unloaded(details["not_loaded"]), details), unfinished=True)
    counted = _counted(spec, report, details)
    also = f"; {unloaded(details['not_loaded'])}" if details["not_loaded"] else ""
    return replace(counted, reason=f"{counted.reason}{also}")


def _path(name: str) -> str:
    return name.removeprefix(f"{WORKSPACE}/")


def unloaded(files: Mapping[str, str]) -> str:
    """Return a clause that names the first file that could not be loaded, the reason, and the number of others."""
    names = [_safe(name) for name in files]
    why = _safe(next(iter(files.values())))
    also = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    return f"{names[0]}{also} could not be loaded{f': {why.strip()}' if why.strip() else ''}"


def problem(spec: ReportEntry, artifact: Artifact) -> str:
    """Return ``missing``, or ``format`` for a report of another format; empty if it can be read or was cut off."""
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
        # The runner may have written the report through that link.
        raise Unreadable(f"it is below the symbolic link {beyond}, which is not followed")
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
    return Assessment(0.0, reason, details or {}, spec.required, tampering)


def _counted(spec: ReportEntry, report: Report, details: Mapping[str, Any]) -> Assessment:
    index = Index(report.tests)
    passed = report.count(State.PASSED)
    absent = tuple(name for name in _others(spec) if index.state(name) in _NOT_RUN)
    missed = tuple(name for name in spec.required if index.state(name) is not State.PASSED)
    if spec.groups:
        return _grouped(spec.groups, index, details, missed, passed)
    if spec.must_pass:
        counted, total = len(spec.required) - len(missed), len(spec.required)
        wrong = absent
    else:
        counted, total = passed, passed + report.count(State.FAILED) + report.count(State.NOT_LOADED) + report.lost
        failed = dict.fromkeys(test.full_name for test in report.tests if test.state in _FAILED)
        wrong = (*failed, *absent)
    total += len(absent)
    if not total:
        return _nothing(spec, "the report has no test that ran", details)
    reason = f"{counted} of {total} passed"
    if wrong:
        reason += f"; not passed: {', '.join(few(wrong))}"
    elif report.cut_off:
        reason += f"; {report.cut_off}"
    return Assessment(counted / total, reason, details, missed, passed=passed)


def _grouped(
    groups: Sequence[ReportGroup], index: Index, details: Mapping[str, Any], missed: tuple[str, ...], passed: int
) -> Assessment:
    """Return the weighted mean of the groups' shares."""
    counts = [(sum(index.state(name) is State.PASSED for name in group.tests), len(group.tests)) for group in groups]
    shares = [part / total for part, total in counts]
    score = sum(group.weight * share for group, share in zip(groups, shares, strict=True)) / sum(
        group.weight for group in groups
    )
    rows = [
        {"name": _safe(group.name), "passed": part, "of": total, "weight": group.weight, "required": group.required}
        for group, (part, total) in zip(groups, counts, strict=True)
    ]
    reason = "; ".join(f"{row['name']}: {row['passed']} of {row['of']} passed" for row in rows[:_NAMED])
    return Assessment(min(score, 1.0), reason, OwnDetails({**details, "groups": rows}), missed, passed=passed)


def few(names: Sequence[str]) -> tuple[str, ...]:
    """Return the first names, made safe for display, and the number of others."""
    more = (f"{len(names) - _NAMED} more",) if len(names) > _NAMED else ()
    return (*(_safe(name) for name in names[:_NAMED]), *more)


def _others(spec: ReportEntry) -> Iterator[str]:
    """Yield the tests that must exist, except those of `must_pass`, which count already."""
    required = frozenset(spec.must_pass)
    return (name for name in dict.fromkeys(spec.must_exist) if name not in required)


def _details(spec: ReportEntry, report: Report, not_loaded: Mapping[str, str]) -> OwnDetails:
    """Return tests for the record: every listed test that did not pass, then as many others as fit."""
    index = Index(report.tests)
    must = "group" if spec.groups else "must"
    rows = [_row(name, index.state(name), must, group.name or "pass") for group in spec.listed for name in group.tests]
    rows += [_row(name, index.state(name), "must", "exist") for name in _others(spec)]
    rows.sort(key=lambda row: row["state"] == State.PASSED)
    never_cut = sum(row["state"] != State.PASSED for row in rows)
    ordered: list[Reported] = sorted(report.tests, key=lambda test: test.state not in _FAILED)
    rows += [_row(test.full_name, test.state) for test in ordered[: _LIST_MAX_CHARACTERS // 20]]
    shown = rows[:never_cut]
    room = _LIST_MAX_CHARACTERS
    for row in rows[never_cut:]:
        room -= len(json.dumps(row, ensure_ascii=False)) + 2
        if room < 0:
            break
        shown.append(row)
    all_listed = sum(len(group.tests) for group in spec.listed) + len(tuple(_others(spec)))
    counted = (State.PASSED, State.FAILED, State.SKIPPED, State.NOT_LOADED)
    return OwnDetails(
        {
            "report": spec.path,
            "counts": {**{str(state): report.count(state) for state in counted}, "missing": report.lost},
            "not_loaded": {_safe(name): _safe(why) for name, why in list(not_loaded.items())[:_FILES_MAX]},
            "tests": shown,
            "tests_left_out": all_listed + len(report.tests) - len(shown),
        }
    )


def _row(name: str, state: State, key: str = "", value: str = "") -> dict[str, str]:
    row = {"name": _safe(name), "state": str(state)}
    return {**row, key: value} if key else row


def _safe(name: str) -> str:
    """Return a test's name on one line, shortened for display."""
    text = "".join(character if character.isprintable() else "\ufffd" for character in name[: _NAME_MAX + 1])
    return text if len(text) <= _NAME_MAX else f"{text[: _NAME_MAX - 3]}..."
