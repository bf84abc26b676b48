"""What is no data is sent as an object of its side."""

from __future__ import annotations

import decimal

from apart_bench import sent

from graders.languages.inside.python.apart.links import link_of


def test_a_class_of_the_same_name_is_no_value_of_the_library() -> None:
    fake = type("Decimal", (), {"__module__": "decimal"})
    found = sent(fake())
    assert type(found).__name__ == "Decimal"
    assert not isinstance(found, decimal.Decimal)


class _Own:
    x = 1


def test_objects_and_their_classes_stay_where_they_are() -> None:
    thing = _Own()
    found = sent((thing, thing, _Own))
    assert found[0] is found[1]
    assert type(found[0]) is found[2]
    assert link_of(found[0]) is not None
    assert not isinstance(found[0], _Own)


def test_an_exception_of_the_library_is_one_there() -> None:
    found = sent(OSError(2, "missing", "file"))
    assert type(found) is FileNotFoundError
    assert (found.errno, found.filename) == (2, "file")
