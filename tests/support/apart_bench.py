"""Runs items and tests apart from a submission, on this machine: two processes, one user."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import select
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from gradebox.graders.languages.boundary_report import contract
from gradebox.graders.languages.bundle import bundle, compressed
from gradebox.graders.languages.item_protocol import completed, encode
from gradebox.graders.languages.language import inside
from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer
from gradebox.graders.languages.python.inside.apart.in_grader.grader import Grader
from gradebox.graders.languages.python.inside.apart.peer import Peer
from gradebox.graders.languages.python.inside.apart.server import Answering
from gradebox.graders.languages.python.inside.apart.wire import decoded, encoded
from gradebox.graders.model.crossing import folded

RUNNERS = Path(__file__).parents[2] / "graders" / "runners"
FINDS = Path(__file__).with_name("apart_finds.txt")
EXERCISES = Path(__file__).with_name("object_exercises.txt")
JAVASCRIPT_EXERCISES = Path(__file__).with_name("object_exercises_js.txt")
CANDIDATE = 65534
_LEND = 2  # Of protocol.h.
# What makes a short run of pytest quick: no plugins of this checkout, which no image has, and the tables of characters
# that Hypothesis has made here before.
QUICK = {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "HYPOTHESIS_STORAGE_DIRECTORY": str(Path(__file__).parents[2] / ".hypothesis"),
}


class RanApart(NamedTuple):
    """What came of it: the report without its token and answers, and each path when it was lent."""

    status: int
    report: str
    printed: str
    answers: str = ""
    lent: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return self.status == 0 and "TOKEN" in self.report.split("\n")


def pair() -> tuple[Peer, Peer]:
    """Return two sides that are connected to nothing."""
    return Answering(), Grader()


def sent(value: Any, sides: tuple[Peer, Peer] | None = None) -> Any:
    """Return what arrives at the grader's side of what the candidate's sends."""
    one, other = sides or pair()
    return Reader(other).get(decoded(encoded(Writer(one).put(value))[4:]))


def lay(directory: Path, files: Mapping[str, str], *, submitted: bool) -> None:
    """Write files that are the case's, or the submission's."""
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if submitted:
            os.chown(path, CANDIDATE, CANDIDATE)


def _serve(connection: socket.socket, lent: list[str]) -> None:
    """Start what a grader asks for, as the supervisor does; kill it when nobody waits for its end any more."""
    asked, streams, _, _ = socket.recv_fds(connection, 32, 4)
    _, _, size, count, what = struct.unpack("QQIIQ", asked)
    if what > 1:  # Lending and taking back: both sides are one user here.
        path = connection.recv(size)
        if what == _LEND:
            lent.append(os.fsdecode(path[:-1]))
        connection.sendall(struct.pack("2i", 16, 0))
        connection.close()
        return
    cwd, *texts = os.fsdecode(os.pread(streams[3], size, 0)).split("\0")[:-1]
    env = dict(pair.split("=", 1) for pair in texts[count:])
    process = subprocess.Popen(texts[:count], 0, None, *streams[:3], cwd=cwd, env=env)
    ending = os.pidfd_open(process.pid)
    for stream in streams:
        os.close(stream)
    select.select([connection, ending], [], [])
    os.close(ending)
    process.kill()
    status = process.wait()
    with contextlib.suppress(OSError):
        connection.send(struct.pack("2i", 16, -status if status < 0 else status << 8))
    connection.close()


def case_files(directory: Path) -> dict[str, str]:
    """Return the files of the case with their digests, as the host tells them."""
    found = {}
    for place, _, names in os.walk(directory):
        for path in (Path(place) / name for name in names):
            status = path.lstat()
            if status.st_uid == 0 and status.st_nlink == 1 and path.is_file() and not path.is_symlink():
                found[str(path.relative_to(directory))] = sha256(path.read_bytes()).hexdigest()
    return found


def _ran(
    source: str, words: Sequence[str], directory: Path, token: str, stdin: bytes, told: Mapping[str, Any]
) -> RanApart:
    reading, writing = os.pipe()
    report: list[bytes] = []
    lent: list[str] = []
    # A contract is longer than a pipe holds.
    reader = threading.Thread(target=lambda: report.append(Path(f"/proc/self/fd/{reading}").read_bytes()))
    reader.start()
    python = [sys.executable, "-S", "-c", compressed(source), *words]
    shell = ["bash", "-c", f'exec 3>&{writing}; exec "$@"', "bash", *python]
    with tempfile.TemporaryDirectory() as place, socket.create_server(f"{place}/s", family=socket.AF_UNIX) as server:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    threading.Thread(target=_serve, args=[server.accept()[0], lent], daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        (Path(place) / "apart.json").write_text(
            json.dumps({"files": case_files(directory), "contract": None, "record": False, **told})
        )
        done = subprocess.run(
            shell,
            cwd=directory,
            input=stdin,
            capture_output=True,
            pass_fds=[writing],
            check=False,
            env={
                **os.environ,
                **QUICK,
                # As in a sandbox, the workspace does not lie below the directory for temporary files.
                "TMPDIR": place,
                "GRADEBOX_CANDIDATE": f"{place}/s",
                "GRADEBOX_APART": f"{place}/apart.json",
            },
        )
        server.shutdown(socket.SHUT_RDWR)
    os.close(writing)
    reader.join()
    os.close(reading)
    said = b"".join(report).decode().replace(token, "TOKEN")
    answers = "".join(re.findall(r"^TOKEN answers .*\n", said, re.MULTILINE))
    printed = (done.stdout + done.stderr).decode("utf-8", "replace")
    return RanApart(done.returncode, said.replace(answers, ""), printed, answers, tuple(lent))


def run_item(
    directory: Path, item: str, *, setup: Sequence[str] = (), imports: Sequence[str] = (), **told: Any
) -> RanApart:
    """Run one item in a directory; the host may tell a contract, or that one is recorded."""
    token = secrets.token_hex(16)
    source = bundle(inside("python") / "apart" / "in_grader" / "items.py")
    ran = _ran(source, (), directory, token, encode(token, item=item, setup=setup, imports=imports), told)
    assert ran.passed == (ran.status == 0 and completed("TOKEN", ran.report.encode()))
    return ran


def run_tests(directory: Path, runner: str, *words: str, **told: Any) -> RanApart:
    """Run pytest or unittest in a directory; the host may tell a contract, or that one is recorded."""
    token = secrets.token_hex(16)
    source = bundle(RUNNERS / runner / "inside" / f"{runner}_apart.py")
    return _ran(source, ("-m", runner, *words), directory, token, f"{token}\n".encode(), told)


def recorded(ran: RanApart) -> dict[str, list[str]]:
    """Return the contract that was recorded, as the host keeps it."""
    return {path: sorted(words) for path, words in folded(contract("TOKEN", ran.report.encode())).items()}


class Find(NamedTuple):
    """What attackers and honest users found: tests, a reference, and works beside it that pass or fail them."""

    name: str
    reference: str
    tests: str
    forged: str
    other: str
    failing: str  # What fails of the tests with the honest work, "" for nothing.


def finds() -> Iterator[Find]:
    """Yield what they found."""
    for block in re.split(r"^=== ", FINDS.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        name, _, rest = block.partition("\n")
        reference, tests, *works = re.split(r"^---", rest, flags=re.MULTILINE)
        said = {words.split()[0]: words for words in works}
        forged, other = (said.get(word, f"\n{reference}").partition("\n") for word in ("forged", "other"))
        yield Find(name, reference, tests, forged[2], other[2], " ".join(other[0].split()[1:]))


class Exercise(NamedTuple):
    """A small module of objects, and the tests that somebody would write for it."""

    name: str
    reference: str
    tests: str


def exercises(file: Path = EXERCISES) -> Iterator[Exercise]:
    """Yield our exercises."""
    for block in re.split(r"^=== ", file.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        name, _, rest = block.partition("\n")
        reference, _, tests = rest.partition("\n---\n")
        yield Exercise(name, f"{reference}\n", tests)
