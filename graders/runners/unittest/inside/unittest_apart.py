"""Runs unittest while the submission runs in another process. graders/runners/adapter.py describes the protocol."""

from __future__ import annotations

import os
import sys
from typing import Any

from gradebox.graders.languages.python.inside.apart.in_grader.answers import ENDING, LOADING
from gradebox.graders.languages.python.inside.apart.in_grader.limits import limit_met
from gradebox.graders.languages.python.inside.apart.links import link_of
from gradebox.graders.runners.inside.python.apart_start import Judging, shown_traceback


def run_unittest(judging: Judging) -> int:
    """Run unittest as the command line says, and return the exit status."""
    import unittest.loader

    loader: Any = unittest.loader.TestLoader
    find = loader._match_path

    class Result(unittest.TextTestResult):
        """A result that counts tests, and shows the submission's frames of an error."""

        succeeded: Any = None

        def startTestRun(self) -> None:
            judging.candidate.end_part("", LOADING, passed=True)
            super().startTestRun()

        def startTest(self, test: Any) -> None:
            module, name = (kind := type(test)).__module__, f"{kind.__module__}.{kind.__qualname__}"
            # What happened between two tests is used by all of the module or class that begins.
            self.add_caught("", f"{name if module in judging.candidate.answers.uses else module} {test.id()}")
            judging.candidate.answers.uses = (LOADING, module, name)
            judging.ran += 1
            super().startTest(test)

        def stopTestRun(self) -> None:
            self.add_caught(ENDING, ENDING)
            super().stopTestRun()

        def add_caught(self, test: str, part: str) -> None:
            """Add a failure that happened between two tests and that the submission caught."""
            failure: Any = judging.candidate.failure(test, part, passed=True)
            if failure is not None:
                holder: Any = unittest.suite._ErrorHolder("a fixture of a class or a module")  # type: ignore[attr-defined]
                self.addFailure(holder, (type(failure), failure, failure.__traceback__))

        def addSuccess(self, test: Any) -> None:
            self.add_passed(test, super().addSuccess)

        def addExpectedFailure(self, test: Any, error: Any) -> None:
            self.add_passed(test, super().addExpectedFailure, error)

        def add_passed(self, test: Any, add: Any, *error: Any) -> None:
            failure: Any = judging.candidate.failure(test.id(), passed=True)
            if failure is None:
                self.succeeded = test
                add(test, *error)
            else:
                # The submission has caught this failure.
                self.addFailure(test, (type(failure), failure, failure.__traceback__))

        def stopTest(self, test: Any) -> None:
            judging.candidate.failure(test.id(), "after", passed=self.succeeded is test)
            super().stopTest(test)

        def addSubTest(self, test: Any, subtest: Any, error: Any) -> None:
            judging.counts[test.id()] = judging.counts.get(test.id(), 0) + 1
            super().addSubTest(test, subtest, error)

        def addError(self, test: Any, error: Any) -> None:
            if type(test).__name__ == "_FailedTest":
                lines = str(error[1]).strip().splitlines()
                judging.unloaded.append(f"{test._testMethodName}: {lines[-1] if lines else ''}")
            super().addError(test, error)

        def addSkip(self, test: Any, reason: str) -> None:
            judging.ran -= 1
            judging.skip(str(test), sys.exc_info()[1])
            super().addSkip(test, reason)

        def _exc_info_to_string(self, error: Any, test: Any) -> str:
            plain: Any = super()
            inside, limit = shown_traceback(error[1]), limit_met(judging.candidate, error[1])
            text: str = plain._exc_info_to_string(error, test)
            return text + (f"In the submission:\n{inside}\n" if inside else "") + (f"{limit}\n" if limit else "")

    class Runner(unittest.TextTestRunner):
        resultclass: Any = Result

    def match(self: Any, path: str, full_path: str, pattern: str) -> bool:
        return not judging.is_submitted(full_path) and find(self, path, full_path, pattern)

    # A package of the submission's is not imported, but files of the case may lie in its directory.
    find_in = loader._find_test_path

    def find_test_path(self: Any, full_path: str, pattern: str, *rest: Any) -> Any:
        start = os.path.join(full_path, "__init__.py")
        is_left = os.path.isfile(start) and judging.is_submitted(start)
        return (None, True) if is_left else find_in(self, full_path, pattern, *rest)

    # A module of the case may have imported classes and functions of the submission, which are no tests.
    collect = loader.loadTestsFromModule

    def own(self: Any, module: Any, *rest: Any, **named: Any) -> Any:
        kept = {name: value for name, value in vars(module).items() if link_of(value) is not None}
        for name in kept:
            del module.__dict__[name]
        try:
            return collect(self, module, *rest, **named)
        finally:
            module.__dict__.update(kept)

    loader.loadTestsFromModule = own
    loader._match_path = match
    loader._find_test_path = find_test_path
    judging.open()
    sys.argv[0] = "python3 -m unittest"
    unittest.__dict__.setdefault("__unittest", True)
    result = unittest.TestProgram(module=None, exit=False, testRunner=Runner).result
    judging.failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    judging.counts[""], judging.is_ended = judging.ran, True
    is_empty = not result.testsRun and not result.skipped and sys.version_info >= (3, 12)
    return 5 if is_empty else int(not result.wasSuccessful())


if __name__ == "__main__":
    os._exit(Judging(sys._getframe().f_code).run(run_unittest))
