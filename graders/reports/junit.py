"""A run as JUnit XML: a case is a test suite, a check is a test case, and the last test case is the verdict.

What failed is a `failure`, what could not be graded an `error`, what was not reached or not judged is `skipped`. An
optional check that failed in a case that passed is a test case that passed, and properties tell the rest. The schema
that Jenkins checks files against (junit-10.xsd of its xUnit plugin) has properties in suites only; in test cases they
are lines of its output, as written down in https://github.com/testmoapp/junitxml ("Properties in test output").
Everything is ASCII with character references, without control characters, and of limited size, and nobody but us has
such lines: readers take some of them for names of files that are to be fetched (`instructions`).
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple
from xml.etree import ElementTree as ET

from graders.model.result import CheckDocument, VerdictDocument
from graders.reports.instructions import inert, unmarked
from graders.reports.naming import Naming, ending
from graders.reports.plain_text import plain, plain_line
from graders.runs.reading import SavedRun
from graders.runs.saved_evidence import SavedStep, steps_of

# Of one stream of one command, in bytes as they were printed; of all of them in the file, in bytes of XML.
STREAM_MAX = 16 * 1024
FILE_MAX = 8 * 1024 * 1024
_REASONS_MAX = 20
_LEFT_OUT = "[the output is left out: this report has enough of it; all of it is in the run directory]"
# XML 1.0, production 2, without the C1 controls, which it discourages.
_NOT_XML = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _Kind(StrEnum):
    PASSED = "passed"
    FAILURE = "failure"
    ERROR = "error"
    SKIPPED = "skipped"


class _Test(NamedTuple):
    """One test case; `check` is None for the verdict."""

    name: str
    kind: _Kind
    seconds: float
    reasons: tuple[str, ...]
    check: CheckDocument | None = None


def report(run: SavedRun) -> Iterator[str]:
    """Yield the document, a suite at a time."""
    naming = Naming(run.verdicts)
    room = _Room(FILE_MAX)
    counts: Counter[_Kind] = Counter()
    seconds = 0.0
    # Twice through the verdicts, and written by hand, so that not all need be in memory at the same time.
    for verdict in run.verdicts.values():
        counts.update(test.kind for test in _tests(verdict))
        seconds += verdict.wall_seconds
    attributes = {"name": f"gradebox {run.id}", **_counts(counts), "time": _seconds(seconds)}
    opening = ET.tostring(ET.Element("testsuites", _clean(attributes)), short_empty_elements=False).decode()
    yield f'<?xml version="1.0" encoding="utf-8"?>\n{opening.removesuffix("</testsuites>")}\n'
    for verdict in run.verdicts.values():
        suite = _suite(run, verdict, naming.name(verdict), room)
        ET.indent(suite)
        yield ET.tostring(suite).decode() + "\n"
    yield "</testsuites>\n"


def _suite(run: SavedRun, verdict: VerdictDocument, name: str, room: _Room) -> ET.Element:
    tests = list(_tests(verdict))
    attributes = {"name": name, **_counts(counts := Counter(test.kind for test in tests))}
    attributes["skipped"] = str(counts[_Kind.SKIPPED])
    attributes["time"] = _seconds(verdict.wall_seconds)
    attributes["timestamp"] = verdict.started.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    suite = ET.Element("testsuite", _clean(attributes))
    properties = ET.SubElement(suite, "properties")
    for key, value in _properties(verdict):
        ET.SubElement(properties, "property", _clean({"name": key, "value": value}))
    # What passed has nothing to show, and of thousands of cases no file is opened in vain.
    wanted = {check.name for check in verdict.checks if check.verdict != "passed"}
    steps = steps_of(run, verdict, max_bytes=STREAM_MAX) if wanted or verdict.verdict != "passed" else []
    for test in tests:
        described = {"name": test.name, "classname": _class_name(name), "time": _seconds(test.seconds)}
        case = ET.SubElement(suite, "testcase", _clean(described))
        if test.kind is not _Kind.PASSED:
            _add_result(case, test)
        if test.check is not None and test.name in wanted:
            told = _told(test.check) if test.kind is _Kind.PASSED else {}
            _add_output(case, (step for step in steps if step.check == test.name), room, told)
    if verdict.verdict != "passed":
        _add_output(suite, (step for step in steps if step.check is None and not step.passed), room)
    return suite


def _tests(verdict: VerdictDocument) -> Iterator[_Test]:
    spent = 0.0
    for check in verdict.checks:
        seconds = sum(step.wall_seconds for step in check.steps)
        spent += seconds
        yield _Test(check.name, _kind(check, verdict), seconds, (check.reason,) if check.reason else (), check)
    kinds = {
        "passed": _Kind.PASSED,
        "failed": _Kind.FAILURE,
        "error": _Kind.ERROR,
        "not_judged": _Kind.SKIPPED,
    }
    # The rest of the time, so that the times of a suite add up.
    rest = max(0.0, verdict.wall_seconds - spent)
    yield _Test("verdict", kinds[verdict.verdict], rest, tuple(verdict.reasons))


def _kind(check: CheckDocument, verdict: VerdictDocument) -> _Kind:
    if check.verdict == "passed":
        return _Kind.PASSED
    not_reached = check.reason.startswith("not run: ") and not check.steps
    if check.verdict == "not_judged" or not_reached:
        return _Kind.SKIPPED
    if check.verdict == "error":
        return _Kind.ERROR
    return _Kind.PASSED if verdict.verdict == "passed" else _Kind.FAILURE


def _properties(verdict: VerdictDocument) -> Iterator[tuple[str, str]]:
    yield "case", verdict.case
    yield "submission", verdict.submission
    if verdict.target is not None:
        yield "target", verdict.target
    yield "repeat", str(verdict.repeat)
    yield "grading", verdict.id
    for key, value in (("score", verdict.score), ("threshold", verdict.threshold)):
        if value is not None:
            yield key, f"{value:g}"
    for key, text in (("image", verdict.image), ("category", verdict.category), ("reused", verdict.reused)):
        if text:
            yield key, text
    if verdict.tags:
        yield "tags", ", ".join(verdict.tags)
    for found in verdict.tampering:
        yield "tampering", f"{found.kind}: {found.what}"
    for check in verdict.checks:
        if verdict.verdict == "passed" and check.verdict == "failed":
            yield from ((f"{check.name}.{key}", value) for key, value in _told(check).items())


def _told(check: CheckDocument) -> dict[str, str]:
    """Return what there is to tell of an optional check that failed where its case passed."""
    score = "none" if check.score is None else f"{check.score:g}"
    return {"verdict": "failed, optional", "score": score, "reason": check.reason}


def _add_result(case: ET.Element, test: _Test) -> None:
    message = plain_line(test.reasons[0]) if test.reasons else str(test.kind)
    if test.kind is _Kind.SKIPPED:
        ET.SubElement(case, "skipped", _clean({"message": message}))
        return
    kind = "failed" if test.kind is _Kind.FAILURE else "could not be graded"
    result = ET.SubElement(case, str(test.kind), _clean({"message": message, "type": kind}))
    lines = [plain_line(reason, 4000) for reason in test.reasons[:_REASONS_MAX]]
    if test.check is not None:
        lines += [
            f"{step.name}: {ending(step.ending, step.exit_code, step.signal, step.wall_seconds)}"
            for step in test.check.steps[:_REASONS_MAX]
            if not step.passed
        ]
    result.text = _xml("\n".join(map(plain_line, lines)))


def _add_output(
    parent: ET.Element, steps: Iterable[SavedStep], room: _Room, properties: Mapping[str, str] = MappingProxyType({})
) -> None:
    told = [f"[[PROPERTY|{key}={_property(value)}]]" for key, value in properties.items()]
    outputs: dict[str, list[str]] = {"system-out": told, "system-err": []}
    for step in steps:
        title = f"$ {plain_line(shlex.join(step.argv))}"
        how = ending(step.ending, step.exit_code, step.signal, step.wall_seconds)
        for name, stream in (("system-out", step.stdout), ("system-err", step.stderr)):
            if stream.total_bytes:
                outputs[name].append(room.take(f"{title} ({how})\n{plain(stream.text())}"))
    for name, parts in outputs.items():
        if parts:
            ET.SubElement(parent, name).text = "\n".join(parts)


class _Room:
    """How many bytes of XML what candidates printed may still take."""

    def __init__(self, size: int) -> None:
        self._left = size

    def take(self, text: str) -> str:
        clean = _xml(text)
        size = len(clean.encode("ascii", "xmlcharrefreplace")) + 4 * sum(map(clean.count, "&<>"))
        if size > self._left:
            return _LEFT_OUT
        self._left -= size
        return clean


def _counts(counts: Counter[_Kind]) -> dict[str, str]:
    return {
        "tests": str(counts.total()),
        "failures": str(counts[_Kind.FAILURE]),
        "errors": str(counts[_Kind.ERROR]),
    }


def _clean(attributes: dict[str, str]) -> dict[str, str]:
    return {name: _xml(plain_line(value)) for name, value in attributes.items()}


def _property(value: str) -> str:
    """Return a value that ends where its line ends."""
    return re.sub(r"\](?=\]|$)", r"\\u005d", _xml(plain_line(value)))


def _class_name(name: str) -> str:
    """Return a name that is no path: Jenkins looks for files of a class where its name leads, and attaches them."""
    return name.replace(" / ", ", ").replace("/", "%2f").replace("\\", "%5c")


def _xml(text: str) -> str:
    return unmarked(inert(_NOT_XML.sub("", text)))


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"
