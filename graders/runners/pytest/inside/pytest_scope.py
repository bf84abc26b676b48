"""Finds which tests pytest was requested to run, independently of pytest.

If the author selects tests (by options, settings, plugins or a conftest), no particular tests are expected, since only
the selection knows them. Selections by the candidate's code are ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import SimpleNamespace
    from typing import Any


def scope(tools: SimpleNamespace, seen: SimpleNamespace) -> SimpleNamespace:
    import fnmatch
    import os
    import types

    stat, uid, real = os.stat, os.geteuid(), os.path.realpath
    # Hooks that may select tests, or run them unobserved. Hooks of `calling` do so at most in a conftest.
    selecting = (
        "pytest_collection_modifyitems pytest_ignore_collect pytest_collect_file pytest_collect_directory "
        "pytest_pycollect_makemodule pytest_make_collect_report pytest_runtestloop pytest_runtest_protocol "
        "pytest_itemcollected"
    ).split()
    calling = ["pytest_pycollect_makeitem", "pytest_runtest_setup", "pytest_runtest_call", "pytest_pyfunc_call"]
    options = "keyword markexpr deselect ignore ignore_glob lf last_failed stepwise pyargs collectonly".split()
    started: dict[str, Any] = {}
    places: dict[str, tuple[str, tuple[str, ...]]] = {}
    excused: set[str] = set()
    skipped: set[str] = set()
    proved: set[tuple[str, tuple[str, ...]]] = set()

    def is_candidates(path: str) -> bool:
        # Every conftest.py that exists is the case's, or allowed by the case.
        try:
            return stat(path).st_uid == uid != 0 and os.path.basename(path) != "conftest.py"
        except (OSError, ValueError):
            return True

    def begin(config: Any, prepare: Any) -> None:
        """Record what pytest was requested to run, and read those files before any of them is loaded."""
        given = [name for name in options if getattr(config.option, name, None)]
        plain = config.getini("python_functions") == ["test"] and config.getini("python_classes") == ["Test"]
        patterns = list(config.getini("python_files"))
        if given or not plain or getattr(config.option, "assertmode", "") == "plain" or any("/" in p for p in patterns):
            return
        # If the author requests single tests of a file, its other tests are not expected.
        parted = {real(os.path.join(directory_of(config), a.partition("::")[0])) for a in config.args if "::" in a}
        started.update(root=config.rootpath, expected=[])
        for path in sorted(set(files_of(config, patterns))):
            if not is_candidates(path) and path.endswith(".py"):
                try:
                    prepare(path, config)
                except Exception:
                    # pytest itself reports what is wrong with the file, if it loads it at all.
                    continue
                if path not in parted:
                    started["expected"] += [(path, names) for names in seen.tests_in(path, is_class)]

    def directory_of(config: Any) -> str:
        return str(config.invocation_params.dir)

    def files_of(config: Any, patterns: list[str]) -> Iterator[str]:
        """Yield the test files at and below pytest's arguments."""
        skipped = list(config.getini("norecursedirs"))
        for argument in config.args:
            place = os.path.join(directory_of(config), argument)
            if "::" not in argument and os.path.isfile(place):
                yield real(place)
            for path, directories, names in os.walk(place):
                directories[:] = [
                    name
                    for name in directories
                    if name != "__pycache__"
                    and not any(fnmatch.fnmatch(name, pattern) for pattern in skipped)
                    and not os.path.exists(os.path.join(path, name, "pyvenv.cfg"))
                    and not os.path.exists(os.path.join(path, name, "conda-meta"))
                ]
                for name in names:
                    if any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
                        yield real(os.path.join(path, name))

    def is_everything(config: Any) -> bool:
        """Whether pytest alone selects the tests: no hook of the author or of a plugin does."""
        for name in (*selecting, *calling):
            caller = getattr(config.pluginmanager.hook, name, None)
            for each in caller.get_hookimpls() if caller else ():
                path = getattr(getattr(each.function, "__code__", None), "co_filename", "")
                built_in = getattr(each.function, "__module__", "").startswith("_pytest.") and "/_pytest/" in path
                is_mild = name in calling and "-packages/" in path
                if not (built_in or is_mild or path.startswith("<") or is_candidates(path)):
                    return False
        plugins = config.pluginmanager.get_plugins()
        return not any(hasattr(each, "collect_ignore") or hasattr(each, "collect_ignore_glob") for each in plugins)

    def found(session: Any) -> None:
        """Record the collected tests."""
        started["everything"] = "expected" in started and is_everything(session.config)
        for item in session.items:
            path, name = getattr(item, "path", None), getattr(item, "originalname", None) or item.name
            place = getattr(getattr(item, "cls", None), "__qualname__", "")
            places[item.nodeid] = real(str(path)), (*filter(None, place.split(".")), name)

    def is_brought(item: Any) -> bool:
        """Whether a test found in a judge's file is a function of the candidate that the file imports."""
        path, call = real(str(getattr(item, "path", ""))), getattr(item, "obj", None)
        name = getattr(item, "originalname", None) or item.name
        seen_at = 0
        while seen_at < 20 and (hasattr(call, "__wrapped__") or hasattr(call, "__func__")):
            call, seen_at = getattr(call, "__wrapped__", None) or getattr(call, "__func__", None), seen_at + 1
        space = getattr(call, "__globals__", None)
        file = space.get("__file__") if type(space) is dict else None
        if is_candidates(path) or type(file) is not str or not is_candidates(file):
            return False
        # A function that the file defines is the judge's, even if a decorator of the candidate wraps it.
        return not seen.says(path, f"def {name}(".lower())

    def file_of(nodeid: str) -> str:
        """Return the file of a test that was collected, "" for any other."""
        return places.get(nodeid, ("", ()))[0]

    def excuse(nodeid: str, error: BaseException) -> None:
        """Record a test that code skipped, unless pytest itself did so because of a mark."""
        trace = error.__traceback__
        while trace is not None:
            path = trace.tb_frame.f_code.co_filename
            if not (path.startswith("<") or "/_pytest/" in path or "/pluggy/" in path):
                excused.add(nodeid)
            trace = trace.tb_next

    def excuse_file(report: Any) -> None:
        """Record a file that was skipped while it was loaded."""
        if report.skipped:
            skipped.add(real(os.path.join(str(started.get("root", "")), report.nodeid)))

    def wrong_with(report: Any) -> str:
        """Return how a test's report contradicts its observed run, "" if it does not, or the run is not observed."""
        place = places.get(report.nodeid)
        if not started.get("everything") or place is None or not seen.is_observed(*place):
            return ""
        wrong = ""
        if report.skipped:
            word = "xfail" if hasattr(report, "wasxfail") else "skip"
            # For a test without values for a parameter, pytest makes one skipped test.
            is_empty = "NOTSET" in report.nodeid.rpartition("[")[2].rstrip("]").split("-")
            if not (report.nodeid in excused or is_empty or seen.may_be_left(*place, word)):
                wrong = "was left out, for which its file gives no reason"
        elif report.when == "call" and report.passed and not hasattr(report, "wasxfail"):
            state = seen.state(*place)
            wrong = "" if state else "passed without being run" if state is None else "passed in spite of an error"
        if report.skipped or (report.when == "call" and report.passed):
            proved.add(place)
        if report.when == "call":
            seen.forget(*place)
        return wrong and "the test {} in {} {}".format(".".join(place[1]), place[0], wrong)

    def left_out() -> Iterator[str]:
        """Yield a sentence for each expected test that did not run."""
        for path, names in started["expected"] if started.get("everything") else ():
            if (path, names) not in proved and not (path in skipped and seen.says(path, "skip")):
                yield "the test {} in {} was left out".format(".".join(names), path)

    def is_class(node: Any, depth: int) -> bool:
        bases = {getattr(base, "attr", getattr(base, "id", None)) for base in node.bases}
        # pytest finds unittest's test cases by their base class only at the top of a file.
        return node.name.startswith("Test") or (
            not depth and not bases.isdisjoint(("TestCase", "IsolatedAsyncioTestCase"))
        )

    return types.SimpleNamespace(
        begin=begin,
        found=found,
        is_brought=is_brought,
        file_of=file_of,
        excuse=excuse,
        excuse_file=excuse_file,
        wrong_with=wrong_with,
        left_out=left_out,
    )
