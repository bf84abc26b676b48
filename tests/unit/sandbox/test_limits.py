"""What the limits of a sandbox say of themselves."""

from __future__ import annotations

import pytest

from gradebox.sandbox.limits import Limits


@pytest.mark.parametrize(("cpus", "slowness"), [(4.0, 1.0), (1.0, 1.0), (0.5, 2.0), (0.1, 10.0), (0.0, 10.0)])
def test_a_part_of_a_processor_is_slower_up_to_a_bound(cpus: float, slowness: float) -> None:
    assert Limits(cpus=cpus).slowness == pytest.approx(slowness)


def test_limits_that_were_stated_are_equal_to_those_that_were_not() -> None:
    assert Limits(stated=frozenset({"pids"})) == Limits()
