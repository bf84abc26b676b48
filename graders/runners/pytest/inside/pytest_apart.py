"""Runs pytest while the submission runs in another process. graders/runners/adapter.py describes the protocol."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from gradebox.graders.languages.python.inside.apart.describing import is_failure
from gradebox.graders.languages.python.inside.apart.in_grader.answers import ENDING, LOADING
from gradebox.graders.languages.python.inside.apart.in_grader.limits import limit_met
from gradebox.graders.languages.python.inside.apart.links import link_of
from gradebox.graders.languages.python.inside.apart.stand_ins import StandInType
from gradebox.graders.runners.inside.python.apart_start import Judging, shown_traceback

# Fixtures that make a directory for one test.
_DIRECTORIES = ("tmp_path", "tmpdir")


def plugin(judging: Judging, pytest: Any) -> object:
    """Return a plugin that counts tests, and keeps pytest from collecting files of the submission."""
    # A path of a test's own directory would tell the submission the test's name, which may say what it expects.
    directories: Any = sys.modules.get("_pytest.tmpdir")
    if hasattr(directories, "_mk_tmp"):
        directories._mk_tmp = lambda request, factory: factory.mktemp("test", numbered=True)
    # The fixtures that each fixture asked for by a name at run time.
    asked: dict[str, set[str]] = {}

    class Apart:
        @pytest.hookimpl(tryfirst=True)
        def pytest_ignore_collect(self, collection_path: Any) -> bool | None:
            is_test = collection_path.suffix == ".py" or not collection_path.is_dir()
            return True if is_test and judging.is_submitted(str(collection_path)) else None

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_logreport(self, report: Any) -> None:
            is_run = (report.when == "call" and report.passed) or (report.skipped and hasattr(report, "wasxfail"))
            if report.failed or is_run:
                judging.count(report.nodeid)
            judging.failed += report.failed

        @pytest.hookimpl(tryfirst=True)
        def pytest_collectreport(self, report: Any) -> None:
            judging.ran += report.failed
            judging.failed += report.failed
            if report.failed:
                lines = str(report.longrepr).strip().splitlines()
                judging.unloaded.append(f"{report.nodeid}: {lines[-1].removeprefix('E ') if lines else ''}")

        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
            # A test may run again. One that is expected to fail does not fail the run.
            judging.failing = "" if call.when == "setup" else judging.failing
            is_expected = item.get_closest_marker("xfail") is not None
            is_expected |= bool(call.excinfo and isinstance(call.excinfo.value, pytest.xfail.Exception))
            judging.failing = item.nodeid if call.excinfo and not is_expected else judging.failing
            passed = judging.failing != item.nodeid
            # Tests may also ask for fixtures by a name at run time.
            names = {LOADING, *getattr(item, "_request", item).fixturenames}
            judging.candidate.answers.uses = names.union(*(asked.get(name, ()) for name in names))
            failure = judging.candidate.failure(item.nodeid, call.when, passed)
            judging.failing = judging.failing if failure is None else item.nodeid
            if failure is not None and not (call.excinfo and is_failure(call.excinfo.value)):
                # The submission has caught this failure.
                call.excinfo = pytest.ExceptionInfo.from_exc_info((type(failure), failure, failure.__traceback__))
            error = call.excinfo and call.excinfo.value
            # unittest is not loaded if no test needs it.
            skips = getattr(sys.modules.get("unittest"), "SkipTest", ())
            if isinstance(error, (pytest.skip.Exception, pytest.xfail.Exception, skips)):
                judging.skip(item.nodeid, error)
            judging.has_new_failures()
            text = shown_traceback(error)
            outcome: Any = yield
            if outcome.excinfo:
                return
            report = outcome.get_result()
            if failure is not None and report.skipped and is_expected:
                report.outcome, report.longrepr = "failed", str(failure)
                del report.wasxfail
            text = "\n".join(filter(None, (text, limit_met(judging.candidate, error) if report.failed else "")))
            if text:
                report.sections.append(("in the submission", text))

        @pytest.hookimpl(tryfirst=True)
        def pytest_pycollect_makeitem(self, collector: Any, name: str, obj: Any) -> Any:
            # Only functions and classes of the case are tests.
            if link_of(obj) is None and not isinstance(obj, StandInType):
                return None
            if name.startswith("test"):
                judging.candidate.checkpoint.limit(f"{name} is the submission's, or decorated by it, and is not a test")
            return []

        @pytest.hookimpl(hookwrapper=True)
        def pytest_make_collect_report(self, collector: Any) -> Iterator[None]:
            outcome: Any = yield
            call = None if outcome.excinfo else getattr(outcome.get_result(), "call", None)
            if call is not None and call.excinfo is not None and isinstance(call.excinfo.value, pytest.skip.Exception):
                judging.skip(collector.nodeid, call.excinfo.value)
            judging.has_new_failures()

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtestloop(self, session: Any) -> Iterator[None]:
            judging.candidate.end_part("", LOADING, passed=True)
            outcome: Any = yield
            judging.is_ended = outcome.excinfo is None

        @pytest.hookimpl(hookwrapper=True)
        def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[None]:
            # What several tests use is compared apart from the test that asks for it first.
            part = f"{fixturedef.argname} {fixturedef.baseid} {request.param_index}"
            is_shared = fixturedef.scope != "function"
            if is_shared:
                judging.candidate.end_part("", f"{LOADING} before {part}", passed=True)
            before = {*request.fixturenames}
            outcome: Any = yield
            asked.setdefault(fixturedef.argname, set()).update({*request.fixturenames} - before)
            if is_shared:
                judging.candidate.end_part("", part, passed=True)
            if fixturedef.argname in _DIRECTORIES and not outcome.excinfo:
                judging.candidate.lending.add(os.path.realpath(str(outcome.get_result())))

        @pytest.hookimpl(trylast=True)
        def pytest_fixture_post_finalizer(self, fixturedef: Any, request: Any) -> None:
            if fixturedef.argname in _DIRECTORIES and fixturedef.cached_result:
                judging.candidate.lending.paths.pop(os.path.realpath(str(fixturedef.cached_result[0])), None)

    return Apart()


def run_pytest(judging: Judging) -> int:
    """Run pytest as the command line says, and return the exit status."""
    import ast

    import pytest
    from _pytest import config, tmpdir
    from _pytest.assertion import rewrite

    def rewritten(path: Any, options: Any) -> Any:
        files, name = judging.finder.files, str(path)
        source = files.read(name) if files.is_inside(name) else path.read_bytes()
        tree = ast.parse(source, filename=name)
        rewrite.rewrite_asserts(tree, source, name, options)
        return os.stat(name), compile(tree, name, "exec", dont_inherit=True)

    # Otherwise the directory's name has the test's parameters, which may reveal what the test expects.
    tmpdir._mk_tmp = lambda request, factory: factory.mktemp("test")
    judging.open()
    hook: Any = rewrite.AssertionRewritingHook
    hook._find_spec = staticmethod(judging.finder.find_spec)
    rewrite._rewrite_test = rewritten  # type: ignore[assignment]
    rewrite._read_pyc = rewrite._write_pyc = lambda *arguments: None  # type: ignore[assignment]
    sys.argv[0] = os.path.join(os.path.dirname(pytest.__file__), "__main__.py")
    status = int(config.main(plugins=[plugin(judging, pytest)]))
    judging.is_ended = judging.is_ended or status != 0
    # Hooks at the end of the session may call the submission, too.
    return status or int(judging.candidate.failure(ENDING, ENDING, passed=True) is not None)


if __name__ == "__main__":
    os._exit(Judging(sys._getframe().f_code).run(run_pytest))
