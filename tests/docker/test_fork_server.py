"""The fork server: what it forks is what it would be if it had been started, and reaches nothing of others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from item_bench import Workshop, open_workshop

from gradebox.graders import languages
from gradebox.graders.languages.item_protocol import encode
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.limits import Limits
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

TOKEN = "5" * 32
# What a process can say of itself and of the others that it sees.
LOOK = """
import json, os, resource, signal, sys

def status(pid):
    with open(f"/proc/{pid}/status") as file:
        return dict(line.rstrip("\\n").split(":\\t", 1) for line in file if ":\\t" in line)

def server():
    others = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]
    return next((pid for pid in others if status(pid)["PPid"] == "1" and status(pid)["Uid"].startswith("0")), 0)

def myself():
    own = status("self")
    kept = ("Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapAmb", "NoNewPrivs", "Seccomp", "SigBlk", "SigIgn",
            "SigCgt", "PPid", "Threads")
    with open("/proc/self/oom_score_adj") as file:
        oom = file.read()
    return {
        **{name: own[name] for name in kept}, "oom": oom, "environ": dict(os.environ), "cwd": os.getcwd(),
        "files": [os.readlink(f"/proc/self/fd/{fd}").partition(":")[0] for fd in range(3)],
        "open": sum(os.path.exists(f"/proc/self/fd/{fd}") for fd in range(600)),
        "flags": repr(sys.flags), "path": sys.path, "argv": sys.argv, "umask": os.umask(0o22), "fork": os.nice(0),
        "limits": [resource.getrlimit(n) for n in range(16)], "leads": os.getsid(0) == os.getpid() == os.getpgrp(),
        "processors": sorted(os.sched_getaffinity(0)), "streams": [type(s).__name__ for s in (sys.stdin, sys.stdout)],
        "ends": sys.stdin.read(), "signals": [str(signal.getsignal(n)) for n in (2, 10, 13, 15)],
    }
"""
ATTACK = (
    LOOK
    + """
import ctypes, socket
pid, libc, done = server(), ctypes.CDLL(None, use_errno=True), []
assert pid and status(pid)["Uid"].split() == ["0"] * 4

def attempt(name, action):
    try:
        action()
    except (OSError, AssertionError):
        return
    done.append(name)

def trace(request):
    assert libc.ptrace(request, pid, None, None) == 0

for number in (0, 2, 9, 10, 15, 18, 19):
    attempt(f"signal {number}", lambda: os.kill(pid, number))
attempt("attach", lambda: trace(16))
attempt("seize", lambda: trace(0x4206))
for name in ("mem", "environ", "maps", "fd", "cwd", "exe", "root", "syscall", "stack", "fd/3"):
    path = f"/proc/{pid}/{name}"
    attempt(name, lambda: os.listdir(path) if name == "fd" else os.close(os.open(path, os.O_RDONLY)))
for name in ("mem", "oom_score_adj", "comm", "clear_refs"):
    attempt(f"write {name}", lambda: os.close(os.open(f"/proc/{pid}/{name}", os.O_WRONLY)))
attempt("limits", lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3)))
attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
attempt("processors", lambda: os.sched_setaffinity(pid, {0}))
attempt("root", lambda: os.setuid(0))
attempt("groups", lambda: os.setgroups([0]))
print(json.dumps([pid, done]))
"""
)


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    engine = DockerEngine()
    yield from open_workshop(engine, "python", {"look.py": LOOK, "attack.py": ATTACK})
    engine.close()


def tell(workshop: Workshop, code: str) -> Any:
    """Return what an item prints, which must pass."""
    ran = workshop.run("from look import *", item=code)
    assert ran.passed, ran.printed
    return json.loads(ran.outcome.stdout.text())


def run(sandbox: Sandbox, item: str, uid: int = 10_050, *, lay_out: bool = True, **changes: Any) -> Outcome:
    if lay_out:
        sandbox.reset(uid)
    command = Command(languages.get("python").argv(), env=sandbox.env, uid=uid, report=True, forks=True)
    return sandbox.run(replace(command, stdin=encode(TOKEN, item=item), **changes))


def test_an_item_is_as_if_it_had_been_started(workshop: Workshop) -> None:
    code = "import sys; print(json.dumps(myself()), end='')"
    forked = tell(workshop, code)
    started = json.loads(run(workshop.sandbox, f"from look import *\n{code}", uid=10_000, forks=False).stdout.text())
    for each in (forked, started):
        assert {len(set(each[name].split())) for name in ("Uid", "Gid")} == {1}
        for name in ("Uid", "Gid"):
            del each[name]
    assert forked == started
    assert forked["PPid"] == "1"
    assert set(forked["CapEff"] + forked["CapPrm"]) == {"0"}
    assert forked["oom"] == "1000\n"


def test_all_are_forks_of_one_server_of_roots(workshop: Workshop) -> None:
    one, other = (tell(workshop, "print(json.dumps([server(), os.getpid()]), end='')") for _ in range(2))
    assert one[0] == other[0] > 1
    assert one[1] != other[1]
    about = tell(workshop, "print(json.dumps(status(server())), end='')")
    assert about["Uid"].split() == ["0"] * 4
    assert (about["NoNewPrivs"], about["Seccomp"]) == ("1", "2")
    assert int(about["CapEff"], 16) == int(about["CapPrm"], 16) == 1 << 6 | 1 << 7
    assert int(about["CapInh"], 16) == 0


def test_nothing_can_be_done_to_the_server(workshop: Workshop) -> None:
    pid, done = tell(workshop, "import attack")
    assert done == []
    assert tell(workshop, "print(server())") == pid


def test_nothing_of_an_item_reaches_the_next(workshop: Workshop) -> None:
    leave = (
        "import builtins, os, signal, sys, threading, time\n"
        "builtins.left = sys.modules['left'] = os.environ['LEFT'] = 'left'\n"
        "open('/tmp/left', 'w').close(); open('left', 'w').close(); os.chdir('/tmp'); os.umask(0)\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])\n"
        "if not os.fork():\n    os.setsid()\n    if os.fork(): os._exit(0)\n"
        "    os.close(1); os.close(2); time.sleep(60)\n"
    )
    secret = "7" * 40
    ran = workshop.run(item=f"{leave}\nsecret = '{secret}'")
    assert ran.passed
    assert ran.outcome.usage.killed_processes
    clean = tell(
        workshop,
        "import builtins\n"
        "print(json.dumps([hasattr(builtins, 'left'), 'left' in sys.modules, os.environ.get('LEFT'),"
        " os.path.exists('/tmp/left'), os.path.exists('left'), os.getcwd(), os.umask(0),"
        " signal.pthread_sigmask(signal.SIG_BLOCK, []) == set(), len(os.listdir('/proc')) - "
        "len([n for n in os.listdir('/proc') if not n.isdigit()])]), end='')",
    )
    assert clean == [False, False, None, False, False, "/workspace", 0o22, True, 3]
    # Neither what it read nor its token is in the memory of those after it.
    search = (
        "import re\n"
        "found = 0\n"
        "for line in open('/proc/self/maps'):\n"
        "    span, rights, *rest = line.split()\n"
        "    start, end = (int(word, 16) for word in span.split('-'))\n"
        "    if rights.startswith('rw') and 'vvar' not in line:\n"
        "        data = __import__('ctypes').string_at(start, end - start)\n"
        # A pattern does not match itself.
        f"        found += len(re.findall(b'7{{39}}7|{ran.token[:8]}(?={ran.token[8:]})', data))\n"
        "print(found, end='')"
    )
    assert tell(workshop, search) == 0


def test_an_item_that_does_not_end_is_killed_and_the_server_lives(workshop: Workshop) -> None:
    before = tell(workshop, "print(server())")
    endless = "import os\nwhile True:\n    if os.fork(): pass\n    else: break\nwhile True: pass"
    outcome = run(workshop.sandbox, "while True: pass", wall_seconds=0.5)
    assert outcome.ending is Ending.TIMED_OUT
    outcome = run(workshop.sandbox, endless, wall_seconds=2)
    assert outcome.ending is Ending.TIMED_OUT
    assert outcome.usage.killed_processes > 1
    assert tell(workshop, "print(server())") == before


def test_another_command_ends_it(workshop: Workshop) -> None:
    before = tell(workshop, "print(server())")
    sandbox = workshop.sandbox
    sandbox.reset(10_070)
    listed = sandbox.run(Command(("sh", "-c", "echo /proc/[0-9]*"), env=sandbox.env, uid=10_070))
    assert len(listed.stdout.text().split()) == 2, listed.stdout.text()
    changed = run(sandbox, "import os; assert os.environ['A'] == '1'", env={**sandbox.env, "A": "1"})
    assert changed.exit_code == 0, changed.stderr.text()
    assert tell(workshop, "print(server())") not in (0, before)


@pytest.mark.parametrize(
    "env",
    [
        {"LD_PRELOAD": "/workspace/evil.so"},
        {"PATH": "/workspace/bin:/usr/local/bin:/usr/bin:/bin"},
        {"LD_LIBRARY_PATH": "."},
    ],
)
def test_root_loads_nothing_that_others_can_write(workshop: Workshop, env: dict[str, str]) -> None:
    own, sandbox = '#!/bin/sh\nid -u >>/tmp/ran; exec /usr/bin/python3 "$@"\n', workshop.sandbox
    sandbox.reset(10_050)
    sandbox.put([file_entry("bin/python3", own.encode(), mode=0o755)], uid=10_050)
    item = "from look import *\nassert server() == 0 and status('self')['PPid'] == '1'\n"
    item += "assert os.path.exists('/tmp/ran') == ('workspace' in os.environ['PATH'])\n"
    item += "assert not os.path.exists('/tmp/ran') or open('/tmp/ran').read() == '10050\\n'"
    outcome = run(sandbox, item, lay_out=False, env={**sandbox.env, **env})
    assert outcome.exit_code == 0, outcome.stderr.text()


def test_a_program_or_directory_that_is_missing_is_told(workshop: Workshop) -> None:
    nowhere = run(workshop.sandbox, "pass", cwd="/workspace/nowhere")
    assert (nowhere.ending, nowhere.refused) == (Ending.NOT_STARTED, "cwd")
    nothing = run(workshop.sandbox, "pass", argv=("no-such-python",))
    assert (nothing.ending, nothing.refused) == (Ending.NOT_STARTED, "program")
    # One that cannot serve is started for each command.
    shell = run(workshop.sandbox, "pass", argv=("sh", "-c", "test -z $GRADEBOX_SERVES && id -u"))
    assert shell.exit_code == 0
    assert shell.stdout.text() == "10050\n"


def test_an_item_runs_where_no_process_is_left_for_a_server(engine: DockerEngine, python_image: str) -> None:
    with Sandbox(engine, SandboxSpec(python_image, Limits(pids=1))) as sandbox:
        sandbox.snapshot()
        for _ in range(2):
            assert run(sandbox, "pass").exit_code == 0


@pytest.fixture(scope="module")
def apart() -> Iterator[Sandbox]:
    engine = DockerEngine()
    with Sandbox(engine, SandboxSpec(reference(languages.get("python").image), apart=True)) as sandbox:
        files = {"look.py": LOOK, "attack.py": ATTACK, "leaver.py": LEAVER, "contextlib.py": "mine = 1"}
        files["mine.py"] = "import contextlib"
        sandbox.put([file_entry(name, text.encode()) for name, text in files.items()], uid=sandbox.candidate_uid(1))
        sandbox.snapshot()
        yield sandbox
    engine.close()


LEAVER = """
import os, sys, time
def leave():
    sys.modules["left"] = os.environ["LEFT"] = "left"
    if not os.fork():
        os.setsid()
        if os.fork(): os._exit(0)
        os.close(0); os.close(1); os.close(2); time.sleep(60)
def others():
    return [os.stat(f"/proc/{n}").st_uid for n in os.listdir("/proc") if n.isdigit() and int(n) != os.getpid()]
"""


def judge(sandbox: Sandbox, item: str, n: int, *, forks: bool = True) -> Any:
    """Return what an item prints whose submission runs in a process of its own."""
    grader, first = sandbox.uid(n), sandbox.candidate_uid(n)
    sandbox.reset(first, grader=grader)
    around = {**sandbox.env, "HOME": GRADER_HOME, "TMPDIR": GRADER_TMPDIR}
    around["PATH"] = f"{CANDIDATE_DIRECTORY}:{around['PATH']}"
    argv = languages.get("python").argv(apart=True)
    users = Candidates(first)
    command = Command(argv, env=around, uid=grader, report=True, forks=forks, candidates=users)
    outcome = sandbox.run(replace(command, stdin=encode(TOKEN, item=item)))
    assert outcome.exit_code == 0, outcome.stderr.text()
    return json.loads(outcome.stdout.text())


def test_a_candidate_is_as_if_it_had_been_started(apart: Sandbox) -> None:
    item = "import json, look; print(json.dumps(look.myself()))"
    forked = judge(apart, item, 1)
    started = judge(apart, item, 1, forks=False)
    for each in (forked, started):
        # One interpreter has loaded what makes the other's sys.path.
        del each["flags"]
        assert len({each[name] for name in ("Uid", "Gid")}) == 1
    assert forked == started
    assert set(forked["CapEff"] + forked["CapPrm"] + forked["Groups"].strip()) == {"0"}
    assert (forked["PPid"], forked["oom"], forked["umask"]) == ("1", "1000\n", 2)
    whose = "import json, os, look; print(json.dumps([look.server(), look.status('self'), os.getuid()]))"
    server, status, grader = judge(apart, whose, 2)
    assert server > 1
    assert status["Uid"].split()[0] not in ("0", str(grader))
    assert judge(apart, whose, 3)[0] == server


def test_a_submission_has_its_own_modules_though_the_server_has_loaded_others(apart: Sandbox) -> None:
    item = "import mine, sys; print(mine.contextlib.mine if 'contextlib' in sys.modules else 0)"
    assert judge(apart, item, 4) == 1


def test_a_candidate_can_do_nothing_to_the_server(apart: Sandbox) -> None:
    assert judge(apart, "import attack", 4)[1] == []


def test_nothing_of_a_candidate_reaches_the_next(apart: Sandbox) -> None:
    who = "import leaver, json; print(json.dumps(sorted(set(leaver.others()))))"
    assert judge(apart, "import leaver; leaver.leave(); print(1)", 5) == 1
    assert judge(apart, who, 6) == [0, apart.uid(6)]
    # The grader ends while the candidate's process begins, which would wait for a message for ever.
    hasty = (
        "import os, sys, time\n"
        "os.mkfifo('/tmp/grader/fifo')\n"
        "stdin = os.open('/tmp/grader/fifo', os.O_RDWR)\n"
        "asked = sys._getframe(1).f_globals['requested']('/.candidate/socket', stdin, 1, 2)\n"
        "time.sleep({})\n"
        "os.write(1, b'1')\n"
        "os._exit(0)\n"
    ).replace("/tmp/grader", GRADER_TMPDIR)
    for n in range(7, 27):
        assert judge(apart, hasty.format((n - 7) / 5000), n) == 1
        assert judge(apart, who, 40 + n) == [0, apart.uid(40 + n)]
