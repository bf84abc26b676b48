"""A runner that serves: one process that has loaded it, and one for each item."""

from __future__ import annotations

import array
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradebox.graders.languages.bundle import bundle
from gradebox.graders.languages.language import inside

SOURCE = bundle(inside("python") / "forking.py") + (
    "import os, sys\n"
    "loaded = os.getpid()\n"
    "is_candidate = fork_for_each('colorsys')\n"
    "print(is_candidate, loaded == os.getpid(), 'colorsys' in sys.modules, *sorted(os.environ), end=' ')\n"
    "print(os.getcwd(), *os.getresuid())\n"
    "sys.stdout.flush()\n"
    "print(sys.stdin.read(), file=sys.stderr, flush=True)\n"
    "if is_candidate: print(os.path.exists('/proc/self/fd/3'), oct(os.umask(0)))\n"
    "else: os.write(3, b'report')\n"
)
USER = 65534 if os.geteuid() == 0 else os.geteuid()


class Forks:
    """A fork server, as the supervisor starts one."""

    def __init__(self, before: str) -> None:
        self.before = before
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        shell = f'exec 3>&{theirs.fileno()}; exec "$@"'
        source = SOURCE.replace("loaded =", f"{before}loaded =", 1)
        words = ["bash", "-c", shell, "bash", sys.executable, "-I", "-c", source]
        self.process = subprocess.Popen(words, pass_fds=[theirs.fileno()], env={"GRADEBOX_SERVES": "1"})
        theirs.close()

    def item(self, directory: str, *, reports: bool = True, **env: str) -> tuple[int, str, str, str, bytes]:
        """Return the number of the item's process, what it wrote to each stream, and what went wrong."""
        pipes = [os.pipe() for _ in range(5)]
        os.write(pipes[0][1], b"input")
        os.close(pipes[0][1])
        theirs = [pipe[number > 0] for number, pipe in enumerate(pipes)]
        pairs = [f"{name}={value}" for name, value in env.items()]
        text = "".join(f"{part}\0" for part in (USER, os.getegid(), 1000, 0o2, directory, *pairs, ""))
        sent = theirs if reports else [*theirs[:3], theirs[4]]
        socket.send_fds(self.socket, [text.encode()], sent)
        pid = array.array("i", self.socket.recv(4))[0]
        for end in theirs:
            os.close(end)
        said = [os.fdopen(pipe[0], "rb").read() for pipe in pipes[1:]]
        # It is a child of whoever has started the server, as it is the supervisor's.
        if "ctypes" not in self.before:
            os.waitpid(pid, 0)
        return pid, said[0].decode(), said[1].decode(), said[2].decode(), said[3]

    def close(self) -> None:
        self.socket.close()
        self.process.wait(20)


# Where there is no ctypes, os.fork is called twice.
@pytest.fixture(params=["", "import threading\n", "sys.modules['ctypes'] = None\n"], ids=["clone", "threads", "fork"])
def forks(request: pytest.FixtureRequest) -> Iterator[Forks]:
    server = Forks(request.param)
    yield server
    server.close()
    assert server.process.returncode == 0


def test_each_item_has_a_process_of_its_own(forks: Forks, tmp_path: Path) -> None:
    place = tmp_path if os.geteuid() == USER else Path("/")
    found = [forks.item(str(place), A="1", B="x=y"), forks.item("/", C="")]
    assert found[0][1:] == (f"False False True A B {place} {USER} {USER} {USER}\n", "input\n", "report", b"")
    assert found[1][1:] == (f"False False True C / {USER} {USER} {USER}\n", "input\n", "report", b"")
    assert len({pid for pid, *_ in found}) == 2


def test_who_gets_no_report_is_the_candidate_and_has_no_way_to_the_supervisor(forks: Forks) -> None:
    assert forks.item("/", reports=False)[1].startswith("True False True / ")
    assert forks.item("/", reports=False)[1].endswith("\nFalse 0o2\n")


def test_what_prevents_the_start_is_told_with_its_stage(forks: Forks) -> None:
    _, printed, _, report, trouble = forks.item("/no/such/directory")
    assert (printed, report, list(array.array("i", trouble))) == ("", "", [2, 2])


def test_without_a_supervisor_the_program_goes_on_by_itself() -> None:
    done = subprocess.run(
        ["bash", "-c", 'exec "$@" 3>/dev/null', "bash", sys.executable, "-I", "-c", SOURCE],
        input="", capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("False True False ")
