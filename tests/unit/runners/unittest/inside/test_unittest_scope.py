"""Which tests unittest was requested to run, and whether they ran."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from gradebox.graders.runners.inside.python.definitions import definitions
from gradebox.graders.runners.inside.python.witness import witness
from gradebox.graders.runners.unittest.inside.unittest_scope import scope

TESTS = """
import unittest

class TestIt(unittest.TestCase):
    def test_one(self):
        pass

    def test_two(self):
        pass
"""


@pytest.fixture
def requested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    (tmp_path / "test_it.py").write_text(TESTS, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 54_321)
    tools = SimpleNamespace(origin=lambda _thing: "")
    files = definitions(tools)
    seen = witness(tools, files)
    monkeypatch.setattr(seen, "observe_imports", lambda: None)
    return scope(files, seen)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["test_it"], 2),
        (["test_it.py"], 2),
        (["discover"], 2),
        (["discover", "-s", ".", "-p", "test_*.py"], 2),
        (["test_it.TestIt"], 0),
        (["-k", "one", "test_it"], 0),
    ],
)
def test_what_did_not_run_is_found_unless_the_author_selects(
    requested: SimpleNamespace, words: list[str], expected: int
) -> None:
    requested.begin(words)
    left_out = list(requested.left_out())
    assert len(left_out) == expected
    assert all(what.endswith("was left out") for what in left_out)
