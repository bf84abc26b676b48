"""Files of tests that are loaded in place of pytest."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gradebox.graders.runners.inside.python.definitions import definitions
from gradebox.graders.runners.inside.python.witness import witness
from gradebox.graders.runners.pytest.inside.pytest_loading import listen, load_pytest


def test_pytest_is_loaded_with_all_that_it_is_made_of() -> None:
    module, config, rewrite = load_pytest()
    assert module is pytest
    assert "python" in config.default_plugins
    assert rewrite.__name__ == "_pytest.assertion.rewrite"


def other_rewrite(calls: list[str]) -> SimpleNamespace:
    """Return a module that has what pytest's own is known by."""

    def _rewrite_test(fn: str, config: object) -> tuple[None, None]:
        calls.append(f"{fn} {config}")
        return None, None

    def rewrite_asserts(tree: Any, source: bytes, path: str, config: object) -> None:
        calls.append(f"asserts of {path}")

    return SimpleNamespace(
        _rewrite_test=_rewrite_test, rewrite_asserts=rewrite_asserts, _read_pyc=None, _write_pyc=None
    )


def test_a_file_is_compiled_once_with_its_asserts_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = SimpleNamespace(origin=lambda _: "", trust=lambda *_: None, always_equal=lambda *_, **__: "")
    files = definitions(tools)
    seen = witness(tools, files)
    monkeypatch.setattr(seen, "observe_imports", lambda: None)
    calls: list[str] = []
    rewrite = other_rewrite(calls)
    prepare = listen(rewrite, tools, files, seen, lambda *_: None)
    assert prepare is not None
    path = tmp_path / "test_it.py"
    path.write_text("def test_it():\n    assert 1 == 1\n", "utf-8")
    prepare(str(path), None)
    found, code = rewrite._rewrite_test(path, None)
    assert (calls, found.st_size, code.co_filename) == ([f"asserts of {path}"], path.stat().st_size, str(path))
    assert rewrite._read_pyc("anything") is None


def test_a_pytest_that_loads_files_otherwise_is_left_alone() -> None:
    tools = SimpleNamespace(origin=lambda _: "", trust=lambda *_: None)
    seen = SimpleNamespace(observe_imports=lambda: None)
    files = SimpleNamespace(is_judges_code=None, says=None)
    assert listen(SimpleNamespace(rewrite_asserts=None), tools, files, seen, lambda *_: None) is None
