"""JUnit XML, in the dialects of pytest, unittest-xml-reporting, node, bun, jest, vitest and those like them.

There is no standard. Read are ``testsuites``, ``testsuite`` (in one another) and ``testcase`` with ``classname`` and
``name``, and in it ``failure``, ``error`` and ``skipped``; all else is passed over. A document type is refused, so
there are no entities to expand and nothing to fetch.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.parsers import expat

from graders.runners.test_reports.test_report import MAX_DEPTH, MAX_TESTS, CutOff, Report, Reported, State, Unreadable
from sandbox.records import dataclass

_SUITES = frozenset({"testsuites", "testsuite"})
_NOT_RUN = frozenset({"notrun", "skipped", "disabled", "ignored", "suppressed"})
_NUMBER = re.compile(r"[0-9]{1,9}")
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
    """Return what a JUnit report says.

    Raises:
        CutOff: If it is empty or ends too early.
        Unreadable: If it is none.
    """
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        if error.code in _ENDED_EARLY:
            raise CutOff("it ends before its end" if data.strip() else "it is empty") from None
        raise Unreadable(f"it is not XML: {error}") from None
    except (LookupError, ValueError) as error:
        # Of the codec that the declaration names.
        raise Unreadable(f"its encoding cannot be read: {error!s:.100}") from None
    return Report(tuple(reader.tests))


def _refuse_doctype(*_: object) -> None:
    raise Unreadable("it has a document type, which no report needs")


@dataclass(slots=True)
class _Suite:
    """A suite that is being read.

    Attributes:
        declared: How many failures and errors it says it has.
        failing: Whether anything in it failed.
    """

    name: str
    declared: int
    failing: bool = False


@dataclass(slots=True)
class _Case:
    """A test case that is being read."""

    name: str
    group: str
    failed: bool = False
    skipped: bool = False
    to_do: bool = False

    @property
    def state(self) -> State:
        # What is still to be done may fail, and its runner ends with 0 all the same.
        if self.failed and not self.to_do:
            return State.FAILED
        return State.SKIPPED if self.skipped else State.PASSED


class _Reader:
    def __init__(self) -> None:
        self.tests: list[Reported] = []
        self._open: list[_Suite | _Case | None] = []

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
                holder.failed = True
            case (("failure" | "error"), _Suite()):
                # A suite that could not be set up, or a file that could not be loaded.
                holder.declared = max(1, holder.declared)
            case "skipped", _Case():
                holder.skipped = True
                holder.to_do = attributes.get("type", "").lower() == "todo"
            case _:
                pass

    def end(self, _tag: str) -> None:
        closed = self._open.pop()
        match closed:
            case _Case():
                self._add(closed.name, closed.group, closed.state)
                failing = closed.failed
            case _Suite():
                if closed.declared and not closed.failing:
                    self._add(closed.name, "", State.FAILED)
                failing = closed.failing or closed.declared > 0
            case None:
                return
        for around in reversed(self._open):
            if isinstance(around, _Suite):
                around.failing = around.failing or failing
                return

    def _opened(self, tag: str, attributes: Mapping[str, str]) -> _Suite | _Case | None:
        name = attributes.get("name", "").strip()
        if tag in _SUITES:
            return _Suite(name, _number(attributes, "failures") + _number(attributes, "errors"))
        if tag != "testcase":
            return None
        not_run = {attributes.get("status", "").lower(), attributes.get("result", "").lower()}
        return _Case(name, attributes.get("classname", "").strip(), skipped=not not_run.isdisjoint(_NOT_RUN))

    def _add(self, name: str, group: str, state: State) -> None:
        if len(self.tests) >= MAX_TESTS:
            raise Unreadable(f"it has more than {MAX_TESTS} tests")
        self.tests.append(Reported(name, state, group))


def _number(attributes: Mapping[str, str], name: str) -> int:
    written = attributes.get(name, "")
    return int(written) if _NUMBER.fullmatch(written) else 0
