"""Runs pytest and reports whether it completed. graders/runners/adapter.py describes the protocol.

A plugin counts the reported tests. After the last test, it makes pytest run tests that must fail, through the same
hooks as all others; only the plugin sees their results. It checks the definitions of the test files (definitions.py)
when all are loaded, before and after each test, and at the end. It also checks that all tests ran (pytest_scope.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradebox.graders.languages.python.inside.guard import guard
from gradebox.graders.runners.inside.python.adapter_start import start
from gradebox.graders.runners.inside.python.definitions import definitions
from gradebox.graders.runners.inside.python.replaced_functions import remember
from gradebox.graders.runners.inside.python.witness import witness
from gradebox.graders.runners.pytest.inside.pytest_loading import listen, load_pytest
from gradebox.graders.runners.pytest.inside.pytest_scope import scope

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from types import SimpleNamespace
    from typing import Any


def run(
    tools: SimpleNamespace,
    enter: Callable[[], None],
    status_of: Callable[[SystemExit], int],
    early: Callable[[SystemExit], int],
    preload: Callable[[str, Callable[[], object]], None],
) -> tuple[list[tuple[int, bytes]], int]:
    import ast
    import sys
    import threading
    import traceback
    import unittest

    ran: list[int] = []
    failed: list[int] = []
    notes: list[bytes] = []
    unloaded: list[bytes] = []
    exempt: list[int] = []
    ended: list[int] = []
    wanted: list[str] = []
    reported: set[str] = set()
    reading: list[Any] = []
    replaced: list[Callable[[], Iterator[str]]] = []
    files = definitions(tools)
    seen = witness(tools, files)
    requested = scope(tools, seen)

    def note(word: str, what: str) -> None:
        if len(notes) < 5:
            notes.append(tools.line(word, what))

    def look(modules: list[Any], **how: bool) -> None:
        for module in modules:
            for what in files.altered(module, **how):
                note("control", what)

    def look_at_runner() -> None:
        for name in replaced[0]():
            note("control", f"{name} was replaced")

    def modules_of(session: Any) -> list[Any]:
        """Return the modules of the tests, and all others that were loaded from the judge's test files."""
        modules = [getattr(item, "module", None) for item in getattr(session, "items", None) or ()]
        return list({id(module): module for module in [*modules, *files.judges_modules()]}.values())

    def look_at_test(item: Any) -> None:
        module, call = getattr(item, "module", None), getattr(item, "obj", None)
        name = getattr(item, "originalname", None) or item.name
        place = getattr(getattr(item, "cls", None), "__qualname__", "")
        look([module], swapped=True)
        what = files.exchanged(call, module, (*filter(None, place.split(".")), name))
        if what:
            note("control", what)

    def untrace() -> None:
        """Remove trace and profile functions of the candidate's code, which could change all tests."""
        for found, end in (
            (sys.gettrace(), sys.settrace),
            (sys.getprofile(), sys.setprofile),
            (getattr(threading, "_trace_hook", None), threading.settrace),
            (getattr(threading, "_profile_hook", None), threading.setprofile),
        ):
            if found is not None and tools.origin(found):
                end(None)

    def runs_all(session: Any) -> bool:
        """Whether only pytest itself loops over the tests."""
        found = session.config.hook.pytest_runtestloop.get_hookimpls()
        return all(
            getattr(each, "hookwrapper", False) or getattr(each, "wrapper", False) or each.plugin_name == "main"
            for each in found
        )

    def failing_tests(pytest: Any, rewrite: Any) -> list[Any]:
        """Return functions that fail, with asserts rewritten like those of the tests."""
        source = (
            "def equal():\n    left, right = [1], [2]\n    assert left == right\n\n\ndef true():\n    assert not 1\n"
        )
        tree = ast.parse(source)
        rewrite.rewrite_asserts(tree, source.encode())
        namespace = {"__name__": "control", "__file__": "control"}
        exec(compile(tree, "control", "exec"), namespace)

        def plain() -> None:
            raise AssertionError

        return [namespace["equal"], namespace["true"], plain]

    def control(session: Any) -> Iterator[str]:
        """Yield a sentence if a test that must fail did not."""
        import pytest
        from _pytest import fixtures
        from _pytest.assertion import rewrite

        class Hooks:
            """The hooks of an item, without those that report it to other plugins."""

            def __init__(self, hooks: Any, reports: list[Any]) -> None:
                self.__dict__.update(hooks=hooks, reports=reports)

            def __getattr__(self, name: str) -> Any:
                if name == "pytest_runtest_logreport":
                    return lambda report: self.reports.append(report)  # noqa: PLW0108 - it is passed by keyword
                if name in ("pytest_runtest_logstart", "pytest_runtest_logfinish", "pytest_exception_interact"):
                    return lambda **given: None
                return getattr(self.hooks, name)

        class Control(pytest.Function):
            @property
            def ihook(self) -> Any:
                return Hooks(super().ihook, reports)

        # The controls have a real test's name, so that code cannot distinguish them by it.
        name = session.items[-1].name if getattr(session, "items", None) else "test"
        for function in failing_tests(pytest, rewrite):
            reports: list[Any] = []
            item = Control.from_parent(
                session, name=name, callobj=function, fixtureinfo=fixtures.FuncFixtureInfo((), (), [], {})
            )
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            if not any(report.failed for report in reports):
                yield "pytest let a test pass that fails"
                return

    def make_plugin(pytest: Any) -> object:
        class Plugin:
            @pytest.hookimpl(tryfirst=True)
            def pytest_configure(self, config: Any) -> None:
                if reading[0]:
                    requested.begin(config, reading[0])

            @pytest.hookimpl(tryfirst=True)
            def pytest_runtest_logreport(self, report: Any) -> None:
                reported.add(report.nodeid)
                what = requested.wrong_with(report)
                if what:
                    note("control", what)
                if report.failed:
                    failed.append(1)
                    ran.append(1)
                elif (report.when == "call" and report.passed) or (report.skipped and hasattr(report, "wasxfail")):
                    ran.append(1)

            @pytest.hookimpl(tryfirst=True)
            def pytest_collectreport(self, report: Any) -> None:
                requested.excuse_file(report)
                if report.failed:
                    # Test reports also count a file that cannot be loaded as one failed test.
                    ran.append(1)
                    failed.append(1)
                    lines = str(report.longrepr).strip().splitlines()
                    why = lines[-1].removeprefix("E ") if lines else ""
                    if len(unloaded) < 5:
                        unloaded.append(tools.line("unloaded", f"{report.nodeid}: {why}"))

            @pytest.hookimpl(tryfirst=True)
            def pytest_collection_modifyitems(self, items: list[Any]) -> None:
                items[:] = [item for item in items if not requested.is_brought(item)]

            @pytest.hookimpl(trylast=True)
            def pytest_collection_finish(self, session: Any) -> None:
                untrace()
                look_at_runner()
                look(modules_of(session), strict=True)
                wanted.extend(item.nodeid for item in session.items if runs_all(session))
                requested.found(session)

            @pytest.hookimpl(hookwrapper=True, trylast=True)
            def pytest_runtest_call(self, item: Any) -> Iterator[None]:
                look_at_test(item)
                yield
                look_at_test(item)

            @pytest.hookimpl(tryfirst=True)
            def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
                error = call.excinfo and call.excinfo.value
                if isinstance(error, (pytest.skip.Exception, pytest.xfail.Exception, unittest.SkipTest)):
                    where = tools.left_by_candidate(error, requested.file_of(item.nodeid))
                    if where:
                        note("skipped", f"{item.nodeid}, by {where}")
                    requested.excuse(item.nodeid, error)

            def pytest_keyboard_interrupt(self, excinfo: Any) -> None:
                if isinstance(excinfo.value, pytest.exit.Exception) and not tools.left_by_candidate(excinfo.value):
                    exempt.append(1)

            @pytest.hookimpl(hookwrapper=True, tryfirst=True)
            def pytest_runtestloop(self, session: Any) -> Generator[None, Any, None]:
                outcome = yield
                if outcome.excinfo is None:
                    look(modules_of(session))
                    look_at_runner()
                    for name in wanted:
                        if name not in reported:
                            note("control", f"the test {name} was left out")
                    for what in () if failed else requested.left_out():
                        note("control", what)
                    for what in control(session):
                        note("control", what)
                    for name in tools.passing_assertions():
                        note("control", f"{name} accepts what is wrong")
                    for name in tools.replaced_builtins():
                        note("control", f"builtins.{name} was replaced")
                    ended.append(1)

        return Plugin()

    def main() -> int:
        tools.hide()
        preload("pytest", load_pytest)
        enter()
        try:
            pytest, config, rewrite = load_pytest()
        except ImportError as error:
            if error.name in ("pytest", "py"):
                sys.stderr.write(f"{sys.executable}: No module named pytest\n")
                return 1
            raise
        tools.own("_pytest", "pluggy")
        reading.append(listen(rewrite, tools, files, seen, note))
        replaced.append(remember(tools, ("_pytest.", "unittest.")))
        plugins = [make_plugin(pytest)]
        if hasattr(config, "_get_prog_name") and hasattr(config, "_main"):
            # Newer versions of pytest show the command's name in messages only if it is passed as `prog`.
            status = int(config._main(plugins=plugins, prog=config._get_prog_name(sys.argv)))
        else:
            status = int(pytest.main(plugins=plugins))
        if status != 0:
            # After a failure or an error, pytest may rightly end before the last test.
            ended.append(1)
        return status

    try:
        status = main()
    except SystemExit as ending:
        status = early(ending)
        ended.clear()
        exempt.clear()
    except BaseException:
        traceback.print_exc()
        status = 1
    tools.calm()
    unloaded += [tools.line("image", what) for what in tools.from_image]
    lines = [(0, what) for what in [*notes, *unloaded]]
    if ended or exempt:
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
    # The function that holds the token is only an operand of this statement: no name refers to it.
    tools.hold([tools.read_line()])(run(tools, *started))
