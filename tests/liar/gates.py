"""The checkpoint of a language without any test: a grader's side in a process, which a liar in this one talks to.

The process runs the bundled program of the grader's side with `gate.py`, `gate.js` or `gate.jl` behind it. That makes
one connection after another, lends a few objects, uses what the liar says it has, and looks what became of its own
process. Between the two are chunks: a length of four bytes, and

    from the gate   "r" a new connection begins    "m" a message of the grader's    "f" a finding
    to the gate     a length of 2^32 - 2 and the seed of a connection      bytes of the candidate's
                    a length of 2^32 - 1: it is closed

Everything about a connection follows from its seed, so a finding names it and `lies.py again` repeats it.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from cells import Cells
from golden_boundary import TABLE
from graders_started import CONTAINER, JULIA_IMAGE
from liar import Caught, Liar, Manners
from lying_runs import Contract, Honest

from gradebox.graders.languages.bundle import bundle
from gradebox.graders.languages.javascript import APART
from gradebox.graders.languages.julia import LANGUAGE as JULIA
from gradebox.graders.languages.julia import literal as of_julia
from gradebox.graders.languages.language import inside

_ROOM = Path(__file__).parent
_CLOSED, _BEGINS = b"\xff\xff\xff\xff", b"\xff\xff\xff\xfe"
# A test of processor-bound lies takes its time; nothing of ours does.
_ANSWER_SECONDS, _START_SECONDS = 120.0, 180.0


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
    connections: Sequence[int] = (),
) -> Watched:
    """Let a liar talk to a checkpoint until the time is over, so many messages are sent, or something is found.

    Args:
        language: Whose checkpoint it is.
        seed: Of all connections.
        known: What the liar and the checkpoint know of an honest process (`lies.lessons`).
        seconds: How long.
        messages: How many are enough.
        program: Changes the text of the program: a weakened one.
        connections: Their own seeds, if these alone are to be made.
    """
    watched = Watched()
    liar = Liar(language, seed, Manners.RUDE, known.memory, watched.cells)
    with tempfile.TemporaryDirectory(prefix="gradebox-gate-") as place:
        command = _command(language, program, known.contract or {}, Path(place))
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as gate:
            assert gate.stdin is not None
            assert gate.stdout is not None
            try:
                _talk(gate.stdin, gate.stdout, liar, watched, seed, seconds, messages, connections)
            finally:
                gate.kill()
    return watched


def _talk(
    to_gate: BinaryIO,
    from_gate: BinaryIO,
    liar: Liar,
    watched: Watched,
    seed: int,
    seconds: float,
    messages: int,
    connections: Sequence[int],
) -> None:
    ends: float | None = None
    own = seed
    while True:
        # Compiling takes a while.
        chunk = _received(from_gate, _ANSWER_SECONDS if ends else _START_SECONDS)
        if chunk is None:
            watched.findings.append(f"connection {own}: the grader's process ended, or hangs")
            return
        kind, text = chunk[:1], chunk[1:]
        ends = ends or time.monotonic() + seconds
        if kind == b"r":
            is_over = time.monotonic() > ends or watched.messages >= messages
            if is_over or watched.findings or (connections and watched.connections == len(connections)):
                return
            own = connections[watched.connections] if connections else seed * 1_000_003 + watched.connections
            watched.connections += 1
            liar.chance.seed(own)
            liar.begin()
            liar.heard.clear()
            liar.talk.heard.clear()
            to_gate.write(_BEGINS + own.to_bytes(8, "big"))
            to_gate.flush()
        elif kind == b"f":
            watched.findings.append(f"connection {own}: {text.decode('utf-8', 'replace')}")
        else:
            try:
                said = liar.react(text)
            except Caught as error:
                watched.findings.append(f"connection {own}: {error}")
                liar.ended, said = True, b""
            watched.messages += bool(said)
            if said:
                _send(to_gate, said)
            if liar.ended:
                to_gate.write(_CLOSED)
                to_gate.flush()


def _received(from_gate: BinaryIO, seconds: float) -> bytes | None:
    """Return a chunk, None if none comes."""
    data = b""
    count = 4
    while len(data) < count:
        if not select.select([from_gate], [], [], seconds)[0]:
            return None
        part = os.read(from_gate.fileno(), count - len(data))
        if not part:
            return None
        data += part
        if count == 4 and len(data) == 4:
            count = 4 + int.from_bytes(data, "big")
    return data[4:]


def _send(to_gate: BinaryIO, data: bytes) -> None:
    to_gate.write(len(data).to_bytes(4, "big") + data)
    to_gate.flush()


def _command(language: str, program: Callable[[str], str], contract: Contract, place: Path) -> list[str]:
    """Write the program of a gate into a directory; return what starts it."""
    place.chmod(0o755)
    if language == "javascript":
        (place / "gate.mjs").write_text(program(bundle(*APART, _ROOM / "gate.js")))
        return ["node", "--no-warnings", str(place / "gate.mjs")]
    if language == "julia":
        # Without the program that the image has compiled, as `bundle` would start it.
        source = program("\n".join(file.read_text("utf-8") for file in JULIA.apart))
        parts = (
            f"const {name} = {of_julia(text)}\n"
            for name, text in (("BOUNDARY", json.dumps(TABLE)), ("PROGRAM", source), ("LESSONS", json.dumps(contract)))
        )
        (place / "gate.jl").write_text("".join(parts) + _text("gate.jl"))
        return [*CONTAINER, "-v", f"{place}:{place}", JULIA_IMAGE, *JULIA.command[:-1], str(place / "gate.jl")]
    gate = _text("gate.py").replace("_CONTRACT: dict[str, list[str]] = {}", f"_CONTRACT = {contract!r}")
    source = bundle(inside("python") / "apart" / "in_grader" / "grader.py")
    # Names of its own, which are none of the program's.
    behind = f"exec(compile({gate!r}, 'gate.py', 'exec'), {{**globals(), '_program': globals()}})"
    (place / "gate.py").write_text(f"{program(source)}\n{behind}\n")
    return [sys.executable, "-I", "-S", str(place / "gate.py")]


def _text(name: str) -> str:
    return (_ROOM / name).read_text("utf-8").replace("from __future__ import annotations\n", "")
