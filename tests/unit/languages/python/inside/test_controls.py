"""What decides is controlled: replaced built-in functions and patched assertions are found."""

from __future__ import annotations

import builtins
import unittest

import pytest

from gradebox.graders.languages.python.inside.controls import controls


def test_ordinary_tools_fail_what_must_fail() -> None:
    replaced_builtins, passing_assertions = controls()
    assert passing_assertions() == []
    assert replaced_builtins() == []


def test_a_patched_assertion_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unittest.TestCase, "assertEqual", lambda *_: None)
    _, passing_assertions = controls()
    assert passing_assertions() == ["unittest's assertEqual"]


def test_a_replaced_builtin_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    replaced_builtins, _ = controls()
    monkeypatch.setattr(builtins, "sorted", lambda *_: [])
    assert replaced_builtins() == ["sorted"]


def test_a_patched_pytest_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytest, "approx", lambda *_: 2.0)
    _, passing_assertions = controls()
    assert passing_assertions() == ["pytest's approx"]
