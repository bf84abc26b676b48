"""A real sandbox with a grader and a candidate as two users, and the programs that both run in it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.limits import MIB, Limits
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import (
    CANDIDATE_DIRECTORY,
    GRADER_HOME,
    GRADER_TMPDIR,
    Candidates,
    Command,
    Ending,
    Outcome,
    SandboxSpec,
)

GRADER = 1
LENT = f"{GRADER_TMPDIR}/t"
SECRET = "/workspace/grading/secret"

# The candidate as a process that lives while its grader lends and takes back: it does each line that it gets.
_LIVES = """
import os, sys
for line in sys.stdin:
    try: exec(line)
    except Exception as error: print(type(error).__name__, flush=True)
    else: print("done", flush=True)
"""

# What a grader in Python needs: `lend` and `reclaim` by the socket, and `do`, which has that process do something.
_GRADER = f"""
import os, socket, struct, subprocess, sys, time
def ask(what, *paths):
    text = b"".join(os.fsencode(path) + b"\\0" for path in paths)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("{CANDIDATE_DIRECTORY}/socket")
        vouching = struct.pack("3i", os.getpid(), os.geteuid(), os.getegid())
        head = struct.pack("QQIIQ", 0, 0, len(text), len(paths), what)
        connection.sendmsg([head + text], [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS, vouching)])
        return struct.unpack("2i", connection.recv(8, socket.MSG_WAITALL))
lend, reclaim = (lambda *paths: ask(2, *paths)), (lambda *paths: ask(3, *paths))
side = None
def do(line):
    global side
    if side is None:
        side = subprocess.Popen(["candidate", "python3", "-c", {_LIVES!r}], stdin=-1, stdout=-1, text=True, bufsize=1)
    side.stdin.write(line.strip() + "\\n")
    return side.stdout.readline().strip()
T = "{LENT}"
os.mkdir(T)
"""


@contextmanager
def opened(engine: Engine, image: str) -> Iterator[Sandbox]:
    """Open a sandbox for many tests."""
    limits = Limits(memory_bytes=512 * MIB, pids=64, disk_files=150_000, tmp_bytes=64 * MIB)
    with Sandbox(engine, SandboxSpec(image, limits, apart=True)) as sandbox:
        yield sandbox


class ApartGrader:
    """A grader in a sandbox that begins afresh, with files of the submission and a hidden one."""

    def __init__(self, sandbox: Sandbox, submitted: Iterable[ArchiveEntry] = ()) -> None:
        self.sandbox, self.uid, self.first = sandbox, sandbox.uid(GRADER), sandbox.candidate_uid(GRADER)
        self.outcome = Outcome(Ending.SANDBOX_LOST)
        sandbox.scrub(["*"])
        sandbox.put(submitted, uid=self.first)
        sandbox.snapshot()
        sandbox.reset(self.first, grader=self.uid)
        hidden = [ArchiveEntry("grading", EntryKind.DIRECTORY, 0o755), file_entry("grading/secret", b"4711\n")]
        sandbox.put(hidden, protect=True, grader=self.uid)

    def shell(self, line: str, *, errors: bool = False, seconds: float = 60.0) -> str:
        """Run a shell line as the grader; return what it printed."""
        env = {**self.sandbox.env, "HOME": GRADER_HOME, "TMPDIR": GRADER_TMPDIR}
        env["PATH"] = f"{CANDIDATE_DIRECTORY}:{env['PATH']}"
        users = Candidates(self.first)
        command = Command(("bash", "-c", line), env=env, uid=self.uid, candidates=users, wall_seconds=seconds)
        self.outcome = self.sandbox.run(command)
        assert self.outcome.ending is Ending.EXITED, self.outcome.detail
        assert errors or not (wrong := self.outcome.stderr.text()), wrong
        return self.outcome.stdout.text().strip()

    def python(self, source: str) -> str:
        """Run a program in Python as the grader; return what it printed."""
        return self.shell(f"exec python3 -c {shlex.quote(_GRADER + source)}")


def line(program: str) -> str:
    """Return a program as the one line that a living candidate takes, as a literal; `T` is the lent directory."""
    return repr(f"import os, tempfile; T = {LENT!r}; " + "; ".join(program.strip().splitlines()))
