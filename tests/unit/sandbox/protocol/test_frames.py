"""The frames of the supervisor's protocol."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.sandbox.errors import ProtocolError
from gradebox.sandbox.protocol import frames
from gradebox.sandbox.protocol.frames import Cause, Decoder, Frame, Tag, Type

HEADER = Path(frames.__file__).parents[1] / "supervisor" / "protocol.h"


def enumerators(prefix: str) -> dict[str, int]:
    return {name: int(value) for name, value in re.findall(rf"\b{prefix}_(\w+) = (\d+)", HEADER.read_text())}


@pytest.mark.parametrize(("prefix", "ours"), [("T", Type), ("F", Tag), ("CAUSE", Cause)])
def test_numbers_are_those_of_the_header(prefix: str, ours: type[Type | Tag | Cause]) -> None:
    assert {member.name: member.value for member in ours} == enumerators(prefix)


def test_limits_are_those_of_the_header() -> None:
    text = HEADER.read_text()
    assert f"#define PROTOCOL_VERSION {frames.PROTOCOL_VERSION}" in text
    for name, value in (("FRAME_MAX", frames.FRAME_MAX), ("STDIN_MAX", frames.STDIN_MAX)):
        found = re.search(rf"#define {name} \((\d+)u << (\d+)\)", text)
        assert found is not None
        assert int(found[1]) << int(found[2]) == value


@given(
    st.lists(st.tuples(st.sampled_from(Type), st.integers(0, 2**32 - 1), st.binary(max_size=50)), max_size=8), st.data()
)
def test_frames_survive_any_cutting(wanted: list[tuple[Type, int, bytes]], data: st.DataObject) -> None:
    stream = b"".join(frames.encode(*frame) for frame in wanted)
    decoder = Decoder()
    found: list[Frame] = []
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        found += decoder.feed(stream[:cut])
        stream = stream[cut:]
    assert found == [Frame(*frame) for frame in wanted]


@given(st.lists(st.tuples(st.sampled_from(Tag), st.binary(max_size=50)), max_size=8))
def test_fields_survive(wanted: list[tuple[Tag, bytes]]) -> None:
    assert frames.parse_fields(frames.fields(wanted)) == wanted


@given(st.integers(0, 2**64 - 1))
def test_numbers_survive(value: int) -> None:
    assert frames.number(frames.parse_fields(frames.fields([(Tag.BYTES, value)]))[0][1]) == value


@given(st.binary(max_size=300))
def test_arbitrary_bytes_raise_nothing_but_a_protocol_error(data: bytes) -> None:
    for parse in (lambda: list(Decoder().feed(data)), lambda: frames.parse_fields(data), lambda: frames.number(data)):
        try:
            parse()
        except ProtocolError:
            continue


def test_an_announced_length_beyond_the_cap_is_refused_before_anything_is_read() -> None:
    with pytest.raises(ProtocolError, match="announced a frame"):
        list(Decoder().feed(b"\xff\xff\xff\xff\x44\0\0\0\0"))


def test_a_request_beyond_the_cap_is_refused() -> None:
    with pytest.raises(ProtocolError, match="exceeds"):
        frames.encode(Type.RUN, 1, bytes(frames.FRAME_MAX + 1))


@given(st.integers(0, 50), st.lists(st.integers(1, 400_000), max_size=30))
def test_batches_hold_all_fields_in_order_each_with_what_comes_first(begins: int, sizes: list[int]) -> None:
    first = frames.fields([(Tag.PATTERN, "p" * begins)])
    items = [(Tag.PATH, chr(97 + number % 26) * size) for number, size in enumerate(sizes)]
    found = list(frames.batches(first, items))
    assert found
    assert all(len(payload) <= frames.FRAME_MAX and payload.startswith(first) for payload in found)
    assert b"".join(payload[len(first) :] for payload in found) == frames.fields(items)
