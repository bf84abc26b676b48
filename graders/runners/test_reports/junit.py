"""JUnit XML, in the dialects of pytest, unittest-xml-reporting, node, bun, jest, vitest and similar runners.

There is no standard. This module reads ``testsuites``, ``testsuite`` (possibly nested) and ``testcase`` with
``classname`` and ``name``, and in it ``failure``, ``error`` and ``skipped``; it ignores everything else. A document
type is refused, so there are no entities to expand and nothing to fetch.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.parsers import expat

from gradebox.graders.runners.test_reports.test_report import (
    MAX_DEPTH,
    MAX_TESTS,
    CutOff,
    Report,
    Reported,
    State,
    Unreadable,
)
from gradebox.sandbox.records import dataclass

_SUITES = frozenset({"testsuites", "testsuite"})
_NOT_RUN = frozenset({"notrun", "skipped", "disabled", "ignored", "suppressed"})
_NUMBER = re.compile(r"[0-9]{1,9}")
# The maximum length of the text about one test.
_TEXT_MAX = 4000
_IN_TEARDOWN = ("failed on teardown", "test teardown failure")
# Names that Go and JUnit report in place of all tests of a package or class.
_OF_GROUPS = ("[build failed]", "[setup failed]", "initializationError")
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?\Z")
_ENDED = re.compile(r"failureType: '\w+'.*\bexitCode: (?:\d+|null)\b", re.DOTALL)
_ENDED_EARLY = frozenset(
    {
        expat.errors.codes[message]
        for message in (
            expat.errors.XML_ERROR_NO_ELEMENTS,
            expat.errors.XML_ERROR_UNCLOSED_TOKEN,
            expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
            expat.errors.XML_ERROR_PARTIAL_CHAR,
        )
    }
)


def parse(data: bytes) -> Report:
    """Parse a JUnit report. Raises CutOff if it is empty or ends too early, and Unreadable if it is no such report."""
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        if error.code in _ENDED_EARLY:
            raise CutOff("it ends before its end" if data.strip() else "it is empty") from None
        raise Unreadable(f"it is not XML: {error}") from None
    except (LookupError, ValueError) as error:
        # The codec that the XML declaration names is unknown or fails.
        raise Unreadable(f"its encoding cannot be read: {error!s:.100}") from None
    return Report(tuple(reader.tests))


def _refuse_doctype(*_: object) -> None:
    raise Unreadable("it has a document type, which no report needs")


@dataclass(slots=True)
class _Suite:
    """A suite that is being read."""

    name: str
    declared: int  # The number of failures and errors in its attributes.
    failing: bool = False  # Whether anything in it failed.
    has_tests: bool = False  # Whether it contains tests or suites.


@dataclass(slots=True)
class _Case:
    """A test case that is being read."""

    name: str
    group: str
    suite: str = ""
    failed: bool = False
    skipped: bool = False
    to_do: bool = False
    in_teardown: bool = False
    message: str = ""
    text: str = ""

    @property
    def state(self) -> State:
        if self.failed and self._is_file:
            return State.NOT_LOADED
        # A test marked "todo" may fail without changing the runner's exit status 0.
        if self.failed and not self.to_do:
            return State.FAILED
        return State.SKIPPED if self.skipped else State.PASSED

    @property
    def _is_file(self) -> bool:
        """Whether it represents a file that could not be loaded, or whose program stopped early."""
        return (
            self.message in ("collection failure", "collection error")
            or self.group in ("unittest.loader._FailedTest", "Test suite failed to run")
            or self.name in _OF_GROUPS
            # Vitest uses the file's name as the test's name, and Node describes how the file's process ended.
            or (self.name == self.group == self.suite and _SCRIPT.search(self.name) is not None)
            or (self.group == "test" and _ENDED.search(self.text) is not None)
        )

    @property
    def why(self) -> str:
        """The first line of its message; for a traceback the last line, which names the error."""
        lines = [line.strip().removeprefix("E ").strip() for line in self.text.splitlines() if line.strip()]
        if self.message.startswith("collection ") or not self.message:
            return lines[-1] if lines else ""
        return self.message.splitlines()[0]


class _Reader:
    def __init__(self) -> None:
        self.tests: list[Reported] = []
        self._open: list[_Suite | _Case | None] = []
        # The test whose error is being read.
        self._failing: _Case | None = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if not self._open and tag not in _SUITES:
            raise Unreadable(f"it is XML, but no JUnit report: it begins with <{tag:.40}>")
        if len(self._open) >= MAX_DEPTH:
            raise Unreadable(f"it is nested more than {MAX_DEPTH} deep")
        holder = self._open[-1] if self._open else None
        self._open.append(self._opened(tag, attributes))
        match tag, holder:
            case (("failure" | "error"), _Case()):
                message = attributes.get("message", "")
                holder.failed = True
                holder.in_teardown = message.startswith(_IN_TEARDOWN)
                holder.message = holder.message or message[:_TEXT_MAX]
                self._failing = holder
            case (("failure" | "error"), _Suite()):
                # A suite that could not be set up, or a file that could not be loaded.
                holder.declared = max(1, holder.declared)
            case "skipped", _Case():
                holder.skipped = True
                holder.to_do = attributes.get("type", "").lower() == "todo"
            case _:
                pass

    def text(self, data: str) -> None:
        if self._failing is not None:
            self._failing.text = (self._failing.text + data)[-_TEXT_MAX:]

    def end(self, _tag: str) -> None:
        closed = self._open.pop()
        self._failing = None
        match closed:
            case _Case():
                test = Reported(closed.name, closed.state, closed.group)
                if test.state is State.NOT_LOADED:
                    name = closed.group if closed.name in _OF_GROUPS else closed.name
                    test = Reported(name, State.NOT_LOADED, why=closed.why)
                if closed.in_teardown and self.tests and self.tests[-1].full_name == test.full_name:
                    # For an error in a test's teardown, pytest reports the test a second time.
                    self.tests.pop()
                self._add(test)
                failing = closed.failed
            case _Suite():
                if closed.declared and not closed.failing:
                    state = State.FAILED if closed.has_tests else State.NOT_LOADED
                    self._add(Reported(closed.name, state))
                failing = closed.failing or closed.declared > 0
            case None:
                return
        for around in reversed(self._open):
            if isinstance(around, _Suite):
                around.failing = around.failing or failing
                around.has_tests = True
                return

    def _opened(self, tag: str, attributes: Mapping[str, str]) -> _Suite | _Case | None:
        name = attributes.get("name", "").strip()
        if tag in _SUITES:
            return _Suite(name, _number(attributes, "failures") + _number(attributes, "errors"))
        if tag != "testcase":
            return None
        not_run = {attributes.get("status", "").lower(), attributes.get("result", "").lower()}
        suite = next((held.name for held in reversed(self._open) if isinstance(held, _Suite)), "")
        skipped = not not_run.isdisjoint(_NOT_RUN)
        return _Case(name, attributes.get("classname", "").strip(), suite, skipped=skipped)

    def _add(self, test: Reported) -> None:
        if len(self.tests) >= MAX_TESTS:
            raise Unreadable(f"it has more than {MAX_TESTS} tests")
        self.tests.append(test)


def _number(attributes: Mapping[str, str], name: str) -> int:
    written = attributes.get(name, "")
    return int(written) if _NUMBER.fullmatch(written) else 0
