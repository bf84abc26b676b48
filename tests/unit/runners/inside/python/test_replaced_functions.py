"""Functions of a test runner that were replaced."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace

import pytest

from gradebox.graders.runners.inside.python.replaced_functions import remember

CANDIDATE = 54_321
SOURCE = """
def run():
    return 1

class Session:
    def start(self):
        return 2
"""


@pytest.fixture
def runner() -> Iterator[ModuleType]:
    module = ModuleType("intact_sample.core")
    exec(compile(SOURCE, "/intact_sample/core.py", "exec"), module.__dict__)
    sys.modules["intact_sample.core"] = module
    yield module
    del sys.modules["intact_sample.core"]


@pytest.fixture
def replaced(runner: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Iterator[str]]:
    monkeypatch.setattr(os, "geteuid", lambda: CANDIDATE)
    monkeypatch.setattr(os, "stat", lambda path: SimpleNamespace(st_uid=CANDIDATE if "work" in path else 0))
    tools = SimpleNamespace(origin=lambda _kind: "", is_runners=lambda _path: False)
    return remember(tools, ("intact_sample.",))


def foreign(path: str) -> object:
    namespace: dict[str, object] = {}
    exec(compile("def other(*_):\n    return 9\n", path, "exec"), namespace)
    return namespace["other"]


def test_an_intact_runner_has_nothing_replaced(replaced: Callable[[], Iterator[str]]) -> None:
    assert list(replaced()) == []


def test_code_of_the_candidate_is_found_in_modules_and_classes(
    runner: ModuleType, replaced: Callable[[], Iterator[str]]
) -> None:
    runner.__dict__["run"] = foreign("/work.py")
    runner.Session.start = foreign("/work.py")
    assert sorted(replaced()) == ["intact_sample.core.Session.start", "intact_sample.core.run"]


def test_installed_code_may_replace(runner: ModuleType, replaced: Callable[[], Iterator[str]]) -> None:
    runner.__dict__["run"] = foreign("/usr/lib/plugin.py")
    assert list(replaced()) == []
