# Runs pytest and tells whether it came to its own end. The protocol is described in graders/checks/adapters.py. guard.py,
# definitions.py and adapter_start.py go before this.
#
# A plugin counts what is reported. When the last test is done, it has pytest run tests that must fail, through the same
# hooks as all others; nothing but the plugin sees what becomes of them. Comparisons with `==` in rewritten asserts are
# looked at by an audit hook, which the rewritten code reaches without a name of its own. What the files of tests define
# (definitions.py) is looked at when all are loaded, before and after each test, and at the end.


def run(tools, enter, status_of, early):
    import ast
    import os
    import sys
    import threading
    import traceback

    ran, failed, notes, exempt, ended, wanted, reported = [], [], [], [], [], [], set()
    files = definitions(tools)
    stat, compile_tree = os.stat, compile

    def note(word, what):
        if len(notes) < 5:
            notes.append(tools.line(word, what))

    def hear(event, arguments):
        if event == "gradebox.equal":
            try:
                forged = tools.always_equal(*arguments)
            except Exception:
                return
            if forged:
                note("control", "an assertion compared two values of which " + forged)

    def listen(rewrite):
        """Have the comparisons of rewritten asserts looked at."""
        original = rewrite.rewrite_asserts

        class Compared(ast.NodeTransformer):
            def visit_Assign(self, node):
                value, target = node.value, node.targets[0]
                if not (
                    isinstance(target, ast.Name)
                    and target.id.startswith("@py_assert")
                    and isinstance(value, ast.Compare)
                    and len(value.ops) == 1
                    and isinstance(value.ops[0], ast.Eq)
                ):
                    return node
                sides = [value.left, value.comparators[0]]
                if not all(isinstance(side, (ast.Name, ast.Constant)) for side in sides):
                    return node
                heard = ast.parse("__import__('sys').audit('gradebox.equal')").body[0]
                heard.value.func.value.func = ast.Attribute(
                    ast.Name("@py_builtins", ast.Load()), "__import__", ast.Load()
                )
                heard.value.args += [ast.Name(s.id, ast.Load()) if isinstance(s, ast.Name) else s for s in sides]
                for part in ast.walk(heard):
                    ast.copy_location(part, node)
                return [node, heard]

        def rewrite_asserts(tree, *arguments, **options):
            original(tree, *arguments, **options)
            Compared().visit(tree)

        rewrite.rewrite_asserts = rewrite_asserts
        sys.addaudithook(hear)
        load(rewrite)

    def load(rewrite):
        """Read the files that pytest rewrites ourselves, and remember the code that comes of them."""
        rewrite_test, read_pyc = getattr(rewrite, "_rewrite_test", None), getattr(rewrite, "_read_pyc", None)
        if read_pyc is None or getattr(rewrite_test, "__code__", run.__code__).co_varnames[:2] != ("fn", "config"):
            return
        asserts = rewrite.rewrite_asserts

        def _rewrite_test(fn, config):
            path = str(fn)
            try:
                found, source = stat(path), files.source_of(path)
                tree = files.parsed(source, path)
            except (OSError, SyntaxError, ValueError):
                return rewrite_test(fn, config)
            plain = files.plain_in(tree)
            asserts(tree, source, path, config)
            code = compile_tree(tree, path, "exec", 0, True)
            files.loaded(path, code, plain)
            return found, code

        def _read_pyc(source, pyc, *arguments):
            # Who may write it may make a test of it that tests nothing.
            code = read_pyc(source, pyc, *arguments) if files.is_judges(str(pyc)) else None
            if code is not None:
                files.loaded(str(source), code)
            return code

        rewrite._rewrite_test, rewrite._read_pyc = _rewrite_test, _read_pyc

    def look(modules, **how):
        for module in modules:
            for what in files.altered(module, **how):
                note("control", what)

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

    def is_worker(config):
        return hasattr(config, "workerinput")

    def make_plugin(pytest):
        class Plugin:
            @pytest.hookimpl(tryfirst=True)
            def pytest_runtest_logreport(self, report):
                reported.add(report.nodeid)
                if report.failed:
                    failed.append(1)
                    ran.append(1)
                elif (report.when == "call" and report.passed) or (report.skipped and hasattr(report, "wasxfail")):
                    ran.append(1)

            @pytest.hookimpl(tryfirst=True)
            def pytest_collectreport(self, report):
                if report.failed:
                    failed.append(1)

            @pytest.hookimpl(trylast=True)
            def pytest_collection_finish(self, session):
                untrace()
                look(modules_of(session), strict=True)
                wanted.extend(item.nodeid for item in session.items if runs_all(session))

            @pytest.hookimpl(hookwrapper=True, trylast=True)
            def pytest_runtest_call(self, item):
                look_at_test(item)
                yield
                look_at_test(item)

            @pytest.hookimpl(tryfirst=True)
            def pytest_runtest_makereport(self, item, call):
                error = call.excinfo and call.excinfo.value
                if isinstance(error, (pytest.skip.Exception, pytest.xfail.Exception)):
                    where = tools.raised_by_candidate(error)
                    if where:
                        note("skipped", "%s, by %s" % (item.nodeid, where))

            def pytest_keyboard_interrupt(self, excinfo):
                if isinstance(excinfo.value, pytest.exit.Exception) and not tools.raised_by_candidate(excinfo.value):
                    exempt.append(1)

            @pytest.hookimpl(hookwrapper=True, tryfirst=True)
            def pytest_runtestloop(self, session):
                outcome = yield
                if outcome.excinfo is None:
                    look(modules_of(session))
                    for name in wanted:
                        if name not in reported:
                            note("control", "the test %s was left out" % name)
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
        enter()
        try:
            import pytest
            from _pytest import config
            from _pytest.assertion import rewrite
        except ImportError as error:
            if error.name in ("pytest", "py"):
                sys.stderr.write("%s: No module named pytest\n" % sys.executable)
                return 1
            raise
        listen(rewrite)
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


tools, started = begin()
# Nothing but an operand of this statement knows the token.
tools.hold([tools.read_line()])(run(tools, *started))
