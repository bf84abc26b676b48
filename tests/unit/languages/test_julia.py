"""Julia as a language of cases."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from gradebox.graders.languages.julia import LANGUAGE, literal


def test_what_runs_at_every_start_is_a_control_file() -> None:
    assert [kind.glob for kind in LANGUAGE.control_files] == ["startup.jl", "LocalPreferences.toml"]
    assert "--startup-file=no" in LANGUAGE.command


def test_values_are_written_as_source() -> None:
    value = (None, True, 1 << 70, math.nan, "a$b\n", b"\x01", {1}, {"a": (1,)}, Fraction(1, 3), 1 + 2j, [])
    assert literal(value) == (
        '(nothing, true, big"1180591620717411303424", NaN, "a\\$b\\n", UInt8[1], Set([1]), Dict("a" => (1,)), 1//3, '
        "complex(1.0, 2.0), [],)"
    )
    with pytest.raises(ValueError, match="Julia has no Decimal"):
        literal([Decimal(1)])
