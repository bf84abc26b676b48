"""JavaScript as a language of cases."""

from __future__ import annotations

import math
from typing import Any

import pytest

from gradebox.graders.languages.javascript import LANGUAGE, literal


def test_settings_of_mocha_are_a_control_file() -> None:
    assert ".mocharc*" in [kind.glob for kind in LANGUAGE.control_files]
    assert set(LANGUAGE.tools) == {"node", "mocha"}


def test_values_are_written_as_source() -> None:
    value: list[Any] = [
        None,
        True,
        1 << 60,
        math.nan,
        -math.inf,
        "\u2028\n",
        b"\x01",
        {1},
        {"a": 1, 'b"': []},
        {1: 2},
        {"__proto__": 1},
    ]
    assert literal(value) == (
        '[null, true, 1152921504606846976n, NaN, -Infinity, "\\u2028\\n", new Uint8Array([1]), new Set([1]), '
        '{"a": 1, "b\\"": []}, new Map([[1, 2]]), new Map([["__proto__", 1]])]'
    )
    with pytest.raises(ValueError, match="JavaScript has no complex"):
        literal([1j])
