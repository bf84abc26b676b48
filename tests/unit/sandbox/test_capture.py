"""What is kept of a command's output."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.sandbox.capture import STDOUT, Captures
from gradebox.sandbox.errors import ProtocolError
from gradebox.sandbox.types import Capture


def test_an_empty_capture_has_the_hash_of_nothing() -> None:
    assert Capture().sha256 == sha256(b"").hexdigest()
    assert Captures(100).partial(STDOUT) == Capture()


def test_what_was_left_out_is_said_between_head_and_tail() -> None:
    captures = Captures(10)
    captures.head(STDOUT, b"begin")
    captures.tail(STDOUT, b"end")
    captures.total(STDOUT, 1000, "hash")
    found = captures.result(STDOUT)
    assert not found.complete
    assert found.content() == b"begin\n[... 992 bytes omitted ...]\nend"


@given(st.lists(st.binary(max_size=20), max_size=10))
def test_a_complete_capture_is_what_was_written(pieces: list[bytes]) -> None:
    captures = Captures(1000)
    for piece in pieces:
        captures.head(STDOUT, piece)
    found = captures.partial(STDOUT)
    assert found.content() == b"".join(pieces)
    assert found.sha256 == sha256(b"".join(pieces)).hexdigest()


@pytest.mark.parametrize("where", ["head", "tail"])
def test_more_than_was_asked_for_is_refused(where: str) -> None:
    captures = Captures(10)
    with pytest.raises(ProtocolError, match="more than the 5 bytes"):
        getattr(captures, where)(STDOUT, b"123456")


def test_a_count_below_what_came_is_refused() -> None:
    captures = Captures(10)
    captures.head(STDOUT, b"123")
    captures.total(STDOUT, 2, "hash")
    with pytest.raises(ProtocolError, match="sent 3 bytes"):
        captures.result(STDOUT)


def test_an_unknown_stream_is_refused() -> None:
    with pytest.raises(ProtocolError, match="stream 4"):
        Captures(10).head(4, b"")


@given(st.binary(max_size=50))
def test_text_never_raises(data: bytes) -> None:
    assert isinstance(Capture(head=data, total_bytes=len(data)).text(), str)
