"""Runs unittest and reports whether it completed. graders/runners/adapter.py describes the protocol.

The methods of results count tests, and comparisons in test cases are checked. So are the definitions of the test files,
when all are loaded and at the end. Finally a test case that must fail is run. unittest_scope.py checks that all tests
ran.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradebox.graders.languages.python.inside.guard import guard
from gradebox.graders.runners.inside.python.adapter_start import start
from gradebox.graders.runners.inside.python.definitions import definitions
from gradebox.graders.runners.inside.python.replaced_functions import remember
from gradebox.graders.runners.inside.python.witness import witness
from gradebox.graders.runners.unittest.inside.unittest_scope import scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import SimpleNamespace
    from typing import Any


def run(
    tools: SimpleNamespace,
    enter: Callable[[], None],
    status_of: Callable[[SystemExit], int],
    early: Callable[[SystemExit], int],
    preload: Callable[[str, Callable[[], object]], None],
) -> tuple[list[tuple[int, bytes]], int]:
    import io
    import sys
    import traceback

    ran: list[int] = []
    failed: list[int] = []
    notes: list[bytes] = []
    unloaded: list[bytes] = []
    ended: list[int] = []
    files = definitions(tools)
    requested = scope(files, witness(tools, files))
    tools.trust(files.is_judges_code, files.says)

    def note(word: str, what: str) -> None:
        if len(notes) < 5:
            notes.append(tools.line(word, what))

    def count(unittest: Any) -> None:
        """Make results of all classes count tests."""

        def counting(name: str, fails: bool) -> None:
            original = getattr(unittest.TestResult, name)

            def counted(self: Any, *arguments: Any) -> Any:
                if name != "addSubTest" or arguments[2] is not None:
                    ran.append(1)
                    failed.extend([1] if fails else [])
                    if type(arguments[0]).__name__ == "_FailedTest" and len(unloaded) < 5:
                        lines = str(arguments[1][1]).strip().splitlines()
                        what = f"{arguments[0]._testMethodName}: {lines[-1] if lines else ''}"
                        unloaded.append(tools.line("unloaded", what))
                return original(self, *arguments)

            setattr(unittest.TestResult, name, counted)

        for name in ("addFailure", "addError", "addUnexpectedSuccess", "addSubTest"):
            counting(name, fails=True)
        for name in ("addSuccess", "addExpectedFailure"):
            counting(name, fails=False)
        skip = unittest.TestResult.addSkip

        def addSkip(self: Any, test: Any, reason: str) -> Any:
            error = sys.exc_info()[1]
            where = error and tools.left_by_candidate(error, requested.file_of(test))
            if where:
                note("skipped", f"{test}, by {where}")
            if error is not None:
                requested.excuse(test)
            return skip(self, test, reason)

        unittest.TestResult.addSkip = addSkip
        fail = unittest.TestResult.addExpectedFailure

        def addExpectedFailure(self: Any, test: Any, error: Any) -> Any:
            requested.expect(test)
            return fail(self, test, error)

        unittest.TestResult.addExpectedFailure = addExpectedFailure

    def look_at(*sides: Any, inside: bool = False) -> None:
        try:
            forged = tools.always_equal(*sides, inside=inside)
        except Exception:
            return
        if forged:
            note("control", "an assertion compared two values of which " + forged)

    def hear(event: str, arguments: Any) -> None:
        if event in ("gradebox.equal", "gradebox.in"):
            look_at(*arguments, inside=event == "gradebox.in")

    def look(unittest: Any) -> None:
        """Check compared values, even in comparisons that no judge's file reports."""
        original = unittest.TestCase._getAssertEqualityFunc

        def _getAssertEqualityFunc(self: Any, first: Any, second: Any) -> Any:
            test = getattr(type(self), getattr(self, "_testMethodName", ""), None)
            # Comparisons in the candidate's own tests prove nothing.
            if not tools.is_candidates(getattr(getattr(test, "__code__", None), "co_filename", "")):
                look_at(first, second)
            return original(self, first, second)

        unittest.TestCase._getAssertEqualityFunc = _getAssertEqualityFunc
        sys.addaudithook(hear)

    def results(unittest: Any, kind: type) -> Iterator[Any]:
        """Yield an empty plain result, and one of the class that was used if that is unittest's own."""
        yield unittest.TestResult()
        if kind is unittest.TextTestResult:
            yield kind(unittest.runner._WritelnDecorator(io.StringIO()), False, 0)

    def control(unittest: Any, kind: type) -> str:
        class Control(unittest.TestCase):
            def test_equal(self) -> None:
                self.assertEqual([1], [2])

            def test_plain(self) -> None:
                raise AssertionError

        for name in ("test_equal", "test_plain"):
            for result in results(unittest, kind):
                before = len(ran), len(failed)
                unittest.TestSuite([Control(name)]).run(result)
                if result.wasSuccessful() or len(failed) == before[1]:
                    return "unittest let a test pass that fails"
                del ran[before[0] :], failed[before[1] :]
        return ""

    def modules_of(unittest: Any, tests: Any) -> list[Any]:
        """Return the modules that define the test classes."""
        found, waiting = {}, [tests]
        while waiting:
            test = waiting.pop()
            if isinstance(test, (unittest.BaseTestSuite, list, tuple)):
                waiting += test
            else:
                module = sys.modules.get(type(test).__module__)
                found[id(module)] = module
        return list(found.values())

    def look_at_files(modules: list[Any], **how: bool) -> None:
        for module in modules:
            for what in files.altered(module, **how):
                note("control", what)

    def load_unittest() -> Any:
        import unittest.main
        import unittest.mock

        return unittest

    def main() -> int:
        tools.hide()
        preload("unittest", load_unittest)
        enter()
        import os

        unittest = load_unittest()
        requested.begin(sys.argv[1:])
        count(unittest)
        look(unittest)
        replaced = remember(tools, ("unittest.",))

        class Program(unittest.TestProgram):  # type: ignore[name-defined]
            def runTests(self) -> None:
                modules = modules_of(unittest, self.test)
                look_at_files(modules, strict=True)
                try:
                    super().runTests()
                finally:
                    if getattr(self, "result", None) is not None:
                        look_at_files(modules)
                        end(self.result)

        def end(result: Any) -> None:
            for name in replaced():
                note("control", f"{name} was replaced")
            for what in requested.left_out() if result.wasSuccessful() else ():
                note("control", what)
            what = control(unittest, type(result))
            if what:
                note("control", what)
            for name in tools.passing_assertions():
                note("control", f"{name} accepts what is wrong")
            for name in tools.replaced_builtins():
                note("control", f"builtins.{name} was replaced")
            ended.append(1)
            # A result of another class may not call the counting methods.
            ran.extend([1] * (result.testsRun - len(result.skipped) - len(ran)))
            failed.extend([1] * (len(result.failures) + len(result.errors) - len(failed)))

        if sys.argv[0].endswith("__main__.py"):
            sys.argv[0] = os.path.basename(sys.executable) + " -m unittest"
        # With this name in the package, tracebacks of failed tests omit the package's frames.
        unittest.__dict__.setdefault("__unittest", True)
        Program(module=None)
        return 0

    try:
        status = main()
    except SystemExit as ending:
        status = status_of(ending) if ended else early(ending)
    except BaseException:
        traceback.print_exc()
        status = 1
    tools.calm()
    unloaded += [tools.line("image", what) for what in tools.from_image]
    lines = [(0, what) for what in [*notes, *unloaded]]
    if ended:
        lines.append((0, tools.line("done", f"{len(ran)} {len(failed)}")))
    return lines, status


def begin() -> tuple[SimpleNamespace, tuple[Any, ...]]:
    import sys

    if sys.path[:1] == [""]:
        del sys.path[0]
    tools = guard()
    return tools, start(tools)


if __name__ == "__main__":
    tools, started = begin()
    # Only an operand of this statement knows the token.
    tools.hold([tools.read_line()])(run(tools, *started))
