"""Every way to compare, against outputs that its rules accept and refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gradebox.graders.checks.io.comparisons import Compare, ExpectedOutput, compared
from gradebox.graders.model.expectation import Content

_TABLE = yaml.safe_load(Path(__file__).with_name("comparisons.yaml").read_text("utf-8"))


def _rows() -> list[Any]:
    found = []
    for entry in _TABLE:
        flags = {key: value for key, value in entry.items() if key not in ("expected", "right", "wrong")}
        compare = Compare(**{key: float(value) if type(value) is int else value for key, value in flags.items()})
        for outputs, is_right in ((entry["right"], True), (entry["wrong"], False)):
            found += [
                pytest.param(compare, entry["expected"], output, is_right, id=f"{flags}-{output!r}")
                for output in outputs
            ]
    return found


@pytest.mark.parametrize(("compare", "expected", "output", "is_right"), _rows())
def test_an_output_is_right_if_the_rules_say_so(compare: Compare, expected: str, output: str, is_right: bool) -> None:
    found = compared(compare, expected.encode(), output.encode())
    assert found.accepted == is_right
    assert not found.problem
    assert bool(found.reason) != is_right


def test_bytes_that_are_no_text_are_compared_as_they_are() -> None:
    assert compared(Compare(), b"\xff\n", b"\xff").accepted
    assert not compared(Compare(), b"\xff\n", b"\xfe").accepted
    assert compared(Compare(by="kattis"), b"\xff A", b"\xff a").accepted
    assert not compared(Compare(by="json"), b"1", b"\xff").accepted


def test_what_is_expected_can_be_useless() -> None:
    assert "not JSON" in compared(Compare(by="json"), b"{", b"{").problem
    assert "cannot be used" in compared(Compare(by="regex"), b"(", b"(").problem
    assert "cannot be used" in compared(Compare(by="regex"), b"\xff", b"x").problem


def test_hostile_json_is_wrong_and_no_more() -> None:
    assert compared(Compare(by="json"), b"[]", b"[" * 100_000).reason.startswith("it is not JSON")


def test_the_first_difference_is_marked() -> None:
    found = compared(Compare(), b"1 2 3\n4 5 6\n", b"1 2 3\n4 5 7\n")
    assert (found.reason, found.expected, found.actual) == ("line 2, column 5", "4 5 \u203a6", "4 5 \u203a7")


def test_fields_of_another_way_are_misplaced() -> None:
    assert Compare(by="float", float_tolerance=1.0).misplaced() == ("float_tolerance",)
    assert Compare(by="kattis", float_tolerance=1.0).misplaced() == ()
    assert Compare(by="lines", absolute=1.0).misplaced() == ("absolute",)


def test_expected_outputs_that_accept_the_same_have_one_digest() -> None:
    one, same = (ExpectedOutput(Compare(by="tokens"), Content.of(b"x")) for _ in range(2))
    assert one.digest == same.digest
    assert one.digest != ExpectedOutput(Compare(by="exact"), Content.of(b"x")).digest
    assert one.digest != ExpectedOutput(Compare(by="tokens"), Content.of(b"y")).digest
    assert one.compare(b" x ").accepted
