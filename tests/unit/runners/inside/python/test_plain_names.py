"""What a file plainly defines."""

from __future__ import annotations

import ast

import pytest

from gradebox.graders.runners.inside.python.plain_names import plain_names

SOURCE = """
import functools
import unittest.mock

import pytest

def helper():
    pass

@pytest.mark.slow
def test_one():
    pass

@functools.lru_cache
def changed():
    pass

@unittest.mock.patch("a.b")
def test_patched(mocked):
    pass

class TestTwo:
    def test_two(self):
        pass

class Made(TestTwo):
    def test_three(self):
        pass
"""


def test_plain_is_what_no_decorator_changes() -> None:
    found, loose, others = plain_names().plain_in(ast.parse(SOURCE))
    assert found == {("helper",), ("test_one",), ("TestTwo", "test_two")}
    assert others == {("test_patched",), ("Made", "test_three")}
    assert not loose


@pytest.mark.parametrize(
    "more",
    ["helper = 1", "from work import *", "for helper in (): pass", "def f():\n    global helper", "import helper"],
)
def test_what_something_else_may_bind_is_not_plain(more: str) -> None:
    found, _, _ = plain_names().plain_in(ast.parse(f"{SOURCE}\n{more}\n"))
    assert ("helper",) not in found


@pytest.mark.parametrize("more", ["globals()['a'] = 1", "setattr(helper, 'a', 1)", "exec('a = 1')"])
def test_a_file_that_binds_names_indirectly_is_loose(more: str) -> None:
    assert plain_names().plain_in(ast.parse(f"{SOURCE}\n{more}\n"))[1]


def test_a_simple_class_has_no_base_but_a_test_case() -> None:
    simple, other = ast.parse("class A(unittest.TestCase): pass\nclass B(A): pass\n").body
    assert plain_names().is_simple_class(simple)
    assert not plain_names().is_simple_class(other)
