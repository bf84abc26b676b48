"""Mutation of inputs, and the loop that tries them: what every target of ``run.py`` shares.

A target takes bytes and may raise nothing: what its subject is documented to raise, it catches itself. What it returns
is a short description of what it saw; an input that shows something new is kept and mutated further. Everything follows
from a seed, up to how many inputs fit into the time.
"""

from __future__ import annotations

import random
import re
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

# Of processor time, so that busy neighbours make no input slow. The largest input is MAX_BYTES long.
INPUT_SECONDS = 5.0
MAX_BYTES = 64 * 1024
_MOST_KEPT = 2000
_NUMBERS = re.compile(r"\d+")
_INTERESTING = (
    b"\0",
    b"\xff",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\x80\0\0\0",
    b"\0\0\0\0",
    b"\0\0\0\x01",
    b"-1",
)


class Finding(Exception):
    """A target saw what must not be."""


class Unavailable(Exception):
    """A target cannot run here; the message says why."""


class TooSlow(BaseException):
    """An input took more than INPUT_SECONDS. No `except Exception` of the subject swallows it."""


@dataclass(frozen=True, slots=True)
class Target:
    """Something that reads foreign bytes.

    Attributes:
        name: Of the target.
        seeds: Sound inputs, from which all others are made.
        words: Pieces that mean something to the subject.
        attempt: Tries one input; returns what it saw.
        prepare: What takes a while and is done once before.
    """

    name: str
    seeds: Sequence[bytes]
    words: Sequence[bytes]
    attempt: Callable[[bytes], object]
    prepare: Callable[[], object] = lambda: None


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that a target fails on."""

    data: bytes
    report: str


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a target's time."""

    inputs: int
    kept: int
    failure: Failure | None = None


def mutated(chance: random.Random, corpus: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """Return one of the inputs with a few changes."""
    data = bytearray(chance.choice(corpus))
    for _ in range(chance.choice((1, 1, 2, 3, 5, 8))):
        start = chance.randint(0, len(data))
        end = min(len(data), start + chance.choice((1, 1, 2, 4, 16, 100)))
        match chance.randrange(9):
            case 0 if data:
                data[start % len(data)] ^= 1 << chance.randrange(8)
            case 1:
                del data[start:end]
            case 2:
                data[start:start] = data[start:end] * chance.choice((1, 1, 2, 50))
            case 3:
                data[start:end] = chance.choice(words or _INTERESTING)
            case 4:
                data[start:start] = chance.choice(words or _INTERESTING)
            case 5:
                data[start:end] = chance.choice(_INTERESTING)
            case 6:
                other = chance.choice(corpus)
                cut = chance.randint(0, len(other))
                data[start:] = other[cut:]
            case 7:
                del data[start:]
            case _:
                data[start:end] = chance.randbytes(end - start)
        del data[MAX_BYTES:]
    return bytes(data)


def fuzz(target: Target, seed: int, seconds: float, trying: Callable[[bytes], None] = lambda _: None) -> Result:
    """Try inputs until the time is over or one fails.

    Args:
        target: What is tried.
        seed: Of the mutations.
        seconds: How long.
        trying: Is told of each input before it is tried.
    """
    chance = random.Random(seed)
    corpus = list(target.seeds)
    seen: set[str] = set()
    inputs = 0
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        # First the seeds as they are.
        data = corpus[inputs] if inputs < len(target.seeds) else mutated(chance, corpus, target.words)
        trying(data)
        saw, failure = tried(target, data)
        inputs += 1
        if failure is not None:
            return Result(inputs, len(corpus), failure)
        if saw not in seen and len(corpus) < _MOST_KEPT:
            seen.add(saw)
            corpus.append(data)
    return Result(inputs, len(corpus))


def tried(target: Target, data: bytes) -> tuple[str, Failure | None]:
    """Try one input; return what was seen, without its numbers, or why it fails."""
    try:
        with _limited(INPUT_SECONDS):
            return _NUMBERS.sub("0", str(target.attempt(data)))[:200], None
    except (Exception, TooSlow):  # noqa: BLE001 - whatever comes here is the finding
        return "", Failure(data, traceback.format_exc())


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def late(_number: int, _frame: FrameType | None) -> None:
        raise TooSlow(f"It took more than {seconds:g} s of processor time.")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
