"""What plain YAML scalars mean."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.documents.scalars import Trap, TrapKind, number_text, plain_scalar

READ_ALIKE: list[tuple[str, Any]] = [
    ("a", "a"),
    ("a b", "a b"),
    ("true", True),
    ("True", True),
    ("FALSE", False),
    ("null", None),
    ("~", None),
    ("0", 0),
    ("12", 12),
    ("-7", -7),
    ("1.5", 1.5),
    ("-0.25", -0.25),
    ("1.", 1.0),
    (".5", 0.5),
    ("1.0e+3", 1000.0),
    ("y", "y"),
    ("N", "N"),
    ("nope", "nope"),
    ("yes!", "yes!"),
    ("-", "-"),
    ("+", "+"),
    (".", "."),
    ("...", "..."),
    ("-x", "-x"),
    ("1a", "1a"),
    ("v1", "v1"),
    ("1.2.3", "1.2.3"),
    ("python:3.12", "python:3.12"),
    ("8080:80", "8080:80"),
    ("./run.sh", "./run.sh"),
    ("-rf", "-rf"),
    ("--flag", "--flag"),
    (".5x", ".5x"),
    ("2024-01", "2024-01"),
    ("e5", "e5"),
    ("1e", "1e"),
    (".E0", ".E0"),
    ("-.e+5", "-.e+5"),
    ("+e5", "+e5"),
]
TRAPS = [
    ("", TrapKind.EMPTY),
    *((word, TrapKind.BOOLEAN) for word in ("yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "OFF")),
    *((word, TrapKind.NUMBER) for word in ("010", "0o17", "0x1F", "0b11", "1_000", ".0_", "12:30", "190:20:30.15")),
    *((word, TrapKind.NUMBER) for word in (".inf", "-.Inf", ".NAN", "1e999", "00", "-01", "08", "007.5", "0_1")),
    ("9" * 400, TrapKind.NUMBER),
    ("9" * 5000, TrapKind.NUMBER),
    ("2024-01-01", TrapKind.DATE),
    ("2024-1-1 10:00:00", TrapKind.DATE),
]


@pytest.mark.parametrize(("text", "value"), READ_ALIKE)
def test_a_scalar_that_every_reader_takes_alike_has_that_value(text: str, value: Any) -> None:
    read = plain_scalar(text)
    assert read == value
    assert isinstance(read, type(value))
    if text not in {"-", "..."}:
        assert yaml.safe_load(text) == value


@pytest.mark.parametrize(("text", "kind"), TRAPS)
def test_a_scalar_that_readers_take_differently_is_a_trap(text: str, kind: TrapKind) -> None:
    trap = plain_scalar(text)
    assert isinstance(trap, Trap)
    assert (trap.kind, trap.text) == (kind, text)


@pytest.mark.parametrize(
    "text", ["1", "1.10", "+5", "1e3", "1.50", "-0.0", "00.5"[1:], "123456789012345678901234567890"]
)
def test_a_number_keeps_what_was_written(text: str) -> None:
    number = plain_scalar(text)
    assert isinstance(number, (int, float))
    assert number_text(number) == text


@given(st.text(alphabet="0123456789+-._:eExobyYnNoOfF~ tTruEalsn", max_size=12))
def test_what_is_not_a_trap_means_the_same_to_a_reader_of_yaml_1_1(text: str) -> None:
    value = plain_scalar(text)
    try:
        document = yaml.safe_load(f"- {text}") if text.strip() == text and text else None
    except (yaml.YAMLError, ValueError):
        return
    if isinstance(value, Trap) or not isinstance(document, list) or len(document) != 1:
        return
    # YAML 1.1 wants a point, and a sign in the exponent, where JSON and YAML 1.2 do not: 1e3 is a number here.
    if isinstance(document[0], str) and isinstance(value, float):
        assert float(document[0]) == value
    elif not isinstance(document[0], (list, dict)):
        assert document[0] == value
