"""Our own filter of system calls: what each level refuses, what it lets pass, and that it needs no other filter."""

from __future__ import annotations

import ast
import errno
import platform

import pytest
from weakened_defences import Defence, switched_off

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.guarantees import is_gvisor
from gradebox.sandbox.limits import Limits
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Filter, SandboxSpec

MACHINE = platform.machine()
# What the filter answers and no kernel does: a number that nobody gives a meaning.
TRIAL = 0x2FFFFFFF

# name, number on x86_64 and aarch64 (None: not there), arguments, and what the default level answers; then what the
# strict one answers if that differs. 0 stands for anything but a refusal of ours.
TABLE = [
    ("the filter itself", TRIAL, TRIAL, (), errno.EOWNERDEAD),
    ("io_uring_setup", 425, 425, (4, 0), errno.ENOSYS),
    ("io_uring_enter", 426, 426, (0, 0, 0, 0), errno.ENOSYS),
    ("io_setup", 206, 0, (1, 0), errno.ENOSYS),
    ("syncfs of nothing", 306, 267, (-1,), 0),
    ("bpf", 321, 280, (0, 0, 0), errno.EPERM),
    ("userfaultfd", 323, 282, (0,), errno.EPERM),
    ("add_key", 248, 217, (0, 0, 0, 0, 0), errno.EPERM),
    ("keyctl", 250, 219, (0, 0, 0), errno.EPERM),
    ("perf_event_open", 298, 241, (0, 0, 0, 0, 0), errno.EPERM),
    ("unshare of nothing", 272, 97, (0,), errno.EPERM),
    ("setns", 308, 268, (0, 0), errno.EPERM),
    ("clone3", 435, 435, (0, 0), errno.ENOSYS),
    ("clone into a user namespace", 56, 220, (0x10000000, 0, 0, 0, 0), errno.EPERM),
    ("mount", 165, 40, (0, 0, 0, 0, 0), errno.EPERM),
    ("umount2", 166, 39, (0, 0), errno.EPERM),
    ("open_tree", 428, 428, (0, 0, 0), errno.EPERM),
    ("fsopen", 430, 430, (0, 0), errno.EPERM),
    ("pivot_root", 155, 41, (0, 0), errno.EPERM),
    ("chroot", 161, 51, (0,), errno.EPERM),
    ("open_by_handle_at", 304, 265, (0, 0, 0), errno.EPERM),
    ("kexec_load", 246, 104, (0, 0, 0, 0), errno.EPERM),
    ("init_module", 175, 105, (0, 0, 0), errno.EPERM),
    ("swapon", 167, 224, (0, 0), errno.EPERM),
    ("reboot", 169, 142, (0, 0, 0, 0), errno.EPERM),
    ("syslog", 103, 116, (10, 0, 0), errno.EPERM),
    ("settimeofday", 164, 170, (0, 0), errno.EPERM),
    ("clock_settime", 227, 112, (0, 0), errno.EPERM),
    ("iopl", 172, None, (0,), errno.EPERM),
    ("modify_ldt", 154, None, (0, 0, 0), errno.ENOSYS),
    ("a number of x32", 0x40000000 + 39, None, (), errno.ENOSYS),
    ("a system call of the future", 600, 600, (), errno.ENOSYS),
    ("personality of another kernel", 135, 92, (0x0020000,), errno.EPERM),
    ("personality, asked for", 135, 92, (0xFFFFFFFF,), 0),
    ("personality without random addresses", 135, 92, (0x0040000,), 0),
    ("socket of AF_UNIX", 41, 198, (1, 1, 0), 0),
    ("socket of AF_INET", 41, 198, (2, 1, 0), 0),
    ("socket of AF_NETLINK for routes", 41, 198, (16, 3, 0), 0, errno.EAFNOSUPPORT),
    ("socket of AF_NETLINK for the firewall", 41, 198, (16, 3, 12), errno.EAFNOSUPPORT),
    ("socket of AF_ALG", 41, 198, (38, 5, 0), errno.EAFNOSUPPORT),
    ("socket of AF_PACKET", 41, 198, (17, 3, 0), errno.EAFNOSUPPORT),
    ("socket of AF_VSOCK", 41, 198, (40, 1, 0), errno.EAFNOSUPPORT),
    ("socketpair of AF_TIPC", 53, 199, (30, 1, 0, 0), errno.EAFNOSUPPORT),
    ("socket for TCP by name", 41, 198, (2, 1, 6), 0),
    ("socket for ping", 41, 198, (10, 2, 58), 0),
    ("socket for SCTP", 41, 198, (2, 1, 132), errno.EPROTONOSUPPORT),
    ("socket of a kind of its own, close-on-exec", 41, 198, (10, 6 | 0x80000, 0), errno.EPROTONOSUPPORT),
    ("a program for a socket", 54, 208, (-1, 1, 26, 0, 0), errno.ENOPROTOOPT),
    ("a program for a group of sockets", 54, 208, (-1, 1, 52, 0, 0), errno.ENOPROTOOPT),
    ("another option of a socket", 54, 208, (-1, 1, 9, 0, 0), errno.EBADF),
    ("the option of another level", 54, 208, (-1, 6, 26, 0, 0), errno.EBADF),
    ("encapsulation in UDP", 54, 208, (-1, 17, 100, 0, 0), errno.ENOPROTOOPT),
    ("a protocol above TCP", 54, 208, (-1, 6, 31, 0, 0), errno.ENOPROTOOPT),
    ("another option of UDP", 54, 208, (-1, 17, 1, 0, 0), errno.EBADF),
    ("mmap of huge pages", 9, 222, (0, 1 << 21, 3, 0x40022, -1, 0), errno.ENOMEM),
    ("mmap", 9, 222, (0, 1 << 21, 3, 0x22, -1, 0), 0),
    ("memfd_create of huge pages", 319, 279, (0, 5), errno.EINVAL),
    ("memfd_create of nothing", 319, 279, (0, 1), errno.EFAULT),
    ("shmget of huge pages", 29, 194, (0x1235, 1 << 21, 0o5600), errno.ENOMEM, errno.ENOSYS),
    ("ptrace of nobody", 101, 117, (16, 0x7FFFFFF0, 0, 0), 0, errno.EPERM),
    ("process_vm_readv of nobody", 310, 270, (0x7FFFFFF0, 0, 0, 0, 0, 0), 0, errno.EPERM),
    ("kcmp", 312, 272, (0x7FFFFFF0, 0x7FFFFFF0, 0, 0, 0), 0, errno.EPERM),
    ("pidfd_getfd", 438, 438, (0xFFFFFFFF, 0, 0), 0, errno.EPERM),
    ("vmsplice", 278, 75, (0xFFFFFFFF, 0, 0, 0), 0, errno.ENOSYS),
    ("splice", 275, 76, (0xFFFFFFFF, 0, 0xFFFFFFFF, 0, 1, 0), 0, errno.ENOSYS),
    ("tee", 276, 77, (0xFFFFFFFF, 0xFFFFFFFF, 1, 0), 0, errno.ENOSYS),
    ("shmget", 29, 194, (0x1234, 4096, 0o1600), 0, errno.ENOSYS),
]
# Refused by some engines and kernels as well: there, only that it is refused can be seen.
DEBUGGING = {"ptrace of nobody", "process_vm_readv of nobody", "kcmp", "pidfd_getfd", "shmget"}

PROGRAM = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
found = []
for number, arguments in CALLS:
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments))
    found.append(ctypes.get_errno() if result == -1 else 0)
print(found)
"""


def calls() -> list[tuple[int, tuple[int, ...]]]:
    return [(row[1 if MACHINE == "x86_64" else 2], row[3]) for row in rows()]  # type: ignore[misc]


def rows() -> list[tuple[object, ...]]:
    return [row for row in TABLE if row[1 if MACHINE == "x86_64" else 2] is not None]


def answers(engine: DockerEngine, image: str, level: Filter, runtime: str | None = None) -> list[tuple[str, int, int]]:
    """Every row's name, what this level has to answer, and what it answered."""
    with Sandbox(engine, SandboxSpec(image, Limits(), filter=level, runtime=runtime)) as sandbox:
        assert sandbox.guarantees.filter is level
        sandbox.snapshot()
        sandbox.reset(10_001)
        program = PROGRAM.replace("CALLS", repr(calls()))
        outcome = sandbox.run(Command(("python3", "-c", program), env=sandbox.env, uid=10_001))
    assert outcome.exit_code == 0, outcome.stderr.text()
    wanted = [int(row[-1 if level is Filter.STRICT else 4]) for row in rows()]  # type: ignore[call-overload]
    got: list[int] = ast.literal_eval(outcome.stdout.text())
    return [(str(row[0]), want, seen) for row, want, seen in zip(rows(), wanted, got, strict=True)]


def wrong(found: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    ours = {errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT}
    return [
        (name, want, seen)
        for name, want, seen in found
        if (seen != want if want else seen in ours and name not in DEBUGGING)
    ]


@pytest.mark.parametrize("level", [Filter.DEFAULT, Filter.STRICT])
def test_every_row_is_answered_as_its_level_says_without_any_filter_of_the_engine(
    engine: DockerEngine, python_image: str, level: Filter
) -> None:
    with switched_off(Defence.ENGINE_SECCOMP):
        assert wrong(answers(engine, python_image, level)) == []


def test_beside_the_engine_s_filter_ours_still_answers(engine: DockerEngine, python_image: str) -> None:
    found = answers(engine, python_image, Filter.DEFAULT)
    # What ours lets pass, the engine's may well refuse.
    assert wrong([row for row in found if row[1]]) == []


def test_gvisor_takes_the_filter_too(engine: DockerEngine, python_image: str) -> None:
    runtime = next((name for name in engine.info().runtimes if is_gvisor(name)), None)
    if runtime is None:
        pytest.skip("The engine has no gVisor; `.ci/gvisor.sh` says why, or gives it one.")
    assert wrong(answers(engine, python_image, Filter.STRICT, runtime)) == []


def test_a_debugger_can_trace_its_own_child_at_the_default_level(engine: DockerEngine, python_image: str) -> None:
    code = """
import ctypes, os, signal
libc = ctypes.CDLL(None)
child = os.fork()
if child == 0:
    libc.ptrace(0, 0, 0, 0)
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(3)
_, status = os.waitpid(child, 0)
print(os.WIFSTOPPED(status))
libc.ptrace(7, child, 0, 0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    with Sandbox(engine, SandboxSpec(python_image)) as sandbox:
        sandbox.snapshot()
        sandbox.reset(10_001)
        outcome = sandbox.run(Command(("python3", "-c", code), env=sandbox.env, uid=10_001, wall_seconds=10))
    assert outcome.stdout.text() == "True\n3\n"
