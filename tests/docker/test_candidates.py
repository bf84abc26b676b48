"""Grader and candidate as two users: what `candidate` starts, as whom, what it sees, and that it is dead at the end.

Everything is tried under the engine's own runtime, and under gVisor where the engine has it.
"""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable, Iterator

import pytest

from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.guarantees import is_gvisor
from gradebox.sandbox.limits import MIB, Limits
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import (
    CANDIDATE_DIRECTORY,
    CANDIDATE_TMPDIR,
    GRADER_HOME,
    GRADER_TMPDIR,
    HOME,
    Candidates,
    Command,
    Ending,
    Outcome,
    SandboxSpec,
)
from gradebox.sandbox.users import CANDIDATES

GRADER = 1
Grade = Callable[..., Outcome]


@pytest.fixture(scope="module", params=["", "runsc"], ids=["", "gvisor"])
def runtime(request: pytest.FixtureRequest, engine: DockerEngine) -> str:
    if request.param and request.param not in engine.info().runtimes:
        pytest.skip("The engine has no gVisor; `.ci/gvisor.sh` says why, or gives it one.")
    return str(request.param)


@pytest.fixture(autouse=True)
def nothing_left() -> None:
    """One sandbox serves all tests of a runtime, and is gone at the end of the module."""


@pytest.fixture(scope="module")
def opened(engine: DockerEngine, python_image: str, runtime: str) -> Iterator[Sandbox]:
    # gVisor's own memory counts as well.
    limits = Limits(memory_bytes=(1024 if is_gvisor(runtime) else 256) * MIB, pids=96)
    with Sandbox(engine, SandboxSpec(python_image, limits, apart=True, runtime=runtime or None)) as sandbox:
        sandbox.put(
            [file_entry("app.py", b"print(input())\n"), file_entry("d/note", b"")], uid=sandbox.candidate_uid(GRADER)
        )
        sandbox.snapshot()
        yield sandbox


@pytest.fixture
def grade(opened: Sandbox) -> Grade:
    """Run a shell line as the grader, in a fresh state with a hidden file."""
    uid, first = opened.uid(GRADER), opened.candidate_uid(GRADER)
    opened.reset(first, grader=uid)
    opened.put([file_entry("grading/secret", b"4711\n")], protect=True, grader=uid)
    env = {**opened.env, "HOME": GRADER_HOME, "TMPDIR": GRADER_TMPDIR}
    env["PATH"] = f"{CANDIDATE_DIRECTORY}:{env['PATH']}"

    def run(line: str, *, stdin: bytes = b"", own_stdout: bool = False, seconds: float = 30.0) -> Outcome:
        users = Candidates(first, own_stdout=own_stdout)
        return opened.run(
            Command(("bash", "-c", line), env=env, stdin=stdin, uid=uid, candidates=users, wall_seconds=seconds)
        )

    return run


def said(outcome: Outcome) -> str:
    assert (outcome.ending, outcome.stderr.text()) == (Ending.EXITED, "")
    return outcome.stdout.text().strip()


def test_bytes_go_in_and_come_out_and_the_status_is_the_programs(grade: Grade) -> None:
    assert said(grade("echo given | candidate python3 app.py")) == "given"
    statuses = "candidate sh -c 'exit 7'; echo $?; candidate sh -c 'kill -9 $$'; echo $?"
    assert said(grade(statuses)) == "7\n137"


def test_what_cannot_be_started_is_told_apart(grade: Grade) -> None:
    outcome = grade(
        "candidate nope; echo $?; candidate ./app.py; echo $?; candidate; echo $?; "
        "candidate --timeout x true; echo $?; cd; candidate true; echo $?"
    )
    assert outcome.stdout.text().split() == ["127", "126", "125", "125", "125"]
    assert "candidate: nope: No such file" in outcome.stderr.text()
    assert "cannot enter the working directory" in outcome.stderr.text()


def test_grader_and_candidate_are_two_users_with_homes_of_their_own(grade: Grade, opened: Sandbox) -> None:
    line = "id -u; echo $HOME $TMPDIR; touch $HOME/x $TMPDIR/x; stat -c %a $HOME"
    mine, homes, mode, theirs, other_homes, other_mode = said(grade(f"{line}; candidate sh -c '{line}'")).splitlines()
    assert (int(mine), homes, mode) == (opened.uid(GRADER), f"{GRADER_HOME} {GRADER_TMPDIR}", "700")
    assert (int(theirs), other_homes, other_mode) == (opened.candidate_uid(GRADER), f"{HOME} {CANDIDATE_TMPDIR}", "770")


@pytest.mark.parametrize(
    "line",
    [
        "cat grading/secret",
        f"ls {GRADER_HOME}",
        f"touch {GRADER_TMPDIR}/x",
        f"ls {CANDIDATE_DIRECTORY}",
        f"{CANDIDATE_DIRECTORY}/candidate true",
        "echo x >> grading/secret",
        "rm -rf grading/secret",
        "mv grading/secret taken",
        "echo x >> mine",
        "kill -9 $GRADER",
        "kill -STOP $GRADER",
        "cat /proc/$GRADER/mem",
        "cat /proc/$GRADER/fd/0",
        "ls /proc/$GRADER/cwd/",
        "renice 5 $GRADER",
    ],
)
def test_what_the_candidate_cannot_do_to_its_grader(grade: Grade, line: str, runtime: str) -> None:
    if is_gvisor(runtime) and "cwd" in line:
        pytest.skip("gVisor shows everybody the working directory of all; nothing in it is opened by that")
    if is_gvisor(runtime) and "renice" in line:
        pytest.skip("gVisor lets a process change the priority of others")
    outcome = grade(f"echo x > mine; GRADER=$$ candidate sh -c '{line}'; echo $?; cat grading/secret mine")
    status, *rest = outcome.stdout.text().split()
    assert status != "0"
    assert rest == ["4711", "x"]


def test_the_grader_reads_what_the_candidate_writes_and_the_other_way_round(grade: Grade) -> None:
    made = "candidate sh -c 'echo a > made; mkdir dir; echo b > dir/made'; cat made dir/made"
    assert said(grade(f"{made}; echo c > mine; candidate cat mine")).split() == ["a", "b", "c"]


def test_calls_one_after_the_other_are_one_user(grade: Grade) -> None:
    first = "candidate sh -c 'umask 077; echo a > kept; echo b > $HOME/kept'"
    assert said(grade(f"{first}; candidate sh -c 'cat kept $HOME/kept; rm kept; ls'")).split() == [
        "a",
        "b",
        "app.py",
        "d",
        "grading",
    ]


def test_calls_at_a_time_are_many_users_of_one_group(grade: Grade) -> None:
    call = "candidate sh -c 'echo $(id -u):$(id -g); echo > d/$$; sleep 0.5'"
    ids = said(grade(f"for i in $(seq {CANDIDATES + 4}); do {call} & done; wait"))
    users, groups = zip(*(pair.split(":") for pair in ids.split()), strict=True)
    assert len(users) == CANDIDATES + 4
    assert 4 < len(set(users)) <= CANDIDATES
    assert len(set(groups)) == 1


def test_the_graders_stdin_is_not_the_candidates(grade: Grade) -> None:
    assert said(grade("candidate cat; candidate cat < /dev/stdin; cat", stdin=b"expected")) == "expected"
    assert said(grade("candidate cat < grading/secret")) == "4711"


def test_the_graders_stdout_can_be_its_own(grade: Grade) -> None:
    outcome = grade(
        "echo verdict; candidate echo forged; candidate sh -c 'echo err >&2' 2>&1; candidate echo x | cat",
        own_stdout=True,
    )
    assert outcome.stdout.text() == "verdict\nx\n"
    assert outcome.stderr.text() == "forged\n"


def test_standard_streams_can_be_opened_again_in_their_direction(grade: Grade, runtime: str) -> None:
    line = "echo a | candidate sh -c 'cat /dev/stdin; echo b > /dev/stdout' | cat"
    assert said(grade(line)).split() == ["a", "b"]
    if not is_gvisor(runtime):
        assert said(grade("candidate sh -c 'cat < /dev/stdout' 2>&1 | grep -c denied")) == "1"


_FORKS = """
import os, signal
for number in set(range(1, 32)) - {9, 17, 19}: signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    while True: os.fork() and os._exit(0)
"""


# Such a process belongs to root in /proc; it takes the kernel long to end it.
_UNDUMPABLE = """
import ctypes, os, time
libc = ctypes.CDLL(None)
if os.fork() == 0:
    libc.prctl(4, 0, 0, 0, 0)
    for i in range(60): libc.inotify_init()
    time.sleep(1000)
time.sleep(0.5)
"""


@pytest.mark.parametrize(
    "argv",
    [
        ("sh", "-c", "sleep 1000 & sleep 0.1"),
        ("sh", "-c", "setsid sleep 1000 & sleep 0.1"),
        ("sh", "-c", '(setsid sh -c "sleep 1000 & sleep 1000" &) ; sleep 0.1'),
        ("python3", "-c", _FORKS),
        ("python3", "-c", _UNDUMPABLE),
    ],
    ids=["background", "session", "orphans", "fork chain", "undumpable"],
)
def test_all_of_it_is_dead_when_the_call_is_over(grade: Grade, argv: tuple[str, ...]) -> None:
    """The supervisor and the shell are all that is left."""
    look = "for place in /proc/[0-9]*; do cat $place/comm; done 2> /dev/null"
    outcome = grade(f"candidate --timeout 5 {shlex.join(argv)}; {look}", seconds=60)
    assert outcome.stdout.text().split()[:2] == ["supervisor", "bash"]
    assert set(outcome.stdout.text().split()[2:]) <= {"cat"}


def test_a_call_has_a_limit_of_time_and_ends_with_124(grade: Grade) -> None:
    outcome = grade("time candidate --timeout 0.5 sleep 1000; echo $?")
    assert outcome.stdout.text() == "124\n"
    assert outcome.usage.wall_seconds < 10


def test_a_program_that_is_stopped_and_that_nothing_continues_ends(grade: Grade, runtime: str) -> None:
    if is_gvisor(runtime):
        pytest.skip("gVisor does not say that a process is stopped.")
    continued = "candidate sh -c '(sleep 0.2; kill -CONT $$) & kill -STOP $$; echo on'"
    outcome = grade(f"{continued}; candidate sh -c 'kill -STOP $$'; echo $?", seconds=60)
    assert (outcome.stdout.text(), outcome.ending) == (f"on\n{128 + signal.SIGSTOP}\n", Ending.EXITED), outcome
    assert outcome.usage.wall_seconds < 40


def test_a_limit_of_time_counts_processor_time(grade: Grade) -> None:
    """Of two programs that take three seconds, the one that works is stopped; the limit of the other is longer."""
    busy = "import time\nend = time.monotonic() + 30\nwhile time.monotonic() < end: pass"
    line = f"candidate --timeout 1 python3 -c '{busy}'; echo $?; candidate --timeout 2 sleep 3; echo $?"
    outcome = grade(line)
    assert outcome.stdout.text().split() == ["124", "0"]
    assert outcome.usage.wall_seconds < 8


def test_a_limit_of_time_holds_while_the_supervisor_is_held_up(engine: DockerEngine, python_image: str) -> None:
    """A busy grader uses up the processor time of the sandbox, so the supervisor wakes late."""
    spec = SandboxSpec(python_image, Limits(memory_bytes=256 * MIB, cpus=0.2), apart=True)
    busy = "while :; do :; done & while :; do sleep 0.01; done &"
    line = f"{busy} for i in $(seq 20); do candidate --timeout 0.02 sleep 7; echo $?; done; kill $(jobs -p)"
    with Sandbox(engine, spec) as sandbox:
        env = {**sandbox.env, "PATH": f"{CANDIDATE_DIRECTORY}:{sandbox.env['PATH']}"}
        users = Candidates(sandbox.candidate_uid(GRADER), own_stdout=False)
        command = Command(
            ("bash", "-c", line),
            env=env,
            uid=sandbox.uid(GRADER),
            candidates=users,
            wall_seconds=30,
            patience_seconds=30,
        )
        outcome = sandbox.run(command)
    assert outcome.stdout.text().split() == ["124"] * 20


def test_a_call_whose_client_is_killed_is_over(grade: Grade) -> None:
    line = """
        candidate sleep 1000 & sleep 0.5
        kill -9 $!
        for i in $(seq 100); do grep -qx sleep /proc/[0-9]*/comm || break; cat /dev/null; done
        cat /proc/[0-9]*/comm
    """
    outcome = grade(line)
    assert outcome.stdout.text().split() == ["supervisor", "bash"]


def test_the_end_of_the_grader_is_the_end_of_all_calls(grade: Grade) -> None:
    outcome = grade("candidate sleep 1000 & sleep 0.3; exit 3")
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 3)
    assert outcome.usage.killed_processes >= 2


def test_the_deadline_of_the_grader_holds_for_its_calls(grade: Grade) -> None:
    assert grade("candidate sleep 1000", seconds=1).ending is Ending.TIMED_OUT


def test_a_call_has_a_limit_of_memory(grade: Grade, runtime: str) -> None:
    if is_gvisor(runtime):
        pytest.skip("gVisor does not hold this limit")
    line = "candidate --memory 64M python3 -c 'bytearray(200 << 20)' 2> /dev/null; echo $?"
    assert said(grade(line)) == "1"


_INHERITED = {
    "address space": ("ulimit -v 200000", "ulimit -v; ulimit -Hv", "200000 200000"),
    "soft limit": ("ulimit -Sn 40; ulimit -Hn 50", "ulimit -n; ulimit -Hn", "40 50"),
    "next to no files": ("ulimit -n 8", "ulimit -n", "8"),
    "processor time": ("ulimit -t 1", "while :; do :; done; echo never", ""),
    "stack": ("ulimit -Ss 1000", "ulimit -s", "1000"),
    "umask": ("umask 077", "umask", "0077"),
    "usual umask": (":", "umask", "0002"),
    "niceness": ("renice -n 5 $$ > /dev/null", "nice", "5"),
    "processors": ("taskset -p 1 $$ > /dev/null", "nproc", "1"),
}


@pytest.mark.parametrize(("before", "line", "printed"), _INHERITED.values(), ids=_INHERITED)
def test_a_program_inherits_the_limits_of_who_starts_it(
    grade: Grade, before: str, line: str, printed: str, runtime: str
) -> None:
    if runtime == "runsc":
        pytest.skip("gVisor enforces few limits")
    assert " ".join(said(grade(f"{before}; candidate bash -c '{line}'")).split()) == printed


def test_processor_time_of_the_candidate_counts(grade: Grade) -> None:
    code = "import time\nwhile time.process_time() < 0.5: pass"
    assert grade(f"candidate python3 -c '{code}'").usage.cpu_seconds >= 0.5


def test_a_fork_bomb_ends_with_its_call_and_the_grader_goes_on(grade: Grade) -> None:
    bomb = "import os\\nwhile True:\\n  try: os.fork()\\n  except OSError: pass"
    outcome = grade(
        f"candidate --timeout 2 python3 -c \"$(printf '{bomb}')\" 2> /dev/null; candidate echo alive", seconds=60
    )
    assert outcome.stdout.text() == "alive\n"


def test_nobody_else_can_ask(grade: Grade, opened: Sandbox) -> None:
    ask = (
        "import socket, sys\n"
        "s = socket.socket(socket.AF_UNIX)\n"
        f"try: s.connect('{CANDIDATE_DIRECTORY}/socket')\n"
        "except PermissionError: print('refused')"
    )
    assert said(grade(f'candidate python3 -c "{ask}"')) == "refused"
    outcome = opened.run(
        Command(("sh", "-c", f"{CANDIDATE_DIRECTORY}/candidate true"), uid=opened.candidate_uid(GRADER))
    )
    assert outcome.exit_code == 126


@pytest.mark.parametrize(
    "attempt",
    [
        "s.sendall(b'x' * 32)",
        "s.sendall(b'x')",
        "socket.send_fds(s, [b'x' * 32], [0, 1, 2])",
        "socket.send_fds(s, [struct.pack('QQIIQ', 0, 0, 2**32 - 1, 1, 0)], [0, 1, 2, 0])",
        "socket.send_fds(s, [struct.pack('QQIIQ', 0, 0, 10, 10**9, 1)], [0, 1, 2, 0])",
        "socket.send_fds(s, [struct.pack('QQIIQ', 0, 0, 10, 1, 1)], [0, 1, 2, os.pipe()[0]])",
        "socket.send_fds(s, [b'x' * 32], list(range(3)) * 20)",
        "s.shutdown(socket.SHUT_WR)",
    ],
)
def test_a_request_that_makes_no_sense_starts_nothing(grade: Grade, attempt: str) -> None:
    program = (
        "import os, socket, struct\n"
        "s = socket.socket(socket.AF_UNIX)\n"
        f"s.connect('{CANDIDATE_DIRECTORY}/socket')\n"
        f"{attempt}\n"
        "while s.recv(100): pass"
    )
    assert said(grade(f'python3 -c "{program}"; candidate echo fine', seconds=10)) == "fine"


def test_a_sandbox_that_is_not_apart_has_no_such_program(sandbox: Sandbox) -> None:
    outcome = sandbox.run(Command(("ls", CANDIDATE_DIRECTORY), uid=10_001))
    assert outcome.exit_code == 2
