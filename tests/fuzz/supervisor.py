"""Fuzzed here: the supervisor's C code that reads frames and archives, with the compiler's sanitizers.

``native/harness.c`` runs as a process of its own, in a directory that is all it can see, and as nobody. It takes inputs
on its stdin and answers each with a line; when it ends instead, the sanitizer's words are on its stderr.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

from foreign import ARCHIVE_WORDS, FRAME_WORDS, archive_seeds, with_checksums
from fuzzing import Finding, Target, Unavailable

from gradebox.sandbox.protocol import frames
from gradebox.sandbox.protocol.frames import Tag, Type

HERE = Path(__file__).resolve().parent / "native"
SOURCES = HERE.parents[2] / "sandbox" / "supervisor"
LINKED = (
    *("candidate", "failure", "fields", "files", "guard", "header", "inherit", "memory", "scrub", "tar", "tree"),
    "untar",
)
FLAGS = (
    *("-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    *("-fno-omit-frame-pointer", "-Wl,--wrap=fchown,--wrap=fchownat"),
)
# What the harness says where it may not hide from the rest of the machine.
NO_ROOM = 77
ANSWER_SECONDS = 30.0
# An input that ends early may leave memory behind; a new process has none of it.
MOST_INPUTS = 5000


@cache
def harness() -> Path:
    """Build the harness.

    Raises:
        Unavailable: If there is no compiler that can.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        raise Unavailable("there is no cc")
    built = Path(tempfile.mkdtemp(prefix="harness-")) / "harness"
    sources = [str(HERE / "harness.c"), *(str(SOURCES / f"{name}.c") for name in LINKED)]
    argv = [compiler, *FLAGS, f"-I{SOURCES}", "-o", str(built), *sources]
    done = subprocess.run(argv, check=False, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        if "sanitize" in done.stderr or "asan" in done.stderr:
            raise Unavailable("cc has no sanitizers")
        raise Finding(f"The harness cannot be built:\n{done.stderr}")
    return built


@cache
def closed_in() -> None:
    """Make sure that the harness can be built, and can give up all that it has no use for.

    Raises:
        Unavailable: If it cannot.
    """
    Harness("frames")(b"")


class Harness:
    """One mode of the harness, started when it is needed.

    Args:
        mode: What it takes inputs for.
    """

    def __init__(self, mode: str) -> None:
        self._mode = mode
        self._process: subprocess.Popen[bytes] | None = None
        self._words: IO[bytes] | None = None
        self._taken = 0

    def __call__(self, data: bytes) -> str:
        """Hand over an input, and return the line that answers it."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        answer = b""
        data = with_checksums(data)
        try:
            process.stdin.write(len(data).to_bytes(4, "big") + data)
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], ANSWER_SECONDS)
            if not ready:
                raise Finding(f"No answer came within {ANSWER_SECONDS:g} s.")
            answer = process.stdout.readline()
        except BrokenPipeError:
            pass
        finally:
            if not answer:
                self._end()
        if not answer:
            raise Finding(f"The process ended with {process.returncode}.\n{self._said()}")
        self._taken += 1
        if self._taken >= MOST_INPUTS:
            self._end()
        return answer.decode("utf-8", "replace").partition(":")[0].strip()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            room = Path(tempfile.mkdtemp(prefix="room-"))
            (room / "workspace").mkdir()
            (room / "workspace").chmod(0o1777)
            # Anybody may pass through to it.
            for above in (room, room.parent):
                above.chmod(0o755)
            self._words = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
            options = "detect_leaks=0:allocator_may_return_null=1:abort_on_error=0"
            self._process = subprocess.Popen(
                [str(harness()), self._mode, str(room)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._words,
                env={**os.environ, "ASAN_OPTIONS": options, "UBSAN_OPTIONS": "print_stacktrace=1"},
            )
            self._taken = 0
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.returncode == NO_ROOM:
            raise Unavailable("this machine does not let the harness give up what it can see")

    def _said(self) -> str:
        if self._words is None:
            return ""
        self._words.seek(0)
        return self._words.read(20_000).decode("utf-8", "replace")


def _requests() -> list[bytes]:
    """Return the conversations that a host has."""
    archive = archive_seeds()[0]
    put = frames.encode(Type.PUT, 1, frames.fields([(Tag.UID, 10_001)]))
    protect = frames.encode(Type.PUT, 1, frames.fields([(Tag.UID, 10_001), (Tag.PROTECT, 1), (Tag.GRADER, 7)]))
    data = frames.encode(Type.PUT_DATA, 1, archive)
    pieces = b"".join(frames.encode(Type.PUT_DATA, 1, archive[at : at + 700]) for at in range(0, len(archive), 700))
    end = frames.encode(Type.PUT_END, 1)
    snapshot = frames.encode(Type.SNAPSHOT, 2, frames.fields([(Tag.LIMIT, 1 << 20)]))
    get = frames.encode(Type.GET, 3, frames.fields([(Tag.LIMIT, 1 << 20), (Tag.PATH, "."), (Tag.PATH, "d/link/x")]))
    globs = [(Tag.PATTERN, "*.pth"), (Tag.PATTERN, "[a-c]*"), (Tag.KEEP, "d/keep"), (Tag.PATH, "d")]
    scrub = frames.encode(Type.SCRUB, 4, frames.fields(globs))
    words = [(Tag.ARG, "a"), (Tag.ARG, "b"), (Tag.ENV, "A=1"), (Tag.CWD, "/workspace")]
    sizes = [
        (Tag.UID, 10_001),
        (Tag.WALL_US, 5),
        (Tag.OUTPUT, 6),
        (Tag.CAPTURE, 7),
        (Tag.CPU_US, 8),
        (Tag.PATIENCE_US, 9),
    ]
    users = [
        (Tag.CANDIDATE, 10_016),
        (Tag.CANDIDATES, 16),
        (Tag.CANDIDATE_ENV, "HOME=/tmp/h"),
        (Tag.OWN_STDOUT, 1),
        (Tag.FORKS, 1),
    ]
    run = frames.encode(Type.RUN, 5, frames.fields([*words, *sizes, *users]))
    reset = frames.encode(
        Type.RESET,
        6,
        frames.fields(
            [
                (Tag.UID, 10_001),
                (Tag.SCRATCH, "/tmp"),
                (Tag.HOME, "/tmp/h"),
                (Tag.GRADER, 1),
                (Tag.GRADER_HOME, "/tmp/g"),
            ]
        ),
    )
    return [
        put + data + end + snapshot + get,
        protect + pieces + end + put + data + end + scrub + get,
        run + reset + frames.encode(Type.KILL, 0) + frames.encode(Type.BYE, 0),
    ]


# What `candidate` sends: the number of arguments, then working directory, arguments and environment.
REQUESTS = [b"\2/workspace\0python3\0app.py\0HOME=/root\0A=1\0", b"\1/\0true\0", b"\3.\0\0\0\0HOME\0HOME=\0"]
REQUEST_WORDS = (b"\0", b"HOME=/x\0", b"TMPDIR=", b"=\0", b"\xff")

TARGETS = (
    Target("c-frames", _requests(), FRAME_WORDS, Harness("frames"), closed_in),
    Target(
        "c-archives",
        [bytes([how]) + archive for archive in archive_seeds() for how in (0, 1, 2, 199)],
        ARCHIVE_WORDS,
        Harness("archives"),
        closed_in,
    ),
    Target("c-requests", REQUESTS, REQUEST_WORDS, Harness("requests"), closed_in),
)
