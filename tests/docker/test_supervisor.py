"""The supervisor, frame by frame: what it takes, how it serves a command, and how it ends."""

from __future__ import annotations

import errno
import hashlib
import os
import signal
import struct
import time
from collections.abc import Iterator
from threading import Thread

import pytest
from wire import UID, Wire

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.protocol import frames
from gradebox.sandbox.protocol.frames import Cause, Tag, Type
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Ending, SandboxSpec

# Exit statuses, from protocol.h.
EXIT_BYE, EXIT_PROTOCOL, EXIT_CHANNEL = 0, 3, 7


@pytest.fixture
def wire(engine: DockerEngine, python_image: str) -> Iterator[Wire]:
    with Wire(engine, python_image) as wire:
        yield wire


def number(tag: Tag, value: int) -> bytes:
    return frames.fields([(tag, value)])


def test_it_says_goodbye(wire: Wire) -> None:
    wire.send(Type.BYE)
    assert wire.exit_status() == EXIT_BYE


def test_it_ends_when_the_host_is_gone_though_a_command_runs(wire: Wire) -> None:
    wire.begin("sleep", "1000", wall_seconds=1000)
    wire.hang_up()
    assert wire.exit_status() == EXIT_CHANNEL


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(struct.pack(">IBI", 0, 99, 1), id="unknown request"),
        pytest.param(struct.pack(">IBI", 0, Type.OK, 1), id="an answer"),
        pytest.param(struct.pack(">IBI", frames.FRAME_MAX + 1, Type.RUN, 1), id="too long"),
        pytest.param(struct.pack(">IBI", 3, Type.STAT, 1) + b"\x01\0\0", id="field cut short"),
        pytest.param(struct.pack(">IBI", 6, Type.STAT, 1) + b"\x02\0\0\0\xff\0", id="field beyond the frame"),
        pytest.param(frames.encode(Type.STAT, 1, number(Tag.UID, 1)), id="field of another request"),
        pytest.param(frames.encode(Type.STAT, 1, b"\xc8\0\0\0\0"), id="unknown field"),
        pytest.param(frames.encode(Type.RESET, 1), id="field missing"),
        pytest.param(frames.encode(Type.RESET, 1, number(Tag.UID, 1) * 2), id="field twice"),
        pytest.param(frames.encode(Type.RESET, 1, frames.fields([(Tag.UID, b"1")])), id="number of one byte"),
        pytest.param(frames.encode(Type.PUT_END, 1), id="PUT_END without PUT"),
        pytest.param(
            frames.encode(Type.PUT, 1, number(Tag.UID, 1)) + frames.encode(Type.STAT, 1), id="a request within PUT"
        ),
    ],
)
def test_a_frame_that_is_not_allowed_ends_it(wire: Wire, frame: bytes) -> None:
    wire.raw(frame)
    answer = wire.receive()
    assert (answer.type, answer.id) == (Type.ERR, 0)
    assert wire.exit_status() == EXIT_PROTOCOL


def test_a_request_while_a_command_runs_ends_it(wire: Wire) -> None:
    wire.begin("sleep", "1000", wall_seconds=1000)
    wire.send(Type.STAT)
    answer = wire.receive()
    assert (answer.type, answer.id) == (Type.ERR, 0)
    assert wire.exit_status() == EXIT_PROTOCOL


def test_a_refused_request_leaves_it_at_work(wire: Wire) -> None:
    for argv, changes in (
        (("a\0b",), {}),
        (("true",), {"uid": 0}),
        (("true",), {"uid": 2**32 - 1}),
        (("true",), {"uid": 2**32 + UID}),
        (("true",), {"capture": 1 << 40}),
    ):
        assert wire.run(*argv, **changes).type is Type.ERR
    assert wire.run("true").type is Type.DONE


def test_a_kill_ends_the_command_that_runs_and_no_other(wire: Wire) -> None:
    wire.send(Type.KILL)
    wire.begin("sh", "-c", "echo begun; sleep 1000", wall_seconds=1000)
    assert wire.receive().type is Type.OUT
    wire.send(Type.KILL)
    assert wire.answer().number(Tag.CAUSE) == Cause.KILLED
    assert wire.run("true").number(Tag.CAUSE) == Cause.ENDED


@pytest.mark.parametrize("capture", [0, 1, 2, 7, 1000, 128 << 10])
def test_head_and_tail_are_the_halves_of_the_capture(wire: Wire, capture: int) -> None:
    for size in (1, 6, 7, 8, 999, 1001, 200_000):
        data = os.urandom(size)
        wire.ask(Type.STDIN, payload=data)
        done = wire.run("cat", capture=capture)
        head = data[: capture // 2]
        rest = data[len(head) :]
        tail = rest[max(0, len(rest) - (capture - capture // 2)) :]
        assert done.streams(Tag.HEAD).get(1, b"") == head
        assert done.streams(Tag.TAIL).get(1, b"") == tail
        assert done.number(Tag.STREAM) == 2
        totals = [value for tag, value in done.fields if tag in {Tag.TOTAL, Tag.SHA256}]
        assert totals[:2] == [struct.pack(">Q", size), hashlib.sha256(data).digest()]


def test_stdin_is_for_one_command_and_has_a_limit(wire: Wire) -> None:
    for _ in range(4):
        assert wire.ask(Type.STDIN, payload=bytes(4 * MIB)).type is Type.OK
    refused = wire.ask(Type.STDIN, payload=b"x")
    assert (refused.type, refused.number(Tag.ERRNO)) == (Type.ERR, errno.EFBIG)
    assert wire.shell("wc -c") == f"{16 * MIB}\n"
    assert wire.shell("wc -c") == "0\n"


def test_a_host_that_does_not_read_holds_up_nothing(wire: Wire) -> None:
    """If the host takes nothing, then the deadline holds all the same, and what was kept comes when it reads again."""
    wire.begin("yes", wall_seconds=1.0, capture=16 * MIB, output=1 << 40)
    time.sleep(2.0)
    done = wire.answer()
    assert done.number(Tag.CAUSE) == Cause.DEADLINE
    assert done.number(Tag.TIME_US) < 1_800_000
    assert len(done.streams(Tag.HEAD)[1]) == 8 * MIB


def test_a_command_that_is_stopped_and_never_continued_ends_long_before_its_deadline(
    engine: DockerEngine, python_image: str
) -> None:
    stopped = "import os, time\nos.fork() or (os.kill(os.getppid(), 19), time.sleep(1000))\nos.wait()"
    # What it starts may be stopped for good, and it may itself be stopped for a while, again and again.
    paced = """
import os, time
os.fork() or os.kill(os.getpid(), 19)
if os.fork() == 0:
    for _ in range(3):
        os.kill(os.getppid(), 19)
        time.sleep(4)
        os.kill(os.getppid(), 18)
    os._exit(0)
os.wait()
"""
    with Sandbox(engine, SandboxSpec(python_image)) as sandbox:
        sandbox.reset(UID)
        done = sandbox.run(Command(("python3", "-c", stopped), uid=UID, wall_seconds=60))
        detail = "It was stopped by SIGSTOP, and nothing continued it."
        assert (done.ending, done.signal, done.detail) == (Ending.SIGNALLED, signal.SIGSTOP, detail)
        assert done.usage.wall_seconds < 20
        sandbox.reset(UID)
        done = sandbox.run(Command(("python3", "-c", paced), uid=UID, wall_seconds=60))
        assert (done.ending, done.exit_code) == (Ending.EXITED, 0)


def test_what_passes_the_limit_counts_even_if_the_command_was_faster(wire: Wire) -> None:
    assert wire.run("head", "-c", "5001", "/dev/zero", output=5000).number(Tag.CAUSE) == Cause.OUTPUT
    assert wire.run("head", "-c", "5000", "/dev/zero", output=5000).number(Tag.CAUSE) == Cause.ENDED


def test_a_report_is_a_third_stream_and_nothing_else_is_open(wire: Wire) -> None:
    done = wire.run("sh", "-c", "echo r >&3; exec ls /proc/self/fd", report=True)
    assert done.streams(Tag.HEAD) == {1: b"0\n1\n2\n3\n4\n", 3: b"r\n"}  # ls itself opens 4
    assert wire.shell("ls /proc/self/fd") == "0\n1\n2\n3\n"


def test_streams_can_be_opened_by_name(wire: Wire) -> None:
    done = wire.run("sh", "-c", "echo o > /dev/stdout; echo e > /dev/stderr; cat /dev/stdin")
    assert done.streams(Tag.HEAD) == {1: b"o\n", 2: b"e\n"}


def test_a_descriptor_on_its_way_through_a_socket_does_not_hold_up_the_end(wire: Wire) -> None:
    done = wire.python("""
import socket
a, b = socket.socketpair()
for one in (a, b):
    socket.send_fds(one, [b"x"], [1, 2, a.fileno(), b.fileno()])
print("done")
""")
    assert done.streams(Tag.HEAD) == {1: b"done\n"}
    assert done.number(Tag.TIME_US) < 5_000_000


def test_the_supervisor_is_out_of_reach(wire: Wire) -> None:
    """If the candidate looks at PID 1, or signals it, then it is refused."""
    for attempt in ("cat /proc/1/maps", "ls /proc/1/fd/", "cat /proc/1/environ", "kill -9 1", "kill -ALRM 1"):
        done = wire.run("sh", "-c", attempt)
        assert os.waitstatus_to_exitcode(done.number(Tag.STATUS)) > 0, attempt
        assert done.streams(Tag.HEAD).get(1, b"") == b"", attempt
        assert b"not permitted" in done.streams(Tag.HEAD)[2] or b"denied" in done.streams(Tag.HEAD)[2]


def test_signals_are_as_in_a_fresh_session(wire: Wire) -> None:
    assert wire.shell("grep -E 'Sig(Blk|Ign)' /proc/self/status").split()[1::2] == ["0" * 16] * 2
    done = wire.run("sh", "-c", "kill -SEGV $$")
    assert (done.number(Tag.CAUSE), done.number(Tag.STATUS)) == (Cause.ENDED, signal.SIGSEGV)


@pytest.mark.parametrize(
    ("argv", "cwd", "what", "number"),
    [
        (("nosuch",), "/workspace", "program", errno.ENOENT),
        (("",), "/workspace", "program", errno.ENOENT),
        (("/etc/passwd",), "/workspace", "program", errno.EACCES),
        (("./script",), "/workspace", "interpreter", errno.ENOENT),
        (("./text",), "/workspace", "program", errno.ENOEXEC),
        (("true", "x" * 200_000), "/workspace", "program", errno.E2BIG),
        (("true",), "/root", "cwd", errno.EACCES),
        (("true",), "/workspace/text", "cwd", errno.ENOTDIR),
    ],
)
def test_what_cannot_start_says_which_part_is_missing(
    wire: Wire, argv: tuple[str, ...], cwd: str, what: str, number: int
) -> None:
    wire.shell("printf '#!/nosuch/interpreter\\n' > script; echo text > text; chmod 755 script text")
    done = wire.run(*argv, cwd=cwd)
    assert done.number(Tag.CAUSE) == Cause.NOT_STARTED
    assert (done.text(Tag.MESSAGE), done.number(Tag.ERRNO)) == (what, number)


def test_ready_tells_what_the_container_is_like(wire: Wire) -> None:
    ready = dict(frames.parse_fields(wire.ready.payload))
    assert (wire.ready.type, wire.ready.id) == (Type.READY, 0)
    assert Tag.IFACE not in ready
    assert [frames.number(ready[tag]) for tag in (Tag.VERSION, Tag.SECCOMP, Tag.NNP, Tag.ROOT_RO)] == [1, 2, 1, 1]
    assert frames.number(ready[Tag.MEMORY_LIMIT]) == 256 * MIB


def test_many_turns_leave_nothing_behind(wire: Wire) -> None:
    """If a sandbox lives long, then its supervisor grows neither in descriptors nor in memory."""
    used = []
    for _ in range(3):
        for _ in range(30):
            wire.ask(Type.STDIN, payload=bytes(200_000))
            wire.run("sh", "-c", "sleep 100 & cat > file", report=True)
            wire.run("nosuch")
            wire.ask(Type.SNAPSHOT, (Tag.LIMIT, 10 * MIB))
            wire.ask(Type.SNAPSHOT, (Tag.LIMIT, 10))
            wire.ask(Type.GET, (Tag.LIMIT, 10 * MIB), (Tag.PATH, "."))
            assert wire.ask(Type.RESET, (Tag.UID, UID), (Tag.SCRATCH, "/tmp")).type is Type.OK
        used.append(wire.ask(Type.STAT).number(Tag.MEMORY))
    assert used[-1] < used[0] + 2 * MIB


def test_a_command_costs_little(wire: Wire) -> None:
    """The supervisor's own part of a command is below 2 ms on a quiet machine; this allows for a busy one."""
    assert min(wire.run("/bin/true").number(Tag.TIME_US) for _ in range(50)) < 10_000


def probe(wire: Wire, port: int, request: str = "", wall_us: int = 500_000) -> tuple[int, bytes]:
    answer = wire.ask(Type.PROBE, (Tag.PORT, port), (Tag.WALL_US, wall_us), (Tag.ARG, request))
    found = dict(answer.fields)
    return frames.number(found[Tag.ERRNO]), found[Tag.HEAD]


SERVER = """
import os, socket
server = socket.create_server(("127.0.0.1", 7000))
os.write(1, b"up")
while True:
    connection, _ = server.accept()
    if os.fork() == 0:
        asked = connection.recv(99)
        connection.sendall(asked[:3] + b" answer\\r\\n" + b"y" * 100_000)
        os._exit(0)
    connection.close()
"""


def test_a_port_is_probed_from_a_container_in_the_same_network(engine: DockerEngine, python_image: str) -> None:
    with (
        Wire(engine, python_image, hosts=("server",)) as wire,
        Sandbox(engine, SandboxSpec(python_image, beside=wire.container)) as sandbox,
    ):
        assert probe(wire, 7000) == (errno.ECONNREFUSED, b"")
        sandbox.reset(UID)
        command = Command(("python3", "-c", SERVER), uid=UID)
        thread = Thread(target=sandbox.run, args=(command,))
        thread.start()
        deadline = time.monotonic() + 30
        while probe(wire, 7000)[0] and time.monotonic() < deadline:
            time.sleep(0.05)
        assert probe(wire, 7000) == (0, b"")
        number, head = probe(wire, 7000, "ask\r\n")
        assert (number, head[:12]) == (0, b"ask answer\r\n")
        # A connection that is accepted and never answered does not hold the supervisor up.
        assert probe(wire, 7000, " ", wall_us=1)[0] == errno.ETIMEDOUT
        sandbox.end_command()
        thread.join()


@pytest.mark.parametrize(("port", "wall_us"), [(0, 1), (65536, 1), (80, 10_000_001)])
def test_a_probe_of_no_port_or_of_long_time_is_refused(wire: Wire, port: int, wall_us: int) -> None:
    fields = ((Tag.PORT, port), (Tag.WALL_US, wall_us), (Tag.ARG, ""))
    assert wire.ask(Type.PROBE, *fields).type is Type.ERR
    assert wire.ask(Type.STAT).type is Type.OK
