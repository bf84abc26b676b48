"""The channel to a supervisor on this machine."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

import pytest

from gradebox.sandbox.engines.local_channel import LocalChannel
from gradebox.sandbox.errors import SandboxLost


@pytest.fixture
def channel() -> Iterator[LocalChannel]:
    channel = LocalChannel()
    yield channel
    channel.close()


def test_both_directions_are_one_socket(channel: LocalChannel) -> None:
    channel.send(b"request", 1.0)
    assert channel.theirs.recv(100) == b"request"
    channel.theirs.send(b"answer")
    assert channel.receive(1.0) == b"answer"


def test_nothing_in_time_is_a_timeout(channel: LocalChannel) -> None:
    with pytest.raises(TimeoutError):
        channel.receive(0.0)


def test_the_end_of_the_supervisor_is_the_end_of_file(channel: LocalChannel) -> None:
    channel.give_away()
    assert channel.receive(1.0) == b""
    with pytest.raises(SandboxLost, match="no longer accepts data"):
        channel.send(b"late", 1.0)


def test_an_end_with_unread_requests_is_the_end_of_file(channel: LocalChannel) -> None:
    channel.send(b"unread", 1.0)
    channel.give_away()
    assert channel.receive(1.0) == b""


def test_a_supervisor_that_reads_nothing_is_lost(channel: LocalChannel) -> None:
    channel.theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    with pytest.raises(SandboxLost):
        channel.send(bytes(1 << 22), 0.05)


def test_last_words_are_capped(channel: LocalChannel) -> None:
    os.write(channel.words, b"supervisor: no room.\n" + bytes(10_000))
    assert channel.stderr().startswith("supervisor: no room.")
    assert len(channel.stderr()) <= 4096
    channel.close()
    assert channel.stderr() == ""
