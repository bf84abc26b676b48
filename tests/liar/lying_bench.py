"""Who plays the candidate's process when a real test runner runs: a liar, or the honest program with a tap.

    grader's process  --asks for a process-->  this process
                      <--frames-------------->  a liar in a thread of it, or
                      <--frames--> tap <--frames--> the honest program

The supervisor of a sandbox hands the streams of a new process to the candidate's user. A grader's process of Python
sends them to this one over the same socket (tests/support/apart_bench.py). Others start `beside.sh`, and pipes in a
directory lead to here: they may run in a container.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from frames import Unframed
from liar import Caught, Liar

_READ_BYTES = 1 << 16
# As `begin_forked` says it: the program of the candidate's process is there already.
_IS_READY = b"!"
_NEEDS_CODE = b"?"
BESIDE = Path(__file__).with_name("beside.sh")

Transcript = list[tuple[bool, Any]]


class Player(Protocol):
    """Plays the candidate.

    Attributes:
        way: The first word of `beside.sh`.
    """

    way: str

    def play(self, streams: list[int], words: list[str], env: dict[str, str], cwd: str) -> None:
        """Serve a process of Python that was asked for over the supervisor's socket."""

    def talk(self, reading: int, writing: int) -> None:
        """Serve over two pipes."""

    def learn(self, place: Path) -> None:
        """Read what a tap left in a directory."""


@contextlib.contextmanager
def supervisor(player: Player) -> Iterator[str]:
    """Answer requests of Python for processes; yield the path of the socket."""
    with tempfile.TemporaryDirectory() as place, socket.create_server(f"{place}/s", family=socket.AF_UNIX) as server:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    threading.Thread(target=_serve, args=[server.accept()[0], player], daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield f"{place}/s"
        finally:
            server.shutdown(socket.SHUT_RDWR)


def _serve(connection: socket.socket, player: Player) -> None:
    asked, streams, _, _ = socket.recv_fds(connection, 32, 4)
    _, _, size, count, what = struct.unpack("QQIIQ", asked)
    if what <= 1:
        cwd, *texts = os.fsdecode(os.pread(streams[3], size, 0)).split("\0")[:-1]
        player.play(streams, texts[:count], dict(pair.split("=", 1) for pair in texts[count:]), cwd)
    for stream in streams:
        os.close(stream)
    with contextlib.suppress(OSError):
        connection.send(struct.pack("2i", 16, 0))
    connection.close()


@contextlib.contextmanager
def beside(player: Player, place: Path) -> Iterator[None]:
    """Answer what `beside.sh` asks for in a directory, as long as the block lasts."""
    is_over = threading.Event()

    def serve() -> None:
        while not is_over.is_set():
            for asked in place.glob("*.asked"):
                asked.unlink()
                threading.Thread(target=_piped, args=[asked, player], daemon=True).start()
            time.sleep(0.002)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        player.learn(place)


def _piped(asked: Path, player: Player) -> None:
    reading = os.open(asked.with_suffix(".grader"), os.O_RDONLY)
    writing = os.open(asked.with_suffix(".candidate"), os.O_WRONLY)
    with contextlib.suppress(OSError):
        player.talk(reading, writing)
    os.close(reading)
    os.close(writing)


class Lying:
    """Plays a liar to each process that is asked for, and keeps what it caught.

    Attributes:
        leaked: What was sent when it held a text that must never be sent.
        messages: How many the grader's process sent.
    """

    way = "lie"

    def __init__(self, liar: Liar, secrets: frozenset[str] = frozenset(), most: int = 100_000) -> None:
        self.liar = liar
        self.most = most
        self.messages = 0
        self.leaked: list[str] = []
        self.caught: list[str] = []
        self._secrets = [form.encode() for text in secrets for form in _forms(text)]

    def play(self, streams: list[int], words: list[str], env: dict[str, str], cwd: str) -> None:
        del words, env, cwd
        with contextlib.suppress(OSError):
            os.write(streams[0], _IS_READY)
            self.talk(streams[0], streams[0])

    def talk(self, reading: int, writing: int) -> None:
        self.liar.begin()
        unframed = Unframed()
        while data := os.read(reading, _READ_BYTES):
            for text in unframed.feed(data):
                said = self._heard(text)
                while said:
                    said = said[os.write(writing, said) :]
                if self.liar.ended:
                    return

    def learn(self, place: Path) -> None:
        del place

    def _heard(self, text: bytes) -> bytes:
        self.messages += 1
        if self.messages > self.most:
            self.liar.ended = True
            return b""
        self.leaked += [text.decode()[:2000] for secret in self._secrets if secret in text]
        try:
            return self.liar.react(text)
        except Caught as error:
            self.caught.append(str(error))
            self.liar.ended = True
            return b""


def _forms(text: str) -> Iterator[str]:
    """Yield how a number may stand in a message."""
    yield text
    if text.isdecimal():
        yield format(int(text), "x")


class Tapped:
    """Has each honest process that is asked for run, and writes down what it and the grader's process say."""

    way = "tap"

    def __init__(self) -> None:
        self.transcripts: list[Transcript] = []

    def play(self, streams: list[int], words: list[str], env: dict[str, str], cwd: str) -> None:
        ours, theirs = socket.socketpair()
        process = subprocess.Popen(words, 0, None, theirs.fileno(), *streams[1:3], cwd=cwd, env=env)
        theirs.close()
        transcript: Transcript = []
        self.transcripts.append(transcript)
        first = _read(ours.fileno())
        with contextlib.suppress(OSError):
            os.write(streams[0], first)
            _pass_on(transcript, streams[0], ours.fileno(), skipped=first == _NEEDS_CODE)
        ours.close()
        process.kill()
        process.wait()

    def talk(self, reading: int, writing: int) -> None:
        raise AssertionError(f"Nobody lies here ({reading}, {writing}).")

    def learn(self, place: Path) -> None:
        """Put together what both sides said: a request of one side comes before its answer of the other."""
        for asked in place.glob("*.grader"):
            said = [_messages(asked.read_bytes()), _messages(asked.with_suffix(".candidate").read_bytes())]
            self.transcripts.append([*_in_order(*said)])


def _messages(data: bytes) -> list[Any]:
    return [json.loads(text) for text in Unframed().feed(data)]


def _in_order(grader: list[Any], candidate: list[Any]) -> Iterator[tuple[bool, Any]]:
    """Yield the messages of two sides in the order in which they were sent: they take turns."""
    for one, other in zip(grader, candidate, strict=False):
        yield True, one
        yield False, other


def _pass_on(transcript: Transcript, grader: int, candidate: int, *, skipped: bool) -> None:
    """Pass on bytes between two sides until one has gone; note the messages, but not the first if it is `skipped`."""
    unframed = {grader: Unframed(), candidate: Unframed()}
    skip = skipped
    while True:
        for reading in select.select([*unframed], [], [])[0]:
            data = _read(reading)
            from_grader = reading == grader
            rest = data
            while rest:
                rest = rest[os.write(candidate if from_grader else grader, rest) :]
            if not data:
                return
            for text in unframed[reading].feed(data):
                if skip and from_grader:
                    skip = False
                    continue
                with contextlib.suppress(ValueError):
                    transcript.append((from_grader, json.loads(text)))


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _READ_BYTES)
    except OSError:
        return b""
