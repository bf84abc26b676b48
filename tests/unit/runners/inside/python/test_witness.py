"""Which tests of the judge's files ran, and to which end."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gradebox.graders.runners.inside.python.definitions import definitions
from gradebox.graders.runners.inside.python.witness import witness

JUDGE = """
import pytest

def test_passes():
    assert 1 == 1

def test_raises():
    raise ValueError

def test_waits():
    pass

@pytest.mark.skip(reason="later")
def test_skipped():
    pass

class TestMore:
    def test_inner(self):
        pass
"""


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    monkeypatch.setattr(os, "geteuid", lambda: 54_321)
    tools = SimpleNamespace(origin=lambda _thing: "")
    return witness(tools, definitions(tools))


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "test_sample.py").write_text(JUDGE, "utf-8")
    return str(tmp_path / "test_sample.py")


def loaded(seen: SimpleNamespace, path: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {}
    exec(seen.compiled(path), namespace)
    return namespace


def test_a_test_reports_that_it_ran_and_whether_an_error_left_it(seen: SimpleNamespace, path: str) -> None:
    tests = loaded(seen, path)
    tests["test_passes"]()
    with pytest.raises(ValueError):  # noqa: PT011 - it is raised without a message
        tests["test_raises"]()
    states = [seen.state(path, (name,)) for name in ("test_passes", "test_raises", "test_waits")]
    assert states == [True, False, None]
    seen.forget(path, ("test_passes",))
    assert seen.state(path, ("test_passes",)) is None


def test_the_tests_of_a_file_are_found_without_a_runner(seen: SimpleNamespace, path: str) -> None:
    names = set(seen.tests_in(path, lambda node, depth: node.name.startswith("Test")))
    plain = {("test_passes",), ("test_raises",), ("test_waits",), ("test_skipped",), ("TestMore", "test_inner")}
    assert names == plain


def test_only_a_mark_beside_a_test_says_that_it_may_be_left_out(seen: SimpleNamespace, path: str) -> None:
    loaded(seen, path)
    assert seen.may_be_left(path, ("test_skipped",), "skip")
    assert not seen.may_be_left(path, ("test_passes",), "skip")
    assert seen.says(path, "later")
    assert not seen.is_said("expectedfailure")
