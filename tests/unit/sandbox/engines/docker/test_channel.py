"""The attached streams of a container, over a real pair of sockets."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from http.client import HTTPResponse
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.sandbox.engines.docker.channel import AttachedChannel
from gradebox.sandbox.errors import SandboxLost

STDOUT, STDERR = 1, 2


def piece(stream: int, data: bytes) -> bytes:
    return struct.pack(">BxxxI", stream, len(data)) + data


class Ends(NamedTuple):
    """Our channel, and the engine's end of the connection."""

    channel: AttachedChannel
    engine: socket.socket


@pytest.fixture
def ends() -> Iterator[Ends]:
    ours, theirs = socket.socketpair()
    channel = AttachedChannel(ours)
    yield Ends(channel, theirs)
    channel.close()
    theirs.close()


def received(channel: AttachedChannel) -> bytes:
    """Return everything up to the end of the stream."""
    return b"".join(iter(lambda: channel.receive(5.0), b""))


def test_what_is_said_on_stderr_without_end_takes_no_longer_than_allowed(ends: Ends) -> None:
    ends.engine.sendall(piece(STDERR, b"x") * 1000)
    with pytest.raises(TimeoutError):
        ends.channel.receive(0.0)


@given(st.lists(st.tuples(st.sampled_from([STDOUT, STDERR]), st.binary(max_size=30)), max_size=10), st.data())
def test_stdout_comes_through_however_the_connection_cuts_it(
    pieces: list[tuple[int, bytes]], data: st.DataObject
) -> None:
    stream = b"".join(piece(*each) for each in pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    parts = iter(
        [stream[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True) if begin < end]
    )
    scripted: Any = SimpleNamespace(settimeout=lambda _: None, recv=lambda _: next(parts, b""))
    channel = AttachedChannel(scripted)
    assert received(channel) == b"".join(data for stream, data in pieces if stream == STDOUT)
    said = b"".join(data for stream, data in pieces if stream == STDERR)
    assert channel.stderr() == said.decode("utf-8", "replace").strip()


def test_what_is_sent_arrives_as_it_is(ends: Ends) -> None:
    ends.channel.send(b"a frame", 5.0)
    assert ends.engine.recv(100) == b"a frame"


def test_a_piece_is_passed_on_before_all_of_it_has_come(ends: Ends) -> None:
    ends.engine.sendall(piece(STDOUT, b"x" * 1000)[:18])
    assert ends.channel.receive(5.0) == b"x" * 10


def test_an_announced_length_takes_no_memory(ends: Ends) -> None:
    ends.engine.sendall(struct.pack(">BxxxI", STDOUT, 2**32 - 1) + b"little")
    ends.engine.close()
    assert received(ends.channel) == b"little"


def test_last_words_are_kept_but_not_without_end(ends: Ends) -> None:
    ends.engine.sendall(piece(STDERR, b"no such\xff program\n") + piece(STDERR, b"x" * 10_000))
    ends.engine.close()
    assert ends.channel.receive(5.0) == b""
    assert ends.channel.stderr().startswith("no such\ufffd program")
    assert len(ends.channel.stderr().encode("utf-8", "replace")) < 5000


def test_silence_is_a_timeout(ends: Ends) -> None:
    with pytest.raises(TimeoutError):
        ends.channel.receive(0.01)


@pytest.mark.parametrize("begun", [b"", b"\1", piece(STDOUT, b"")])
def test_a_connection_that_ends_ends_the_stream(ends: Ends, begun: bytes) -> None:
    ends.engine.sendall(begun)
    ends.engine.close()
    assert ends.channel.receive(5.0) == b""


def test_a_reader_that_stopped_reading_is_lost_and_not_waited_for(ends: Ends) -> None:
    with pytest.raises(SandboxLost, match="no longer accepts data"):
        ends.channel.send(b"x" * (8 << 20), 0.05)


def test_what_comes_while_we_write_is_kept(ends: Ends) -> None:
    ends.engine.sendall(piece(STDOUT, b"in the meantime"))
    with pytest.raises(SandboxLost, match="timed out"):
        ends.channel.send(bytes(8 << 20), 0.5)
    assert ends.channel.receive(1.0) == b"in the meantime"


def test_a_container_that_has_ended_is_not_waited_for_though_the_engine_holds_its_input(ends: Ends) -> None:
    ends.engine.shutdown(socket.SHUT_WR)
    with pytest.raises(SandboxLost, match="ended before"):
        ends.channel.send(bytes(8 << 20), 60.0)


def test_a_connection_that_is_gone_is_lost(ends: Ends) -> None:
    ends.engine.close()
    with pytest.raises(SandboxLost, match="no longer accepts data"):
        ends.channel.send(b"x" * (8 << 20), 5.0)


def test_a_connection_that_was_reset_is_lost() -> None:
    def recv(_: int) -> bytes:
        raise ConnectionResetError("Connection reset by peer")

    broken: Any = SimpleNamespace(settimeout=lambda _: None, recv=recv)
    with pytest.raises(SandboxLost, match="connection to the sandbox broke: Connection reset"):
        AttachedChannel(broken).receive(5.0)


def test_closing_twice_or_after_the_other_end_is_fine(ends: Ends) -> None:
    ends.engine.close()
    ends.channel.close()
    ends.channel.close()


def test_the_answer_that_handed_over_the_connection_is_closed_while_it_can_be() -> None:
    ours, theirs = socket.socketpair()
    theirs.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/vnd.docker.raw-stream\r\n\r\n")
    answer = HTTPResponse(ours)
    answer.begin()
    AttachedChannel(ours, answer).close()
    assert answer.closed
    assert theirs.recv(1) == b""
    theirs.close()
