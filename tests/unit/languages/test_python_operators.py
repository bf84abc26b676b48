"""Which classes of a solution are told what tests compare them with."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

import pytest

from graders.languages.python_operators import operator_classes


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("class A:\n def total(self): ...\n def __eq__(self, other): ...\n def __len__(self): ...", ""),
        ("class A:\n def __add__(self, other): ...", "A"),
        ("class A:\n __lt__ = less", "A"),
        ("class A:\n def __contains__(self, item): ...\nclass B(A): pass\nclass C(B): pass", "A B C"),
        ("class A:\n def count(self, item): ...", "A"),
        ("class A:\n def __getattr__(self, name): ...", "A"),
        ("class A(list): pass\nclass B(other.Base[int]): pass\nclass C(ValueError): pass\nclass D(Generic[T]): pass", "A B"),
        ("class A(metaclass=ABCMeta): pass\nclass B(metaclass=Own): pass\nclass C(Enum): pass\nclass D(IntEnum): pass", "B D"),
        ("@dataclass(order=True)\nclass A: pass\n@shown\nclass B: pass", "B"),
        ("class A: pass\nB = A\nC = make()\nD = 3\nfrom b import F as G", "B C G"),
        ("def mean(x):\n class A:\n  def __sub__(self, other): ...", "A"),
    ],
)  # fmt: skip
def test_they_have_operators_of_their_own_or_may_have_some(source: str, found: str) -> None:
    assert {name for name in operator_classes([source]) or () if not name.startswith("__")} == set(found.split())


def test_nothing_is_known_of_what_cannot_be_read() -> None:
    assert operator_classes(["class A: pass", "class"]) is None
    assert operator_classes([]) == frozenset()
