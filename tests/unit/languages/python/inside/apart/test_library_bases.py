"""Stand-ins pass for instances of classes of the library; in the candidate's process they are text and numbers, too."""

from __future__ import annotations

import enum
import json
import logging
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from gradebox.graders.languages.python.inside.apart.library_bases import (
    passing,
    real_data,
    shown_class,
    stand_for,
    with_data,
)


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


def test_only_listed_classes_of_the_library_are_passed_for() -> None:
    names = ["enum.Enum", "unittest.case.TestCase", "decimal.Decimal", "_pytest.outcomes.Failed", "os", "int"]
    assert passing({"library": names}) == [enum.Enum]
    assert passing({}) == []
    with pytest.raises(TypeError):
        passing({"library": [["enum.Enum"]]})


def test_an_object_shows_a_class_below_that_of_the_library() -> None:
    about = {"name": "Worker", "module": "m", "qualname": "Worker", "data": ""}
    worker: Any = type("Worker", (), shown_class(about, [threading.Thread]))()
    assert isinstance(worker, threading.Thread)
    assert (worker.__class__.__name__, type(worker).__bases__) == ("Worker", (object,))
    logger: Any = type("Logger", (), shown_class({"name": "Logger", "data": ""}, [logging.Logger]))()
    assert logger.__class__ is logging.Logger
    assert shown_class(about, [Mapping, enum.Enum, object]) == {}
    assert isinstance(type("Own", (), shown_class({"data": "list"}, []))(), list)


class _Real(enum.Enum):
    ONE = 1


def test_real_enumerations_are_what_they_were() -> None:
    assert isinstance(_Real.ONE, enum.Enum)
    assert isinstance(_Real.ONE, _Real)
    assert not isinstance(1, enum.Enum)
    assert issubclass(_Real, enum.Enum)
    assert not issubclass(int, enum.Enum)
