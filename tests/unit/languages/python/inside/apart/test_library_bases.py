"""In the candidate's process, stand-ins are text and numbers, and pass for enumerations and abstract classes."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from typing import Any

from gradebox.graders.languages.python.inside.apart.library_bases import real_data, stand_for, with_data


def test_the_data_that_a_class_is_derived_from_is_among_its_bases_once() -> None:
    assert with_data("str", ()) == (str,)
    assert with_data("list", ()) == ()
    assert with_data("int", (bool,)) == (bool,)
    assert real_data(type("Name", with_data("str", ()), {})) is str
    assert json.dumps(type("Number", with_data("int", ()), {})(3)) == "3"


def test_it_passes_for_classes_of_the_library() -> None:
    table: Any = stand_for(type("Table", (), {}), [Mapping])
    colour: Any = stand_for(type("Colour", (), {}), [enum.IntEnum])
    below = type("Below", (colour,), {})
    assert isinstance(table(), Mapping)
    assert not isinstance(table(), enum.Enum)
    assert isinstance(below(), enum.Enum)
    assert issubclass(colour, enum.IntEnum)
    assert not isinstance(colour(), enum.Flag)
    assert below().__deepcopy__({}) is not None


class _Real(enum.Enum):
    ONE = 1


def test_real_enumerations_are_what_they_were() -> None:
    assert isinstance(_Real.ONE, enum.Enum)
    assert isinstance(_Real.ONE, _Real)
    assert not isinstance(1, enum.Enum)
    assert issubclass(_Real, enum.Enum)
    assert not issubclass(int, enum.Enum)
