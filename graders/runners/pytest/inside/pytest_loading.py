"""Loads files of tests in place of pytest, and observes what is loaded.

pytest rewrites asserts. The files that are known before candidate's code is loaded are read and compiled here in its
stead. So nothing which that code does to reading, rewriting or byte code makes other tests of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradebox.graders.languages.python.inside.reported_comparisons import reported_comparisons

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import SimpleNamespace
    from typing import Any


def load_pytest() -> tuple[Any, Any, Any]:
    """Import pytest with all that it is made of."""
    import importlib
    import sys

    import pytest
    from _pytest import config
    from _pytest.assertion import rewrite

    for name in getattr(config, "default_plugins", ()):
        importlib.import_module("_pytest." + name)
    there = set(sys.modules)
    for name in ("readline", "pdb"):
        # pytest loads them when it starts, where the candidate's modules may be first.
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    for name in {"cmd", "code", "codeop"} - there:
        # Honest modules have such names, and the debugger has what it needs of these.
        sys.modules.pop(name, None)
    return pytest, config, rewrite


def listen(
    rewrite: Any,
    tools: SimpleNamespace,
    files: SimpleNamespace,
    seen: SimpleNamespace,
    note: Callable[[str, str], None],
) -> Callable[[str, Any], None] | None:
    """Have files of tests loaded, and comparisons looked at, as above.

    Returns what reads a file of tests before it is requested; None if this pytest does not load files as others do.
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
        # What tests of the candidate's own compare proves nothing.
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

    # No byte code is kept: it would be read by nobody, and not every constant can be written.
    rewrite._rewrite_test = _rewrite_test
    rewrite._read_pyc = rewrite._write_pyc = lambda *arguments: None
    return prepare
