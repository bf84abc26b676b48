"""The checkpoint of a language without any test: a grader's side in a process, which a liar in this one talks to.

The process runs the bundled program of the grader's side with `gate.py`, `gate.js` or `gate.jl` behind it. That makes
one connection after another, lends a few objects, uses what the liar says it has, and looks what became of its own
process. Between the two are chunks: a length of four bytes, and

    from the gate   "r" a new connection begins    "m" a message of the grader's    "f" a finding
    to the gate     bytes of the candidate's; a length of 2^32 - 1: the connection is closed
                    a length of 2^32 - 2 and a number of eight bytes: what follows is of this connection

First the gate gets the seed of its first connection, and what each later one adds to it, in eight bytes each. What one
side says leaves when it has to wait for the other. Everything about a connection follows from its seed, so a finding
names it and `lies.py again` repeats it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from cells import Cells
from frames import Unframed
from golden_boundary import TABLE
from graders_started import CONTAINER, JULIA_IMAGE
from liar import Caught, Liar, Manners
from lying_runs import Contract, Honest

from gradebox.graders.languages.bundle import bundle
from gradebox.graders.languages.javascript import apart
from gradebox.graders.languages.julia import LANGUAGE as JULIA
from gradebox.graders.languages.julia import literal as of_julia
from gradebox.graders.languages.language import inside

_ROOM = Path(__file__).parent
_CLOSED, _BEGINS = b"\xff\xff\xff\xff", b"\xff\xff\xff\xfe"
# A test of processor-bound lies takes its time; nothing of ours does.
_ANSWER_SECONDS, _START_SECONDS = 120.0, 180.0
# Between the first connections of two seeds.
_FURTHER = 1_000_003
_OFTEN = 20


@dataclass(slots=True)
class Watched:
    """What came of some connections.

    Attributes:
        messages: How many the liar sent.
        connections: How many there were.
        findings: What must not be, each with the seed of its connection.
        cells: What was tried.
    """

    messages: int = 0
    connections: int = 0
    findings: list[str] = field(default_factory=list)
    cells: Cells = field(default_factory=Cells)


def watch(
    language: str,
    seed: int,
    known: Honest,
    *,
    seconds: float = 1e9,
    messages: int = 1 << 62,
    program: Callable[[str], str] = str,
    again: int | None = None,
) -> Watched:
    """Let a liar talk to a checkpoint until the time is over, so many messages are sent, or something is found.

    Args:
        language: Whose checkpoint it is.
        seed: Of all connections.
        known: What the liar and the checkpoint know of an honest process (`lies.lessons`).
        seconds: How long.
        messages: How many are enough.
        program: Changes the text of the program: a weakened one.
        again: The seed of a connection, if only this one is to be made: often, because the first connections of Julia
            are made before its oracle is complete.
    """
    watched = Watched()
    liar = Liar(language, seed, Manners.RUDE, known.memory, watched.cells)
    seeds = (again, 0) if again is not None else (seed * _FURTHER, 1)
    limits = _Limits(seconds, messages, _OFTEN if again is not None else 1 << 62)
    with tempfile.TemporaryDirectory(prefix="gradebox-gate-") as place:
        command = _command(language, program, known.contract or {}, Path(place))
        with subprocess.Popen(command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as gate:
            assert gate.stdin is not None
            assert gate.stdout is not None
            try:
                _talk(gate.stdin, gate.stdout, liar, watched, seeds, limits)
            finally:
                gate.kill()
    return watched


@dataclass(slots=True)
class _Limits:
    seconds: float
    messages: int
    connections: int


def _talk(
    to_gate: IO[bytes], from_gate: IO[bytes], liar: Liar, watched: Watched, seeds: tuple[int, int], limits: _Limits
) -> None:
    os.set_blocking(to_gate.fileno(), False)
    said = b"".join(number.to_bytes(8, "big") for number in seeds)
    ends, own, chunks = float("inf"), seeds[0], Unframed()
    while True:
        # Compiling takes a while.
        data, said = _exchanged(to_gate, from_gate, said, _ANSWER_SECONDS if watched.connections else _START_SECONDS)
        if not data:
            watched.findings.append(f"connection {own}: the grader's process ended, or hangs")
            return
        for chunk in chunks.feed(data):
            kind, text = chunk[:1], chunk[1:]
            if kind == b"f":
                watched.findings.append(f"connection {own}: {text.decode('utf-8', 'replace')}")
            elif kind == b"m":
                watched.messages += bool(liar.waiting)
                said += _said(liar, text, watched, own)
            else:
                # The last message ended the connection.
                watched.messages += bool(liar.waiting)
                ends = min(ends, time.monotonic() + limits.seconds)
                is_over = time.monotonic() > ends or watched.messages >= limits.messages
                if is_over or watched.findings or watched.connections >= limits.connections:
                    return
                own = seeds[0] + seeds[1] * watched.connections
                said += _BEGINS + watched.connections.to_bytes(8, "big")
                watched.connections += 1
                liar.chance.seed(own)
                liar.begin()
                liar.heard.clear()
                liar.talk.heard.clear()


def _said(liar: Liar, text: bytes, watched: Watched, own: int) -> bytes:
    """Return the chunks that the liar says to a message."""
    try:
        said = liar.react(text)
    except Caught as error:
        watched.findings.append(f"connection {own}: {error}")
        liar.ended, said = True, b""
    return (len(said).to_bytes(4, "big") + said if said else b"") + (_CLOSED if liar.ended else b"")


def _exchanged(to_gate: IO[bytes], from_gate: IO[bytes], said: bytes, seconds: float) -> tuple[bytes, bytes]:
    """Write until something has come; return this, b"" if nothing comes, and what is still to be written."""
    while True:
        readable, writable, _ = select.select([from_gate], [to_gate] if said else [], [], seconds)
        if writable:
            with contextlib.suppress(BrokenPipeError):
                said = said[os.write(to_gate.fileno(), said) :]
        elif readable:
            return os.read(from_gate.fileno(), 1 << 16), said
        else:
            return b"", said


def _command(language: str, program: Callable[[str], str], contract: Contract, place: Path) -> list[str]:
    """Write the program of a gate into a directory; return what starts it."""
    place.chmod(0o755)
    if language == "javascript":
        (place / "gate.mjs").write_text(program(bundle(*apart("node"), _ROOM / "gate.js")))
        return ["node", "--no-warnings", str(place / "gate.mjs")]
    if language == "julia":
        # Without the program that the image has compiled, as `bundle` would start it.
        source = program("\n".join(file.read_text("utf-8") for file in JULIA.apart))
        parts = (
            f"const {name} = {of_julia(text)}\n"
            for name, text in (("BOUNDARY", json.dumps(TABLE)), ("PROGRAM", source), ("LESSONS", json.dumps(contract)))
        )
        (place / "gate.jl").write_text("".join(parts) + _text("gate.jl"))
        # To compile for each connection takes longer than to interpret.
        words = (*JULIA.command[:-1], "--compile=min", "-O0", str(place / "gate.jl"))
        return [*CONTAINER, "-v", f"{place}:{place}", JULIA_IMAGE, *words]
    gate = _text("gate.py").replace("_CONTRACT: dict[str, list[str]] = {}", f"_CONTRACT = {contract!r}")
    source = bundle(inside("python") / "apart" / "in_grader" / "grader.py")
    # Names of its own, which are none of the program's.
    behind = f"exec(compile({gate!r}, 'gate.py', 'exec'), {{**globals(), '_program': globals()}})"
    (place / "gate.py").write_text(f"{program(source)}\n{behind}\n")
    return [sys.executable, "-I", "-S", str(place / "gate.py")]


def _text(name: str) -> str:
    return (_ROOM / name).read_text("utf-8").replace("from __future__ import annotations\n", "")
