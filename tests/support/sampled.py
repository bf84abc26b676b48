"""Parameters of tests that differ by their data alone, of which each run tries some and `make thorough` tries all."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet


def one_of(count: int, values: Iterable[object]) -> list[ParameterSet]:
    """Return a parameter for each value; only the first of every `count` values is always tried."""
    return [pytest.param(value, marks=pytest.mark.thorough if at % count else ()) for at, value in enumerate(values)]
