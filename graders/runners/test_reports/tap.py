"""The Test Anything Protocol, versions 12 to 14, with subtests: testanything.org.

Of a test with subtests, the subtests count under its name; the test itself counts only if it failed and no subtest did.
Tests with ``# TODO`` or ``# SKIP`` count as not run. A report is incomplete if its plan is missing or announces more
tests than it has, or after ``Bail out!``. Lines that are not TAP are ignored, as the protocol requires.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace
from itertools import pairwise

from gradebox.graders.runners.test_reports.test_report import (
    MAX_DEPTH,
    MAX_TESTS,
    CutOff,
    Report,
    Reported,
    State,
    Unreadable,
    nested,
)
from gradebox.sandbox.records import dataclass

_INDENT = 4
_GROUP_MAX = 300
_LINE_MAX = 10_000
_BEGINNINGS = ("TAP version", "#", "pragma ")
_TEST = re.compile(r"(not )?ok(?=\s|$)(?:[ \t]+[0-9]+(?=\s|$))?(?:[ \t]+-(?=\s|$))?[ \t]*(.*)", re.DOTALL)
_PLAN = re.compile(r"1\.\.([0-9]{1,9})(?=\s|$)")
_DIRECTIVE = re.compile(r"\\.|(?:^|(?<=\s))#[ \t]*(?:todo\b|skip\S*)", re.IGNORECASE)
# Names that bats reports in place of all tests of a file.
_OF_FILES = ("bats-gather-tests", "setup_file failed")
_ESCAPED = re.compile(r"\\([\\#])")


@dataclass(slots=True)
class _Level:
    """Tests of one indentation, up to the test of which they are subtests."""

    name: str = ""  # That test's name, once it is known.
    points: int = 0  # How many tests the report has at this level.
    plan: int | None = None  # How many tests the plan announces, None before the plan.
    inner: list[Reported | _Level] = field(default_factory=list)  # The tests; for one with subtests, their level.
    failing: bool = False  # Whether a test of this level failed.
    not_to_run: bool = False  # Whether a directive of that test says that they do not count.


def parse(data: bytes) -> Report:
    """Parse a TAP report.

    Raises CutOff if it ends before its first test, and Unreadable if it is not TAP, or contradicts itself.
    """
    reader = _Reader()
    for line in data.decode("utf-8-sig", "replace").split("\n"):
        reader.take(line.rstrip("\r"))
        if reader.cut_off:
            break
    return reader.report()


class _Reader:
    def __init__(self) -> None:
        self.cut_off = ""
        self._levels = [_Level()]
        # Whether all lines so far can be the beginning of a TAP report.
        self._begun = True
        self._count = 0
        self._lost = 0
        # The indentation of the YAML block that is being skipped, and the indentation at which one may begin next.
        self._block: str | None = None
        self._block_may_begin = ""

    def take(self, line: str) -> None:
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        if self._in_block(line, text, indent):
            return
        depth, odd = divmod(indent, _INDENT)
        self._begun = self._begun and (not text or text.startswith(_BEGINNINGS))
        if not text or odd or depth > len(self._levels):
            return
        if text.startswith("Bail out!"):
            self.cut_off = "its runner bailed out"
        elif plan := _PLAN.match(text):
            self._plan(self._level(depth), int(plan[1]))
        elif test := _TEST.match(text):
            self._test(depth, test[2][:_LINE_MAX], failed=test[1] is not None)
            self._block_may_begin = " " * (indent + 2)

    def report(self) -> Report:
        top = self._levels[0]
        if not top.points and top.plan is None and not self.cut_off:
            raise CutOff("it is empty") if self._begun else Unreadable("there is no line of TAP in it")
        left = self._subtests(0)
        if left is not None and left.inner:
            self.cut_off = self.cut_off or "a test with subtests has not ended"
            top.inner.append(left)
        if top.plan is None:
            self.cut_off = self.cut_off or "its plan is missing"
        self._close(top)
        if self._lost:
            self.cut_off = self.cut_off or f"{self._lost} of the tests that it had announced are missing"
        return Report(tuple(_flat(top)), self._lost, self.cut_off)

    def _in_block(self, line: str, text: str, indent: int) -> bool:
        if self._block is None:
            if line.rstrip() == f"{self._block_may_begin}---" and self._block_may_begin:
                self._block = self._block_may_begin
            self._block_may_begin = ""
            return self._block is not None
        top = self._levels[0].inner
        if text.startswith("exitCode:") and self._block == "  " and top and isinstance(top[-1], Reported):
            # Node reports in this way how the process of a test file ended.
            top[-1] = replace(top[-1], state=_not_loaded(top[-1].state))
        if text and indent < len(self._block):
            # The block has no end marker.
            self._block = None
            return False
        if line.rstrip() == f"{self._block}...":
            self._block = None
        return True

    def _level(self, depth: int) -> _Level:
        if depth == len(self._levels):
            if depth >= MAX_DEPTH:
                raise Unreadable(f"it is nested more than {MAX_DEPTH} deep")
            self._levels.append(_Level())
        return self._levels[depth]

    def _plan(self, level: _Level, count: int) -> None:
        if level.plan is not None:
            raise Unreadable("it has two plans")
        level.plan = count

    def _test(self, depth: int, written: str, *, failed: bool) -> None:
        name, not_to_run = _name(written)
        level = self._level(depth)
        level.points += 1
        name = name or f"#{level.points}"
        state = State.SKIPPED if not_to_run else State.FAILED if failed else State.PASSED
        if name in _OF_FILES and not depth:
            state = _not_loaded(state)
        inner = self._subtests(depth)
        if inner is not None and inner.inner:
            inner.name, inner.not_to_run = name, not_to_run
            level.inner.append(inner)
            level.failing = level.failing or (inner.failing and not not_to_run)
            if not failed or not_to_run or inner.failing:
                return
        self._count += 1
        if self._count > MAX_TESTS:
            raise Unreadable(f"it has more than {MAX_TESTS} tests")
        level.inner.append(Reported(name, state))
        level.failing = level.failing or (failed and not not_to_run)

    def _subtests(self, depth: int) -> _Level | None:
        """Remove and return all deeper levels; those without an ending test become part of the level around them."""
        opened = self._levels[depth + 1 :]
        del self._levels[depth + 1 :]
        for around, deeper in reversed(list(pairwise(opened))):
            around.inner.append(deeper)
            around.failing = around.failing or deeper.failing
        for level in opened:
            self._close(level)
        return opened[0] if opened else None

    def _close(self, level: _Level) -> None:
        if level.plan is None:
            return
        if level.points > level.plan:
            raise Unreadable(f"it has {level.points} tests, and its plan says {level.plan}")
        # A subtest's plan without tests is more likely something that a test printed.
        if level.points or level is self._levels[0]:
            self._lost += level.plan - level.points


def _not_loaded(state: State) -> State:
    return State.NOT_LOADED if state is State.FAILED else state


def _flat(level: _Level, group: str = "", *, not_to_run: bool = False) -> Iterator[Reported]:
    # Many tests may have the same group, so a long group name would be stored many times.
    group = nested((group, level.name))[:_GROUP_MAX]
    not_to_run = not_to_run or level.not_to_run
    for inner in level.inner:
        if isinstance(inner, _Level):
            yield from _flat(inner, group, not_to_run=not_to_run)
        else:
            yield Reported(inner.name, State.SKIPPED if not_to_run else inner.state, group)


def _name(written: str) -> tuple[str, bool]:
    """Return a test's name, and whether a directive says that the test does not count."""
    for found in _DIRECTIVE.finditer(written):
        if not found[0].startswith("\\"):
            return _unescaped(written[: found.start()]), True
    return _unescaped(written), False


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text).strip()
