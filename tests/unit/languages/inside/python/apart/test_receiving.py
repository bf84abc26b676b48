"""What the candidate sends means nothing in the grader's process but data, stand-ins and harmless types."""

from __future__ import annotations

import gc

import pytest
from apart_bench import pair, sent

from graders.languages.inside.python.apart.codec import Reader, Writer


@pytest.mark.parametrize(
    "names",
    [("os", "system"), ("builtins", "exec"), ("unittest", "SkipTest", "Exception"), ("_pytest.outcomes", "Skipped")],
)
def test_a_name_from_the_candidate_means_nothing_but_harmless_types(names: tuple[str, ...]) -> None:
    writer = Writer(pair()[0])
    writer.data += b"g"
    writer.put(names)
    assert Reader(pair()[1], bytes(writer.data[4:])).get() in (object, Exception)


def test_the_end_of_a_stand_in_is_passed_on() -> None:
    sides = pair()
    found = sent(iter([]), sides)
    number = next(iter(sides[0].ours))
    del found
    gc.collect()
    assert [pair[0] for pair in sides[1].released] == [number]
    sides[0].read_releases(tuple(sides[1].released), ())
    assert number not in sides[0].ours
