"""The sandbox on a real engine: what a command can do, what it leaves, and how it ends."""

from __future__ import annotations

import contextlib
import errno
import threading
import time
import uuid
from pathlib import Path

import pytest

from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry
from gradebox.sandbox.engines.connect import connect
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.errors import ImageUnavailable, SandboxLost, WorkspaceRefused
from gradebox.sandbox.limits import MIB, Limits
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Ending, Outcome, SandboxSpec

UID = 10_001


def python(sandbox: Sandbox, code: str, **changes: object) -> Outcome:
    command = {"argv": ("python3", "-c", code), "env": sandbox.env, "uid": UID, "wall_seconds": 30.0, **changes}
    return sandbox.run(Command(**command))  # type: ignore[arg-type]


def shell(sandbox: Sandbox, line: str, **changes: object) -> Outcome:
    return python(sandbox, "", argv=("sh", "-c", line), **changes)


def test_a_command_gets_what_it_was_given(sandbox: Sandbox) -> None:
    code = "import sys, os; print(os.getcwd(), os.environ['A'], sys.stdin.read()); print('e', file=sys.stderr); exit(7)"
    outcome = python(sandbox, code, env={**sandbox.env, "A": "b c"}, stdin=b"in", cwd="/tmp")
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 7)
    assert (outcome.stdout.text(), outcome.stderr.text()) == ("/tmp b c in\n", "e\n")


def test_a_command_is_nobody(sandbox: Sandbox) -> None:
    outcome = shell(
        sandbox,
        "id -u; id -G; grep -E 'CapEff|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status; cat /proc/self/oom_score_adj",
    )
    lines = outcome.stdout.text().split()
    assert lines[:2] == ["10001", "10001"]
    found = dict(zip(lines[2:-1:2], lines[3:-1:2], strict=True))
    assert int(found["CapEff:"], 16) == 0
    assert (found["NoNewPrivs:"], found["Seccomp:"], lines[-1]) == ("1", "2", "1000")


def test_a_command_has_no_environment_but_its_own(sandbox: Sandbox) -> None:
    outcome = python(sandbox, "import os; print(sorted(os.environ))", env={"PATH": "/usr/bin", "LC_CTYPE": "C.UTF-8"})
    assert outcome.stdout.text() == "['LC_CTYPE', 'PATH']\n"


def test_nothing_but_loopback_can_be_reached(sandbox: Sandbox) -> None:
    code = """
import os, socket
print(os.listdir("/sys/class/net"))
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
print("loopback works")
try:
    socket.create_connection(("192.0.2.1", 80), 2)
except OSError as error:
    print(error.errno)
"""
    outcome = python(sandbox, code)
    assert outcome.stdout.text() == f"['lo']\nloopback works\n{errno.ENETUNREACH}\n"


@pytest.mark.parametrize("path", ["/x", "/usr/bin/x", "/etc/passwd", "/.gradebox/x", "/dev/x", "/sys/x"])
def test_nothing_outside_the_workspace_can_be_written(sandbox: Sandbox, path: str) -> None:
    outcome = shell(sandbox, f"echo x >> {path}")
    assert outcome.exit_code != 0
    assert "Read-only file system" in outcome.stderr.text() or "Permission denied" in outcome.stderr.text()


def test_a_flood_on_both_streams_while_stdin_is_unread(sandbox: Sandbox) -> None:
    code = """
import os
block = b"x" * 65536
for _ in range(64):
    os.write(1, block)
    os.write(2, block)
"""
    outcome = python(sandbox, code, stdin=b"y" * 4_000_000)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)
    assert outcome.stdout.total_bytes == outcome.stderr.total_bytes == 64 * 65536
    assert len(outcome.stdout.head) == len(outcome.stdout.tail) == 128 * 1024


def test_printing_without_end_is_stopped(sandbox: Sandbox) -> None:
    outcome = shell(sandbox, "yes", output_bytes=8 * MIB)
    assert outcome.ending is Ending.OUTPUT_LIMIT
    assert outcome.stdout.total_bytes > 8 * MIB
    assert outcome.stdout.head.startswith(b"y\ny\n")


def test_the_hash_is_that_of_everything_printed(sandbox: Sandbox) -> None:
    from hashlib import sha256

    outcome = python(sandbox, "print('0123456789' * 200000, end='')", capture_bytes=1000)
    assert not outcome.stdout.complete
    assert outcome.stdout.sha256 == sha256(b"0123456789" * 200_000).hexdigest()


def test_time_runs_out_and_what_was_printed_stays(sandbox: Sandbox) -> None:
    outcome = python(sandbox, "import time; print('before', flush=True); time.sleep(60)", wall_seconds=1)
    assert outcome.ending is Ending.TIMED_OUT
    assert outcome.stdout.text() == "before\n"
    assert 1 <= outcome.usage.wall_seconds < 15


def test_ignoring_signals_does_not_help(sandbox: Sandbox) -> None:
    code = """
import signal, time
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
print("deaf", flush=True)
while True: time.sleep(1)
"""
    outcome = python(sandbox, code, wall_seconds=1)
    assert (outcome.ending, outcome.stdout.text()) == (Ending.TIMED_OUT, "deaf\n")


def test_a_stopped_process_is_ended_too(sandbox: Sandbox) -> None:
    assert shell(sandbox, "kill -STOP $$", wall_seconds=1).ending is Ending.TIMED_OUT


def test_a_daemon_is_dead_before_the_outcome_is_known(sandbox: Sandbox) -> None:
    code = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("/tmp/daemon", "w").write("here")
        while True: time.sleep(0.01)
    os._exit(0)
while not os.path.exists("/tmp/daemon"): time.sleep(0.01)
"""
    outcome = python(sandbox, code)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)
    assert outcome.usage.killed_processes >= 1
    assert sandbox.stat().pids in (None, 1)


def test_a_fork_bomb_ends_and_the_next_command_is_unaffected(sandbox: Sandbox) -> None:
    outcome = python(sandbox, "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass", wall_seconds=2)
    # So many interpreters may meet the memory limit before the deadline, depending on what they come to touch.
    assert outcome.ending in {Ending.TIMED_OUT, Ending.OUT_OF_MEMORY}
    sandbox.reset(UID + 1)
    after = python(sandbox, "print('fine')", uid=UID + 1)
    assert (after.exit_code, after.stdout.text()) == (0, "fine\n")
    assert sandbox.stat().pids in (None, 1)


def test_a_memory_hog_is_told_apart_from_a_crash(sandbox: Sandbox) -> None:
    outcome = python(sandbox, "x = []\nwhile True: x.append(bytearray(1 << 20))")
    assert outcome.ending is Ending.OUT_OF_MEMORY
    assert outcome.usage.oom_kills >= 1
    crash = python(sandbox, "import os; os.kill(os.getpid(), 9)")
    assert (crash.ending, crash.signal) == (Ending.SIGNALLED, 9)


def test_a_full_workspace_is_an_error_of_the_command_and_gone_after_a_reset(sandbox: Sandbox) -> None:
    code = """
try:
    with open("/workspace/big", "wb") as f:
        while True: f.write(bytes(1 << 20))
except OSError as error:
    print(error.errno)
"""
    assert python(sandbox, code).stdout.text() == f"{errno.ENOSPC}\n"
    sandbox.reset(UID)
    assert shell(sandbox, "ls /workspace").stdout.text() == ""


def test_many_files_are_gone_after_a_reset(engine: DockerEngine, python_image: str) -> None:
    with Sandbox(engine, SandboxSpec(python_image, Limits(disk_files=250_000))) as sandbox:
        sandbox.snapshot()
        sandbox.reset(UID)
        code = "import os\nfor i in range(200_000): os.close(os.open(f'/workspace/{i}', os.O_CREAT))"
        assert python(sandbox, code, wall_seconds=120).exit_code == 0
        sandbox.reset(UID)
        assert shell(sandbox, "ls -A /workspace | wc -l").stdout.text().strip() == "0"


def test_more_files_than_allowed_are_refused(engine: DockerEngine, python_image: str) -> None:
    with Sandbox(engine, SandboxSpec(python_image, Limits(disk_files=1000))) as sandbox:
        sandbox.snapshot()
        sandbox.reset(UID)
        outcome = python(sandbox, "for i in range(2000): open(f'/workspace/{i}', 'w')")
        assert outcome.exit_code == 1
        assert "No space left" in outcome.stderr.text()


def test_scratch_directories_and_ipc_are_empty_after_a_reset(sandbox: Sandbox) -> None:
    code = """
import ctypes, os
for path in ("/tmp/a", "/dev/shm/b", "/tmp/home/c"): open(path, "w")
libc = ctypes.CDLL(None)
assert libc.shmget(4711, 4096, 0o1666) >= 0
assert libc.mq_open(b"/queue", os.O_CREAT | os.O_RDWR, 0o666, None) >= 0
"""
    assert python(sandbox, code).exit_code == 0
    sandbox.reset(UID + 1)
    look = "ls -A /tmp /dev/shm /dev/mqueue /tmp/home; tail -n +2 /proc/sysvipc/shm"
    assert shell(sandbox, look, uid=UID + 1).stdout.text().split() == [
        "/dev/mqueue:",
        "/dev/shm:",
        "/tmp:",
        "home",
        "/tmp/home:",
    ]


REACH = """
import ctypes, os, sys
parent, libc = os.getppid(), ctypes.CDLL(None)
for name in ("mem", "environ", "fd/0", "maps"):
    try:
        print(name, open(f"/proc/{parent}/{name}", "rb", 0).fileno() > 0)
    except OSError as error:
        print(name, error.errno)
print("attach", libc.ptrace(16, parent, 0, 0))
print("read", libc.process_vm_readv(parent, None, 0, None, 0, 0))
"""
START = f"import subprocess, sys; sys.exit(subprocess.call(['python3', '-c', {REACH!r}]))"


@pytest.mark.parametrize("argv", [("python3", "-c", START), ("sh", "-c", 'exec env A=1 python3 -c "$0"', START)])
def test_no_other_process_reaches_into_a_shielded_command(sandbox: Sandbox, argv: tuple[str, ...]) -> None:
    outcome = python(sandbox, "", argv=argv, shielded=True)
    refused = [f"{name} {errno.EACCES}" for name in ("mem", "environ", "fd/0", "maps")]
    assert outcome.stdout.text().splitlines() == [*refused, "attach -1", "read -1"]


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ("cat; echo x >/dev/stderr; cat <(echo inner) </dev/null; exit 7", (Ending.EXITED, 7)),
        ("trap 'echo caught; exit 3' USR1; kill -USR1 $$; sleep 5", (Ending.EXITED, 3)),
        ("kill -TRAP $$; echo on; kill -TERM $$", (Ending.SIGNALLED, 15)),
        ("exec bash -c 'exec sh -c \"exec true\"'", (Ending.EXITED, 0)),
        ("kill -SEGV $$", (Ending.SIGNALLED, 11)),
        ("sleep 60", (Ending.TIMED_OUT, None)),
    ],
)
def test_a_shielded_command_ends_as_any_other(sandbox: Sandbox, line: str, ends: tuple[Ending, int | None]) -> None:
    outcome = python(sandbox, "", argv=("bash", "-c", line), stdin=b"in\n", wall_seconds=2.0, shielded=True)
    assert (outcome.ending, outcome.exit_code if outcome.exit_code is not None else outcome.signal) == ends


def test_programs_write_below_home_but_not_where_it_is_closed(sandbox: Sandbox) -> None:
    sandbox.reset(UID, closed=[".profile", ".local/lib/"])
    line = """cd; mkdir .cache .local/share; touch a .local/share/b; ls -A . .local
for place in .profile .local .local/lib; do
  echo x >$place; touch $place/x; mv $place away; rm -rf $place; ln -sfn /tmp $place; mkdir -p $place/python3
done; ls -ld .local/lib .profile | cut -c 1-10; ls -A .local/lib; cat .profile"""
    lines = shell(sandbox, line).stdout.text().split()
    assert lines == [".:", ".cache", ".local", ".profile", "a", ".local:", "lib", "share", "drwxr-xr-x", "-r--r--r--"]


@pytest.mark.parametrize(
    ("argv", "number"),
    [
        (("no-such-program",), errno.ENOENT),
        (("./no-such-file",), errno.ENOENT),
        (("/etc/passwd",), errno.EACCES),
        (("/workspace",), errno.EACCES),
    ],
)
def test_what_cannot_be_started_says_why(sandbox: Sandbox, argv: tuple[str, ...], number: int) -> None:
    outcome = python(sandbox, "", argv=argv)
    assert (outcome.ending, outcome.errno) == (Ending.NOT_STARTED, number)


def test_a_working_directory_that_is_missing_says_so(sandbox: Sandbox) -> None:
    outcome = shell(sandbox, "true", cwd="/workspace/nowhere")
    assert (outcome.ending, outcome.errno) == (Ending.NOT_STARTED, errno.ENOENT)
    assert outcome.detail == "The working directory /workspace/nowhere cannot be entered: No such file or directory."


def test_a_link_in_the_way_to_the_working_directory_is_not_followed(sandbox: Sandbox) -> None:
    sandbox.put([ArchiveEntry("inner/way", EntryKind.LINK, target="../elsewhere"), file_entry("elsewhere/b/x", b"")])
    for place in ("inner/way", "inner/way/b"):
        outcome = shell(sandbox, "true", cwd=f"/workspace/{place}")
        assert (outcome.ending, outcome.errno) == (Ending.NOT_STARTED, errno.ENOTDIR)
        assert outcome.detail.endswith("cannot be entered: Not a directory. A link is not followed.")
    assert shell(sandbox, "pwd", cwd="/workspace/elsewhere/b").stdout.text() == "/workspace/elsewhere/b\n"


def test_protected_files_can_neither_be_changed_nor_replaced(sandbox: Sandbox) -> None:
    sandbox.put([file_entry("grading/secret.py", b"theirs"), file_entry("tests/mine.py", b"x")], uid=UID)
    sandbox.snapshot()
    sandbox.reset(UID)
    sandbox.put([file_entry("tests/t.py", b"ours")], protect=True)
    sandbox.put(
        [ArchiveEntry("grading", EntryKind.DIRECTORY, 0o755), file_entry("grading/g.py", b"ours")], protect=True
    )
    attack = """
for f in tests/t.py grading/g.py; do
  echo x > $f; chmod 777 $f; rm -f $f; mv $f /tmp/x; ln -sf /tmp/x $f; true > $f.new; mv $f.new $f
done
mv tests tests2; mv grading grading2; rm -rf grading tests; mkdir grading
cp /bin/true grading/g2.py; chmod 777 grading tests
cat tests/t.py grading/g.py; ls grading; echo added > tests/added; cat tests/added
"""
    outcome = shell(sandbox, attack)
    assert outcome.stdout.text() == "oursoursg.py\nadded\n"


def test_a_link_of_the_submission_cannot_lead_our_files_elsewhere(sandbox: Sandbox) -> None:
    links = [
        ArchiveEntry("tests", EntryKind.LINK, target="/tmp"),
        ArchiveEntry("t.py", EntryKind.LINK, target="/tmp/home/x"),
    ]
    sandbox.put(links, uid=UID)
    sandbox.snapshot()
    sandbox.reset(UID)
    sandbox.put([file_entry("tests/t.py", b"ours"), file_entry("t.py", b"ours")], protect=True)
    outcome = shell(sandbox, "ls -A /tmp /tmp/home; test ! -L tests && cat tests/t.py t.py")
    assert outcome.stdout.text() == "/tmp:\nhome\n\n/tmp/home:\noursours"


def test_scrubbing_finds_names_at_any_depth(sandbox: Sandbox) -> None:
    paths = ["conftest.py", "a/b/conftest.py", "a/keep/conftest.py", "a/__pycache__/x.pyc", "a/x.py"]
    sandbox.put([file_entry(path, b"") for path in paths], uid=UID)
    scrubbed = sandbox.scrub(["conftest.py", "__pycache__"], keep=["a/keep/conftest.py"])
    assert set(scrubbed.paths) == {"conftest.py", "a/b/conftest.py", "a/__pycache__"}
    sandbox.snapshot()
    sandbox.reset(UID)
    found = shell(sandbox, "find . -type f | sort").stdout.text().split()
    assert found == ["./a/keep/conftest.py", "./a/x.py"]


def test_what_does_not_fit_is_refused_and_the_sandbox_goes_on(sandbox: Sandbox) -> None:
    with pytest.raises(WorkspaceRefused) as refused:
        sandbox.put([file_entry("big", bytes(64 * MIB))], uid=UID)
    assert refused.value.errno == errno.ENOSPC
    sandbox.reset(UID)
    assert shell(sandbox, "echo fine").stdout.text() == "fine\n"


def test_files_come_out_as_they_went_in(sandbox: Sandbox, tmp_path: Path) -> None:
    long = "d" * 200 + "/" + "f" * 200
    odd = b"caf\xe9 \n'\"\\".decode("utf-8", "surrogateescape")
    entries = [
        file_entry(long, b"1", mode=0o755),
        file_entry(odd, b"2"),
        ArchiveEntry("link", EntryKind.LINK, target="/etc/passwd"),
    ]
    sandbox.put(entries, uid=UID)
    found = {entry.path: entry for entry in sandbox.get(["d" * 200, odd, "link", "missing"], limit_bytes=MIB)}
    assert (found[long].data, found[long].executable, found[odd].data) == (b"1", True, b"2")
    assert (found["link"].kind, found["link"].target) == (EntryKind.LINK, "/etc/passwd")
    with pytest.raises(WorkspaceRefused):
        sandbox.get([long], limit_bytes=10)


def test_special_files_do_not_come_out(sandbox: Sandbox) -> None:
    assert shell(sandbox, "mkdir d; mkfifo d/pipe; echo x > d/file").exit_code == 0
    assert [entry.path for entry in sandbox.get(["d"], limit_bytes=MIB)] == ["d", "d/file"]


def test_a_container_killed_from_outside_is_an_outcome_that_keeps_the_output(
    engine: DockerEngine, python_image: str
) -> None:
    with Sandbox(engine, SandboxSpec(python_image)) as sandbox:
        sandbox.snapshot()
        sandbox.reset(UID)
        timer = threading.Timer(1.0, sandbox.kill)
        timer.start()
        begun = time.monotonic()
        outcome = python(sandbox, "import time; print('here', flush=True); time.sleep(30)")
        timer.join()
    assert (outcome.ending, outcome.stdout.text()) == (Ending.SANDBOX_LOST, "here\n")
    assert time.monotonic() - begun < 15
    with pytest.raises(SandboxLost):
        sandbox.reset(UID)


def test_a_sandbox_ends_by_itself_after_its_lifetime(engine: DockerEngine, python_image: str) -> None:
    with Sandbox(engine, SandboxSpec(python_image, lifetime_seconds=2)) as sandbox:
        sandbox.snapshot()
        sandbox.reset(UID)
        assert shell(sandbox, "sleep 30").ending is Ending.SANDBOX_LOST


def test_a_volume_that_an_image_declares_is_small_and_in_memory(engine: DockerEngine, python_image: str) -> None:
    import io

    dockerfile = f"FROM {python_image}\nUSER 0:0\nVOLUME /data\n".encode()
    images = engine.images
    context = io.BytesIO()
    import tarfile

    with tarfile.open(fileobj=context, mode="w") as tar:
        member = tarfile.TarInfo("Dockerfile")
        member.size = len(dockerfile)
        tar.addfile(member, io.BytesIO(dockerfile))
    images.build(
        context.getvalue(), ["gradebox-test/volume:1"], arguments={}, labels={}, fresh=False, on_line=lambda _: None
    )
    try:
        with Sandbox(engine, SandboxSpec("gradebox-test/volume:1")) as sandbox:
            sandbox.snapshot()
            sandbox.reset(UID)
            assert shell(sandbox, "stat -f -c %T /data").stdout.text() == "tmpfs\n"
    finally:
        images.remove("gradebox-test/volume:1")


def test_an_image_that_is_missing_has_a_name_in_its_message(engine: DockerEngine) -> None:
    with pytest.raises(ImageUnavailable, match="no-such-image"):
        Sandbox(engine, SandboxSpec("gradebox/no-such-image:1"))


def test_a_damaged_supervisor_is_replaced(python_image: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from gradebox.sandbox.engines.docker import container_request
    from gradebox.sandbox.engines.docker.volume import SupervisorVolume, one_file

    # A volume of its own: tests that run beside this one start their sandboxes from the common one.
    monkeypatch.setattr(SupervisorVolume, "name", f"gradebox-supervisor-damaged-{uuid.uuid4().hex}")
    with contextlib.closing(connect()) as engine:
        spec = SandboxSpec(python_image)
        with Sandbox(engine, spec):
            pass
        mount = container_request.volume_mount(engine.volume, {}, read_only=False)
        body = {"Image": python_image, "Cmd": ["x"], "HostConfig": {"Mounts": [mount]}}
        container = engine.images.client.create_container_from_config(body)["Id"]
        engine.images.client.put_archive(
            container, container_request.SUPERVISOR_DIRECTORY, one_file("supervisor", b"\x7fELF broken")
        )
        engine.images.client.remove_container(container)
        with Sandbox(engine, spec) as sandbox:
            assert sandbox.guarantees.root_read_only
        engine.images.client.remove_volume(engine.volume)


def test_sandboxes_side_by_side_do_not_see_each_other(engine: DockerEngine, python_image: str) -> None:
    with Sandbox(engine, SandboxSpec(python_image)) as one, Sandbox(engine, SandboxSpec(python_image)) as other:
        for sandbox in (one, other):
            sandbox.snapshot()
            sandbox.reset(UID)
        assert shell(one, "echo secret > /workspace/x; echo secret > /tmp/x").exit_code == 0
        outcome = shell(other, "ls -A /workspace /tmp; ls /proc | grep -c '^[0-9]'")
        assert "x" not in outcome.stdout.text().replace("/", " ").split()
