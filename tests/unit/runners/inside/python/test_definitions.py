"""What the judge's files define, and whether that is what runs."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from gradebox.graders.runners.inside.python.definitions import definitions

CANDIDATE = 54_321
JUDGE = """
import functools

HELPERS = []

def helper():
    return 1

def test_one():
    assert helper() == 1

@functools.lru_cache
def changed():
    return 2

class TestTwo:
    def test_two(self):
        assert True
"""


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    # Files of this process are then the judge's.
    monkeypatch.setattr(os, "geteuid", lambda: CANDIDATE)
    return definitions(SimpleNamespace(origin=lambda _thing: ""))


@pytest.fixture
def judge(tmp_path: Path) -> Iterator[ModuleType]:
    (tmp_path / "judge_sample.py").write_text(JUDGE, "utf-8")
    spec = importlib.util.spec_from_file_location("judge_sample", tmp_path / "judge_sample.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["judge_sample"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["judge_sample"]


def test_honest_modules_are_as_their_files_define_them(files: SimpleNamespace, judge: ModuleType) -> None:
    assert list(files.altered(judge, strict=True)) == []
    assert files.exchanged(judge.test_one, judge, ("test_one",)) == ""
    assert files.is_judges_code(judge.helper.__code__)


def test_other_code_in_the_place_of_a_function_is_found(files: SimpleNamespace, judge: ModuleType) -> None:
    judge.__dict__["test_one"] = eval("lambda: None", judge.__dict__)
    (what,) = files.altered(judge)
    assert what.startswith("test_one in ")
    assert what.endswith("is not what the file defines")
    assert files.exchanged(judge.test_one, judge, ("test_one",)) == f"the test {what}"


def test_other_code_in_a_function_is_found(files: SimpleNamespace, judge: ModuleType) -> None:
    judge.helper.__code__ = (lambda: 3).__code__
    assert [what.partition(" ")[0] for what in files.altered(judge, swapped=True)] == ["helper"]


def test_words_of_the_judge_are_found_in_its_files(files: SimpleNamespace, judge: ModuleType) -> None:
    assert files.says("lru_cache")
    assert not files.says("no such word anywhere " * 2)
    assert files.source_of(judge.__file__) == JUDGE.encode()
