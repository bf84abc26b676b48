"""A run as JUnit XML: a case is a test suite, a check is a test case, and the last test case is the verdict.

A failed check is a `failure`. A check that could not be graded is an `error`. A check that was not reached or not
judged is `skipped`. Each failure counts once: if a check failed, the test case of the verdict is `skipped`, with a
message. If an optional check fails and the case passes, the test case of the check passes, and properties hold its
score and reason. A case with several tries is a test case of the suite `tries`; if it passes, failures in its single
tries are `skipped`.

Jenkins validates files against junit-10.xsd of its xUnit plugin, which allows properties in suites only. The properties
of test cases are lines of output, as in https://github.com/testmoapp/junitxml ("Properties in test output").
`escaping` keeps candidates from writing such lines: some readers fetch files that they name. The file is ASCII with
character references, without control characters, and limited in size.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import NamedTuple
from xml.etree import ElementTree as ET

from gradebox.graders.model.plan import Role
from gradebox.graders.model.verdict import Status
from gradebox.graders.model.verdict_document import CheckDocument, StepDocument, VerdictDocument, result_of
from gradebox.graders.reports import wording
from gradebox.graders.reports.escaping import inert, plain, plain_line, unmarked
from gradebox.graders.reports.verdict_names import VerdictNames
from gradebox.graders.runs.saved_evidence import SavedStep, steps_of
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.graders.runs.statistics import Totals, TryKey

# The limits for one stream of one command, in printed bytes, and for all output in the file, in bytes of XML.
STREAM_MAX = 16 * 1024
FILE_MAX = 8 * 1024 * 1024
_REASONS_MAX = 20
_OMITTED = "[output omitted: this report has reached its size limit; all of it is in the run directory]"
# XML 1.0, production 2, without the C1 controls, which it discourages.
_NOT_XML = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# The JUnit element for each verdict; a verdict that passed has none.
_ELEMENTS = {"passed": "", "failed": "failure", "error": "error", "not_judged": "skipped"}
_TYPES = {"failure": "failed", "error": "could not be graded"}


class _Test(NamedTuple):
    """One test case: a check or the verdict. `result` is the name of the element for a failure; empty if it passed."""

    name: str
    result: str
    seconds: float
    reasons: tuple[str, ...]
    check: CheckDocument | None = None


def report(run: SavedRun) -> Iterator[str]:
    names = VerdictNames(run.verdicts)
    budget = _OutputBudget(FILE_MAX)
    counts: Counter[str] = Counter()
    seconds = 0.0
    # Several passes over the verdicts, and a root element written by hand, keep memory bounded.
    totals = Totals.of(map(result_of, run.verdicts.values()))
    tried = dict(totals.tries.tried())
    spared = {key for key, found in tried.items() if found.status is Status.PASSED}
    of_tries: dict[TryKey, set[str]] = {key: set() for key in tried}
    for verdict in run.verdicts.values():
        results = [test.result for test in _tests(verdict, spared)]
        counts.update(results)
        seconds += verdict.wall_seconds
        if verdict.trials:
            of_tries[TryKey.of(verdict)].update(results)
    tries = [
        _once(_Test(str(key), _ELEMENTS[found.status], 0.0, (found.sentence(),)), of_tries[key], "its tries")
        for key, found in tried.items()
    ]
    counts.update(test.result for test in tries)
    attributes = {"name": f"gradebox {run.id}", **_counts(counts), "time": _seconds(seconds)}
    opening = ET.tostring(ET.Element("testsuites", clean(attributes)), short_empty_elements=False).decode()
    yield f'<?xml version="1.0" encoding="utf-8"?>\n{opening.removesuffix("</testsuites>")}\n'
    for verdict in run.verdicts.values():
        suite = _suite(run, verdict, names.name(verdict), budget, spared)
        ET.indent(suite)
        yield ET.tostring(suite).decode() + "\n"
    if tries:
        started = max(verdict.started for verdict in run.verdicts.values() if verdict.trials)
        suite = _head("tries", tries, started, 0.0)
        strategies = ", ".join(sorted({found.strategy for found in tried.values()}))
        _add_properties(suite, [("strategies", strategies)])
        for test in tries:
            _add_test(suite, test, "tries")
        ET.indent(suite)
        yield ET.tostring(suite).decode() + "\n"
    yield "</testsuites>\n"


def _head(name: str, tests: Sequence[_Test], started: datetime, seconds: float) -> ET.Element:
    counts = Counter(test.result for test in tests)
    attributes = {
        "name": name,
        **_counts(counts),
        "skipped": str(counts["skipped"]),
        "time": _seconds(seconds),
        "timestamp": started.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S"),
    }
    return ET.Element("testsuite", clean(attributes))


def _add_properties(suite: ET.Element, named: Iterable[tuple[str, str]]) -> None:
    properties = ET.SubElement(suite, "properties")
    for key, value in named:
        ET.SubElement(properties, "property", clean({"name": key, "value": value}))


def _add_test(suite: ET.Element, test: _Test, class_name: str) -> ET.Element:
    described = {"name": test.name, "classname": class_name, "time": _seconds(test.seconds)}
    case = ET.SubElement(suite, "testcase", clean(described))
    if test.result:
        _add_result(case, test)
    return case


def _suite(
    run: SavedRun, verdict: VerdictDocument, name: str, budget: _OutputBudget, spared: Container[TryKey]
) -> ET.Element:
    tests = list(_tests(verdict, spared))
    suite = _head(name, tests, verdict.started, verdict.wall_seconds)
    _add_properties(suite, _properties(verdict))
    # Checks that passed show no output, and evidence is read only if some is shown.
    shown = {check.name for check in verdict.checks if check.verdict != "passed"}
    steps = steps_of(run, verdict, max_bytes=STREAM_MAX) if shown or verdict.verdict != "passed" else []
    for test in tests:
        case = _add_test(suite, test, _class_name(name))
        if test.check is not None and test.name in shown:
            optional = {} if test.result else _optional_failure(test.check)
            _add_output(case, (step for step in steps if step.check == test.name), budget, optional)
    if verdict.verdict != "passed":
        _add_output(suite, (step for step in steps if step.check is None and not step.passed), budget)
    return suite


def _tests(verdict: VerdictDocument, spared: Container[TryKey]) -> Iterator[_Test]:
    is_spared = bool(verdict.trials) and TryKey.of(verdict) in spared
    for test in _tests_of(verdict):
        yield test._replace(result="skipped") if is_spared and test.result else test


def _tests_of(verdict: VerdictDocument) -> Iterator[_Test]:
    spent = 0.0
    results = set()
    for check in verdict.checks:
        seconds = sum(step.wall_seconds for step in check.steps)
        spent += seconds
        results.add(result := _result(check, verdict))
        yield _Test(check.name, result, seconds, (check.reason,) if check.reason else (), check)
    # The verdict gets the remaining time, so that the times of a suite add up.
    rest = max(0.0, verdict.wall_seconds - spent)
    yield _once(_Test("verdict", _ELEMENTS[verdict.verdict], rest, tuple(verdict.reasons)), results, "its checks")


def _once(test: _Test, others: Container[str], counted: str) -> _Test:
    """Return a test case; it is `skipped` if `others`, the results that it depends on, already count the failure."""
    if test.result not in _TYPES or test.result not in others:
        return test
    reason = ": ".join((f"{_TYPES[test.result]}, which {counted} count", *test.reasons[:1]))
    return test._replace(result="skipped", reasons=(reason,))


def _result(check: CheckDocument, verdict: VerdictDocument) -> str:
    if check.verdict != "passed" and check.reason.startswith("not run: ") and not check.steps:
        return "skipped"
    if check.verdict == "failed" and verdict.verdict == "passed":
        return ""
    return _ELEMENTS[check.verdict]


def _properties(verdict: VerdictDocument) -> Iterator[tuple[str, str]]:
    named = {
        "case": verdict.case,
        "submission": verdict.submission,
        "target": verdict.target,
        "repeat": str(verdict.repeat),
        "grading": verdict.id,
        "score": None if verdict.score is None else wording.score(verdict.score),
        "threshold": f"{verdict.threshold:g}",
        "image": verdict.image,
        "category": verdict.category,
        **{name: wording.written(value) for name, value in verdict.about.items()},
        "reused": verdict.reused,
        "tags": ", ".join(verdict.tags),
    }
    yield from ((key, value) for key, value in named.items() if value)
    for found in verdict.tampering:
        yield "tampering", f"{found.kind}: {found.what}"
    for check in verdict.checks:
        if verdict.verdict == "passed" and check.verdict == "failed":
            yield from ((f"{check.name}.{key}", value) for key, value in _optional_failure(check).items())


def _optional_failure(check: CheckDocument) -> dict[str, str]:
    """Return the properties of an optional check that failed although its case passed."""
    return {"verdict": "failed, optional", "score": wording.score(check.score), "reason": check.reason}


def _add_result(case: ET.Element, test: _Test) -> None:
    message = plain_line(test.reasons[0]) if test.reasons else test.result
    if test.result == "skipped":
        ET.SubElement(case, "skipped", clean({"message": message}))
        return
    result = ET.SubElement(case, test.result, clean({"message": message, "type": _TYPES[test.result]}))
    lines = [plain_line(reason, 4000) for reason in test.reasons[:_REASONS_MAX]]
    if test.check is not None:
        failed = [step for step in test.check.steps if not step.passed][:_REASONS_MAX]
        lines += [f"{step.name}: {_said(step)}{wording.ended(step)}" for step in failed]
    result.text = xml_text("\n".join(map(plain_line, lines)))


def _said(step: StepDocument) -> str:
    """Return the reason of a step that tests a program's output: it says more than how the program ended."""
    return f"{step.reason}; " if step.role == Role.TEST else ""


def _add_output(
    parent: ET.Element,
    steps: Iterable[SavedStep],
    budget: _OutputBudget,
    properties: Mapping[str, str] = MappingProxyType({}),
) -> None:
    first = [f"[[PROPERTY|{key}={_property(value)}]]" for key, value in properties.items()]
    outputs: dict[str, list[str]] = {"system-out": first, "system-err": []}
    for step in steps:
        title = f"$ {plain_line(shlex.join(step.argv))} ({wording.ended(step)})"
        for name, stream in (("system-out", step.stdout), ("system-err", step.stderr)):
            if stream.total_bytes:
                outputs[name].append(budget.take(f"{title}\n{plain(stream.text())}"))
    for name, parts in outputs.items():
        if parts:
            ET.SubElement(parent, name).text = "\n".join(parts)


class _OutputBudget:
    """The number of bytes of XML that are left for candidates' output."""

    def __init__(self, size: int) -> None:
        self._left = size

    def take(self, text: str) -> str:
        clean = xml_text(text)
        size = len(clean.encode("ascii", "xmlcharrefreplace")) + 4 * sum(map(clean.count, "&<>"))
        if size > self._left:
            return _OMITTED
        self._left -= size
        return clean


def _counts(counts: Counter[str]) -> dict[str, str]:
    return {"tests": str(counts.total()), "failures": str(counts["failure"]), "errors": str(counts["error"])}


def clean(attributes: dict[str, str]) -> dict[str, str]:
    """Return attributes as valid XML text, each on one line."""
    return {name: xml_text(plain_line(value)) for name, value in attributes.items()}


def _property(value: str) -> str:
    """Return a value on one line, without a `]]` that would end the property early."""
    return re.sub(r"\](?=\]|$)", r"\\u005d", xml_text(plain_line(value)))


def _class_name(name: str) -> str:
    """Return a name that is not a path: Jenkins attaches the files below a path that a class name gives."""
    return name.replace(" / ", ", ").replace("/", "%2f").replace("\\", "%5c")


def xml_text(text: str) -> str:
    """Return text that is valid in XML, and that no reader of the report interprets as a command."""
    return unmarked(inert(_NOT_XML.sub("", text)))


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"
