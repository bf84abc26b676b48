"""What tests lend to a submission, and what of it is given away."""

from __future__ import annotations

import collections
import io
import operator
import pathlib
import random
import sqlite3
import threading
import types
from typing import Any
from unittest import mock

import pytest

from gradebox.graders.languages.python.inside.apart.in_grader.lent_objects import is_public, kind_of


class _Own:
    x = 1

    def f(self) -> int:
        return 2


class _File(io.StringIO):
    pass


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (_Own(), "object"), (_Own, "class"), (_Own().f, "function"), (len, "function"), (mock.Mock(), "mock"),
        (mock.sentinel.x, "mock"), (iter([]), "iterator"), (io.StringIO(), "library"), (random.Random(), "library"),
        (threading.Lock(), "library"), (types.SimpleNamespace(), "library"), (object(), "library"),
        (operator.itemgetter(1), "function"), (_File(), "object"), (pytest, ""), (int, ""), (pathlib.Path(), ""),
        (sqlite3.connect(":memory:"), ""), (sqlite3.connect(":memory:").cursor(), ""), (sqlite3.Connection, ""),
        (threading.Thread(), ""),
    ],
)  # fmt: skip
def test_what_may_be_lent_and_as_what(value: Any, kind: str) -> None:
    assert kind_of(value) == kind


@pytest.mark.parametrize(
    ("value", "name", "given"),
    [
        (_Own(), "x", True), (_Own(), "f", True), (_Own(), "_y", False), (_File(), "write", True),
        (mock.Mock(), "anything", True), (mock.Mock(), "reset_mock", False), (mock.Mock(), "return_value", False),
        (mock.Mock(), "assert_called", False), (mock.Mock(), "mock_calls", False), (io.StringIO(), "write", True),
        (threading.Lock(), "acquire", True), (threading.Lock(), "release_lock", False),
        (types.SimpleNamespace(a=1), "a", True), (collections.UserString("a"), "upper", True),
        (collections.UserString("a"), "format", False), (collections.UserString("a"), "format_map", False),
    ],
)  # fmt: skip
def test_which_attributes_are_given(value: Any, name: str, given: bool) -> None:
    assert is_public(value, kind_of(value), name) is given
