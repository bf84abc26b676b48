"""Sandboxes under gVisor: what it enforces, what it does not, and how we make up for that.

Where the engine has no gVisor these tests are skipped, and say so; `.ci/gvisor.sh` gives it to an engine that can have
it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from gradebox.sandbox import profiles
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.guarantees import is_gvisor
from gradebox.sandbox.limits import Limits
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Ending, Filter, Outcome, SandboxSpec

UID = 10_001


@pytest.fixture(scope="module")
def runtime(engine: DockerEngine) -> str:
    for name in engine.info().runtimes:
        if is_gvisor(name):
            return name
    pytest.skip("The engine has no gVisor; `.ci/gvisor.sh` says why, or gives it one.")


@pytest.fixture
def sandbox(engine: DockerEngine, python_image: str, small: Limits, runtime: str) -> Iterator[Sandbox]:
    strict = profiles.STRICT
    spec = SandboxSpec(python_image, small, runtime=runtime, filter=strict.filter, masked=strict.masked)
    with Sandbox(engine, spec) as sandbox:
        sandbox.snapshot()
        sandbox.reset(UID)
        yield sandbox


def shell(sandbox: Sandbox, line: str) -> Outcome:
    return sandbox.run(Command(("sh", "-c", line), env=sandbox.env, uid=UID, wall_seconds=20))


def python(sandbox: Sandbox, code: str, **changes: float) -> Outcome:
    return sandbox.run(Command(("python3", "-c", code), env=sandbox.env, uid=UID, **changes))  # type: ignore[arg-type]


def test_what_it_cannot_show_is_said_and_our_filter_is_in_force(sandbox: Sandbox) -> None:
    seen = sandbox.guarantees
    assert seen.own_kernel
    assert seen.filter is Filter.STRICT
    assert seen.memory_limit_bytes is None
    assert any("gVisor shows no cgroup" in gap for gap in sandbox.gaps)


def test_a_fork_bomb_meets_the_limit_of_its_own_kernel(sandbox: Sandbox, small: Limits) -> None:
    code = """
import os, time
count = 1
try:
    while True:
        if os.fork() == 0:
            time.sleep(60)
        count += 1
except OSError:
    print(count)
"""
    outcome = python(sandbox, code)
    assert int(outcome.stdout.text()) <= small.pids + 1
    assert outcome.usage.killed_processes > 0
    assert shell(sandbox, "echo well").stdout.text() == "well\n"


def test_a_memory_hog_ends_for_lack_of_memory_even_if_the_sandbox_ends_with_it(sandbox: Sandbox) -> None:
    outcome = python(sandbox, "hoard = bytearray()\nwhile True: hoard += bytes(1 << 20)")
    assert outcome.ending is Ending.OUT_OF_MEMORY or "MemoryError" in outcome.stderr.text()


def test_our_files_cannot_be_led_elsewhere_by_a_link(sandbox: Sandbox) -> None:
    links = [ArchiveEntry("tests", EntryKind.LINK, target="/tmp"), ArchiveEntry("out", EntryKind.LINK, target="/etc")]
    sandbox.put(links, uid=UID)
    sandbox.put([file_entry("tests/t.py", b"ours")], protect=True)
    assert shell(sandbox, "ls /tmp/t.py; test ! -L tests && cat tests/t.py").stdout.text() == "ours"
    assert [entry.path for entry in sandbox.get(["out"], limit_bytes=1 << 20)] == ["out"]


def test_a_protected_file_that_was_replaced_is_noticed(sandbox: Sandbox) -> None:
    sandbox.put(
        [ArchiveEntry("grading", EntryKind.DIRECTORY, 0o755), file_entry("grading/g.py", b"ours")], protect=True
    )
    sandbox.put([file_entry("tests/t.py", b"ours"), file_entry("tests/u.py", b"ours")], protect=True)
    assert shell(sandbox, "rm -f tests/t.py; echo x > tests/t.py; cat tests/t.py").replaced == ()
    outcome = shell(sandbox, "for f in tests/t.py grading/g.py; do echo x > a; mv -f a $f; done; cat grading/g.py")
    assert outcome.stdout.text() == "ours"
    assert outcome.replaced == ("tests/t.py",)


def test_nothing_of_the_supervisor_can_be_opened(sandbox: Sandbox) -> None:
    code = """
import os
for number in os.listdir("/proc/1/fd"):
    for flags in (os.O_RDONLY, os.O_RDWR):
        try:
            found = os.open(f"/proc/1/fd/{number}", flags | os.O_NONBLOCK)
        except OSError:
            continue
        target = os.readlink(f"/proc/self/fd/{found}")
        if "memfd" in target or "host" in target:
            print(number, target)
try:
    open("/proc/1/mem", "rb")
    print("mem")
except OSError:
    pass
"""
    outcome = python(sandbox, code)
    assert (outcome.exit_code, outcome.stdout.text()) == (0, ""), outcome.stderr.text()


def test_no_object_outlives_its_process_where_we_could_not_remove_it(
    engine: DockerEngine, python_image: str, runtime: str
) -> None:
    code = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print([libc.shmget(7, 4096, 0o1666), libc.semget(7, 1, 0o1666), libc.msgget(7, 0o1666)])
"""
    with Sandbox(engine, SandboxSpec(python_image, runtime=runtime)) as sandbox:
        sandbox.snapshot()
        sandbox.reset(UID)
        assert python(sandbox, code).stdout.text() == "[-1, -1, -1]\n"


def test_without_figures_of_processor_time_nothing_is_claimed_and_the_wall_limit_holds(sandbox: Sandbox) -> None:
    command = Command(("python3", "-c", "while True: pass"), env=sandbox.env, uid=UID, wall_seconds=2, cpu_seconds=0.5)
    outcome = sandbox.run(replace(command, patience_seconds=60))
    assert (outcome.ending, outcome.usage.held_up_seconds) == (Ending.TIMED_OUT, 0)
    assert "after 2 s of wall time" in outcome.detail
    assert sandbox.queue() is None
