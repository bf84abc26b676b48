"""Runs pytest and tells whether it came to its own end. The protocol is described in graders/runners/adapters.py. guard.py,
comparing.py, definitions.py, adapter_start.py, witness.py, intact.py, pytest_loading.py and pytest_scope.py go before this.

A plugin counts what is reported. When the last test is done, it has pytest run tests that must fail, through the same
hooks as all others; nothing but the plugin sees what becomes of them. What the files of tests define (definitions.py)
is looked at when all are loaded, before and after each test, and at the end; and that all of it ran (pytest_scope.py).
"""

from __future__ import annotations

from graders.languages.inside.python.guard import guard
from graders.runners.inside.python.adapter_start import start
from graders.runners.inside.python.definitions import definitions
from graders.runners.inside.python.intact import remember
from graders.runners.inside.python.witness import witness
from graders.runners.pytest.inside.pytest_loading import listen, load_pytest
from graders.runners.pytest.inside.pytest_scope import scope


def run(tools, enter, status_of, early, preload):
    import ast
    import sys
    import threading
    import traceback
    import unittest

    ran, failed, notes, exempt, ended, wanted, reported = [], [], [], [], [], [], set()
    reading, replaced = [], []
    files = definitions(tools)
    seen = witness(tools, files)
    asked = scope(tools, seen)

    def note(word, what):
        if len(notes) < 5:
            notes.append(tools.line(word, what))

    def look(modules, **how):
        for module in modules:
            for what in files.altered(module, **how):
                note("control", what)

    def look_at_runner():
        for name in replaced[0]():
            note("control", "%s was replaced" % name)

    def modules_of(session):
        """Return the modules that tests are in, and those that pytest has loaded in the same way."""
        modules = [getattr(item, "module", None) for item in getattr(session, "items", None) or ()]
        return list({id(module): module for module in [*modules, *files.judges_modules()]}.values())

    def look_at_test(item):
        module, call = getattr(item, "module", None), getattr(item, "obj", None)
        name = getattr(item, "originalname", None) or item.name
        place = getattr(getattr(item, "cls", None), "__qualname__", "")
        look([module], swapped=True)
        what = files.exchanged(call, module, (*filter(None, place.split(".")), name))
        if what:
            note("control", what)

    def untrace():
        """End what candidate's code began when it was imported, and could steer all tests with."""
        for found, end in (
            (sys.gettrace(), sys.settrace),
            (sys.getprofile(), sys.setprofile),
            (getattr(threading, "_trace_hook", None), threading.settrace),
            (getattr(threading, "_profile_hook", None), threading.setprofile),
        ):
            if found is not None and tools.origin(found):
                end(None)

    def runs_all(session):
        """Whether nobody but pytest itself goes through the tests."""
        found = session.config.hook.pytest_runtestloop.get_hookimpls()
        return all(
            getattr(each, "hookwrapper", False) or getattr(each, "wrapper", False) or each.plugin_name == "main"
            for each in found
        )

    def failing_tests(pytest, rewrite):
        """Return functions that fail, their asserts rewritten like those of the tests."""
        source = (
            "def equal():\n    left, right = [1], [2]\n    assert left == right\n\n\ndef true():\n    assert not 1\n"
        )
        tree = ast.parse(source)
        rewrite.rewrite_asserts(tree, source.encode())
        namespace = {"__name__": "control", "__file__": "control"}
        exec(compile(tree, "control", "exec"), namespace)

        def plain():
            raise AssertionError

        return [namespace["equal"], namespace["true"], plain]

    def control(session):
        """Say which of the tests that must fail did not."""
        import pytest
        from _pytest import fixtures
        from _pytest.assertion import rewrite

        class Hooks:
            """The hooks of an item, but for those that tell others of it."""

            def __init__(self, hooks, reports):
                self.__dict__.update(hooks=hooks, reports=reports)

            def __getattr__(self, name):
                if name == "pytest_runtest_logreport":
                    return lambda report: self.reports.append(report)
                if name in ("pytest_runtest_logstart", "pytest_runtest_logfinish", "pytest_exception_interact"):
                    return lambda **given: None
                return getattr(self.hooks, name)

        class Control(pytest.Function):
            @property
            def ihook(self):
                return Hooks(super().ihook, reports)

        # By its name it cannot be told from the others.
        name = session.items[-1].name if getattr(session, "items", None) else "test"
        for function in failing_tests(pytest, rewrite):
            reports = []
            item = Control.from_parent(
                session, name=name, callobj=function, fixtureinfo=fixtures.FuncFixtureInfo((), (), [], {})
            )
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            if not any(report.failed for report in reports):
                yield "pytest let a test pass that fails"
                return

    def make_plugin(pytest):
        class Plugin:
            @pytest.hookimpl(tryfirst=True)
            def pytest_configure(self, config):
                if reading[0]:
                    asked.begin(config, reading[0])

            @pytest.hookimpl(tryfirst=True)
            def pytest_runtest_logreport(self, report):
                reported.add(report.nodeid)
                what = asked.wrong_with(report)
                if what:
                    note("control", what)
                if report.failed:
                    failed.append(1)
                    ran.append(1)
                elif (report.when == "call" and report.passed) or (report.skipped and hasattr(report, "wasxfail")):
                    ran.append(1)

            @pytest.hookimpl(tryfirst=True)
            def pytest_collectreport(self, report):
                asked.excuse_file(report)
                if report.failed:
                    failed.append(1)

            @pytest.hookimpl(trylast=True)
            def pytest_collection_finish(self, session):
                untrace()
                look_at_runner()
                look(modules_of(session), strict=True)
                wanted.extend(item.nodeid for item in session.items if runs_all(session))
                asked.found(session)

            @pytest.hookimpl(hookwrapper=True, trylast=True)
            def pytest_runtest_call(self, item):
                look_at_test(item)
                yield
                look_at_test(item)

            @pytest.hookimpl(tryfirst=True)
            def pytest_runtest_makereport(self, item, call):
                error = call.excinfo and call.excinfo.value
                if isinstance(error, (pytest.skip.Exception, pytest.xfail.Exception, unittest.SkipTest)):
                    where = tools.left_by_candidate(error, asked.file_of(item.nodeid))
                    if where:
                        note("skipped", "%s, by %s" % (item.nodeid, where))
                    asked.excuse(item.nodeid, error)

            def pytest_keyboard_interrupt(self, excinfo):
                if isinstance(excinfo.value, pytest.exit.Exception) and not tools.left_by_candidate(excinfo.value):
                    exempt.append(1)

            @pytest.hookimpl(hookwrapper=True, tryfirst=True)
            def pytest_runtestloop(self, session):
                outcome = yield
                if outcome.excinfo is None:
                    look(modules_of(session))
                    look_at_runner()
                    for name in wanted:
                        if name not in reported:
                            note("control", "the test %s was left out" % name)
                    for what in () if failed else asked.left_out():
                        note("control", what)
                    for what in control(session):
                        note("control", what)
                    for name in tools.passing_assertions():
                        note("control", "%s accepts what is wrong" % name)
                    for name in tools.replaced_builtins():
                        note("control", "builtins.%s was replaced" % name)
                    ended.append(1)

        return Plugin()

    def main():
        tools.hide()
        preload("pytest", load_pytest)
        enter()
        try:
            pytest, config, rewrite = load_pytest()
        except ImportError as error:
            if error.name in ("pytest", "py"):
                sys.stderr.write("%s: No module named pytest\n" % sys.executable)
                return 1
            raise
        reading.append(listen(rewrite, tools, files, seen, note))
        replaced.append(remember(tools, ("_pytest.", "unittest.")))
        plugins = [make_plugin(pytest)]
        if hasattr(config, "_get_prog_name") and hasattr(config, "_main"):
            # Newer ones call themselves by the name of the command only where it was one.
            status = int(config._main(plugins=plugins, prog=config._get_prog_name(sys.argv)))
        else:
            status = int(pytest.main(plugins=plugins))
        if status != 0:
            # Failures, and whatever else pytest makes a status of, end it before the last test.
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
    lines = [(0, what) for what in notes]
    if ended or exempt:
        lines.append((0, tools.line("done", "%d %d" % (len(ran), len(failed)))))
    return lines, status


def begin():
    import sys

    if sys.path[:1] == [""]:
        del sys.path[0]
    tools = guard()
    return tools, start(tools)


if __name__ == "__main__":
    tools, started = begin()
    # Nothing but an operand of this statement knows the token.
    tools.hold([tools.read_line()])(run(tools, *started))
