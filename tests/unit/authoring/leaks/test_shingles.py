"""What of a text survives in its shingles."""

from __future__ import annotations

import pytest
from planted_leaks import ANSWER, TESTS

from gradebox.graders.authoring.leaks.shingles import TOKENS, shingles, skeleton

TEXT = ANSWER.encode()


@pytest.mark.parametrize("changed", [
    TEXT.replace(b"\n", b"\n      "),
    TEXT.replace(b"\n", b"\r\n"),
    TEXT.replace(b"joined", b"out").replace(b"pairs", b"p"),
    TEXT.replace(b"\n", b"\n+"),
    b"x = 1\n" * 40 + TEXT,
], ids=["indented", "line-ends", "renamed", "diff", "moved"])  # fmt: skip
def test_a_copy_keeps_them(changed: bytes) -> None:
    assert shingles(TEXT) <= shingles(changed)
    assert skeleton(TEXT) <= skeleton(changed)


def test_another_text_has_others() -> None:
    common = shingles(TEXT) & shingles(TESTS.encode())
    assert len(common) < 0.1 * len(shingles(TEXT))


def test_names_differ_by_their_order_alone() -> None:
    assert shingles(b"a + b * a - c / d % e ** f") == shingles(b"u + v * u - w / x % y ** z")
    assert shingles(b"a + b * a - c / d % e ** f") != shingles(b"a + b * b - c / d % e ** f")


def test_a_short_text_has_none() -> None:
    assert not shingles(b"x " * (TOKENS - 1))
    assert not skeleton(b"a = b\n")
