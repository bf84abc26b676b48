"""Loads test files in place of pytest, and observes what is loaded.

pytest rewrites the asserts of test files. This module reads and compiles the test files itself, before any of the
candidate's code is loaded. This code can therefore not change the tests by patching how files are read or compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradebox.graders.languages.python.inside.reported_comparisons import reported_comparisons

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import SimpleNamespace
    from typing import Any


def load_pytest() -> tuple[Any, Any, Any]:
    """Import pytest with all of its own modules."""
    import importlib
    import sys

    import pytest
    from _pytest import config
    from _pytest.assertion import rewrite

    for name in getattr(config, "default_plugins", ()):
        importlib.import_module("_pytest." + name)
    there = set(sys.modules)
    for name in ("readline", "pdb"):
        # Otherwise pytest would load these at its start, when the candidate's modules may come first on the path.
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    for name in {"cmd", "code", "codeop"} - there:
        # Honest submissions have modules with these names. The debugger has loaded its own already.
        sys.modules.pop(name, None)
    return pytest, config, rewrite


def listen(
    rewrite: Any,
    tools: SimpleNamespace,
    files: SimpleNamespace,
    seen: SimpleNamespace,
    note: Callable[[str, str], None],
) -> Callable[[str, Any], None] | None:
    """Make pytest load test files through this module, and observe the comparisons of the tests.

    Returns a function that loads a test file in advance; None if this version of pytest loads files in another way.
    """
    import os
    import sys

    stat, compile_tree, rewrite_asserts = os.stat, compile, rewrite.rewrite_asserts
    compared = reported_comparisons()
    tools.trust(files.is_judges_code, files.says)

    def hear(event: str, arguments: Any) -> None:
        if event in ("gradebox.equal", "gradebox.in"):
            try:
                forged = tools.always_equal(*arguments, inside=event == "gradebox.in")
            except Exception:
                return
            if forged:
                note("control", "an assertion compared two values of which " + forged)

    sys.addaudithook(hear)
    seen.observe_imports()
    known = {}
    rewrite_test: Any = getattr(rewrite, "_rewrite_test", None)
    wanted = getattr(rewrite_test, "__code__", hear.__code__).co_varnames[:2]
    if not hasattr(rewrite, "_read_pyc") or wanted != ("fn", "config"):
        return None

    def prepare(path: str, config: Any) -> None:
        found, source = stat(path), files.source_of(path)
        tree = files.parsed(source, path)
        plain = files.plain_in(tree)
        is_test = files.is_judges(path) and "-packages/" not in path
        # Comparisons in the candidate's own tests prove nothing.
        places = compared.asserted(tree) if is_test else ()
        rewrite_asserts(tree, source, path, config)
        if is_test:
            compared.watch(tree, places)
            seen.plant(tree, plain, path)
        code = compared.sealed(compile_tree(tree, path, "exec", 0, True))
        files.loaded(path, code, plain)
        if is_test:
            seen.loaded(path, source, code, plain)
        known[path] = found, code

    def _rewrite_test(fn: Any, config: Any) -> Any:
        path = str(fn)
        if path not in known:
            try:
                prepare(path, config)
            except (OSError, SyntaxError, ValueError):
                return rewrite_test(fn, config)
        return known[path]

    # Write no byte code: nothing would read it, and our code objects have constants that cannot be written.
    rewrite._rewrite_test = _rewrite_test
    rewrite._read_pyc = rewrite._write_pyc = lambda *arguments: None
    return prepare
