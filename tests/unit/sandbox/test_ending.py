"""How a command ended, and whose fault that is."""

from __future__ import annotations

import errno
import signal

import pytest

from gradebox.sandbox.ending import Fault, decide, decide_lost, fault, why_lost
from gradebox.sandbox.engines.engine import ContainerState
from gradebox.sandbox.errors import ProtocolError
from gradebox.sandbox.protocol.frames import Cause
from gradebox.sandbox.types import Command, Ending, ResourceUsage

COMMAND = Command(("a",), wall_seconds=5, cpu_seconds=2.5, output_bytes=100)


@pytest.mark.parametrize(
    ("cause", "status", "oom_kills", "ending", "exit_code", "number"),
    [
        (Cause.ENDED, 0, 0, Ending.EXITED, 0, None),
        (Cause.ENDED, 3 << 8, 0, Ending.EXITED, 3, None),
        (Cause.ENDED, 127 << 8, 0, Ending.EXITED, 127, None),
        (Cause.ENDED, signal.SIGSEGV, 0, Ending.SIGNALLED, None, signal.SIGSEGV),
        (Cause.ENDED, signal.SIGSEGV | 0x80, 0, Ending.SIGNALLED, None, signal.SIGSEGV),
        (Cause.ENDED, signal.SIGKILL, 0, Ending.SIGNALLED, None, signal.SIGKILL),
        (Cause.ENDED, signal.SIGKILL, 1, Ending.OUT_OF_MEMORY, None, None),
        (Cause.ENDED, 1 << 8, 1, Ending.OUT_OF_MEMORY, None, None),
        (Cause.ENDED, 0, 1, Ending.EXITED, 0, None),
        (Cause.DEADLINE, 9, 0, Ending.TIMED_OUT, None, None),
        (Cause.DEADLINE, 9, 1, Ending.TIMED_OUT, None, None),
        (Cause.KILLED, 9, 0, Ending.TIMED_OUT, None, None),
        (Cause.CPU, 9, 0, Ending.TIMED_OUT, None, None),
        # What it had done by then does not matter.
        (Cause.CPU, 0, 0, Ending.TIMED_OUT, None, None),
        (Cause.STARVED, 9, 1, Ending.STARVED, None, None),
        (Cause.OUTPUT, 9, 0, Ending.OUTPUT_LIMIT, None, None),
        (Cause.NOT_STARTED, 0, 0, Ending.NOT_STARTED, None, None),
    ],
)
def test_ending(
    cause: Cause, status: int, oom_kills: int, ending: Ending, exit_code: int | None, number: int | None
) -> None:
    found = decide(cause, status, command=COMMAND, usage=ResourceUsage(oom_kills=oom_kills))
    assert (found.ending, found.exit_code, found.signal) == (ending, exit_code, number)


def test_lack_of_memory_outside_of_the_sandbox_is_not_the_candidates() -> None:
    def ending(status: int, oom_kills: int) -> Ending:
        return decide(
            Cause.ENDED, status, command=COMMAND, usage=ResourceUsage(oom_kills=oom_kills), within_limit=True
        ).ending

    assert ending(signal.SIGKILL, 1) is ending(1 << 8, 1) is Ending.SANDBOX_LOST
    assert fault(Ending.SANDBOX_LOST) is Fault.OURS
    # Nothing was killed, or nothing that mattered: it ended as it would have anyway.
    assert ending(signal.SIGKILL, 0) is Ending.SIGNALLED
    assert ending(0, 1) is Ending.EXITED


@pytest.mark.parametrize("status", [signal.SIGTRAP << 8 | 0x7F, 0xFFFF, 2**32, 2**64 - 1])
def test_a_status_with_which_nothing_ends_is_a_broken_protocol(status: int) -> None:
    with pytest.raises(ProtocolError, match="wait status"):
        decide(Cause.ENDED, status, command=COMMAND, usage=ResourceUsage())


def detail(cause: Cause, status: int = 9, **used: float) -> str:
    return decide(cause, status, command=COMMAND, usage=ResourceUsage(**used)).detail  # type: ignore[arg-type]


def test_the_sentence_names_the_limit_that_was_passed() -> None:
    assert "100 bytes" in detail(Cause.OUTPUT)
    assert "SIGSEGV" in detail(Cause.ENDED, signal.SIGSEGV)
    assert "signal 63" in detail(Cause.ENDED, 63)
    for stopping in (signal.SIGSTOP, signal.SIGTSTP):
        assert detail(Cause.ENDED, stopping) == f"It was stopped by {stopping.name}, and nothing continued it."


def test_every_time_out_names_processor_time_and_wall_time() -> None:
    assert detail(Cause.DEADLINE, wall_seconds=5.004, cpu_seconds=0.21) == (
        "It was still running after 5 s of wall time and about 0 s of processor time."
    )
    assert detail(Cause.CPU, wall_seconds=2.61, cpu_seconds=2.501) == (
        "It used up its 2.5 s of processor time, in about 2.5 s of wall time."
    )
    assert detail(Cause.KILLED, wall_seconds=1.26, cpu_seconds=0.6) == (
        "It was still running after about 1.25 s of wall time and about 0.625 s of processor time."
    )
    assert detail(Cause.DEADLINE, wall_seconds=35.21, cpu_seconds=1.2, held_up_seconds=30.2) == (
        "It was still running after about 35 s of wall time and about 1.25 s of processor time. "
        "Others kept the processors from it for about 30 s of them."
    )


def test_a_time_out_is_told_alike_in_every_run() -> None:
    told = {detail(Cause.CPU, wall_seconds=wall, held_up_seconds=held) for wall, held in ((2.5, 0.0), (2.7, 0.3))}
    assert len(told) == 1


def test_a_command_that_was_not_let_run_is_nobodys_failure_and_says_what_it_got() -> None:
    usage = ResourceUsage(wall_seconds=65.0, cpu_seconds=1.24, held_up_seconds=63.5)
    found = decide(Cause.STARVED, 9, command=COMMAND, usage=usage)
    assert (found.ending, fault(found.ending)) == (Ending.STARVED, Fault.OURS)
    assert "for 63.5 s of 65.0 s of wall time. It got 1.2 s of processor time." in found.detail


@pytest.mark.parametrize(
    ("ending", "whose"),
    [
        (Ending.EXITED, Fault.NONE),
        (Ending.SIGNALLED, Fault.CANDIDATE),
        (Ending.TIMED_OUT, Fault.CANDIDATE),
        (Ending.OUT_OF_MEMORY, Fault.CANDIDATE),
        (Ending.OUTPUT_LIMIT, Fault.CANDIDATE),
        (Ending.NOT_STARTED, Fault.AUTHOR),
        (Ending.SANDBOX_LOST, Fault.OURS),
        (Ending.STARVED, Fault.OURS),
    ],
)
def test_fault_of_each_ending(ending: Ending, whose: Fault) -> None:
    assert fault(ending, program="pytest") is whose


@pytest.mark.parametrize(
    ("program", "ours", "number", "whose"),
    [
        ("no-such-tool", True, errno.ENOENT, Fault.AUTHOR),
        ("/usr/bin/no-such-tool", False, errno.ENOENT, Fault.AUTHOR),
        ("./grade.sh", True, errno.EACCES, Fault.AUTHOR),
        # The task was to make this program, and the candidate did not.
        ("./build/program", False, errno.ENOENT, Fault.CANDIDATE),
        ("./build/program", False, errno.EACCES, Fault.CANDIDATE),
        ("pytest", True, errno.EAGAIN, Fault.OURS),
    ],
)
def test_fault_of_a_program_that_was_not_started(program: str, *, ours: bool, number: int, whose: Fault) -> None:
    assert fault(Ending.NOT_STARTED, errno=number, program=program, program_is_ours=ours) is whose


def test_a_working_directory_that_is_gone_is_the_candidates_doing() -> None:
    assert fault(Ending.NOT_STARTED, errno=errno.ENOENT, refused="cwd", program="pytest") is Fault.CANDIDATE


# Of a command whose sandbox was lost

RUNNING = ContainerState(running=True)
KILLED = ContainerState(running=False, exit_code=137)
OOM = ContainerState(running=False, exit_code=137, oom_killed=True)
ENDED = ContainerState(running=False, exit_code=70)
LOST = Ending.SANDBOX_LOST


@pytest.mark.parametrize("silent", [False, True])
@pytest.mark.parametrize(
    ("state", "shared_kernel", "own_kernel"),
    [
        (None, LOST, LOST),
        (RUNNING, LOST, None),
        (KILLED, LOST, Ending.OUT_OF_MEMORY),
        (OOM, Ending.OUT_OF_MEMORY, Ending.OUT_OF_MEMORY),
        (ENDED, LOST, LOST),
    ],
)
def test_only_what_the_candidate_alone_can_do_is_its_doing(
    state: ContainerState | None, shared_kernel: Ending, own_kernel: Ending | None, silent: bool
) -> None:
    def decided(*, own: bool, killed: bool = False) -> Ending:
        return decide_lost("Why.", state, own_kernel=own, silent=silent, killed=killed, wall_seconds=2).ending

    assert decided(own=False) is shared_kernel
    # A sandbox that runs on and has said nothing for long is stopped by what runs in it; cut off, it is lost.
    assert decided(own=True) is (own_kernel or (Ending.TIMED_OUT if silent else LOST))
    assert decided(own=True, killed=True) is LOST


@pytest.mark.parametrize("ending", [Ending.OUT_OF_MEMORY, Ending.TIMED_OUT, Ending.SANDBOX_LOST])
def test_no_loss_can_become_a_pass(ending: Ending) -> None:
    assert fault(ending) is (Fault.OURS if ending is Ending.SANDBOX_LOST else Fault.CANDIDATE)


def test_a_sandbox_killed_without_a_reason_ran_out_of_memory() -> None:
    found = decide_lost("Why.", KILLED, own_kernel=True, silent=False, killed=False, wall_seconds=2)
    assert "gives no reason" in found.detail


@pytest.mark.parametrize(
    ("state", "said", "sentence"),
    [
        (None, "", "was removed."),
        (RUNNING, "", "while its container was running."),
        (OOM, "", "ran out of memory."),
        (ENDED, "no room", "ended with exit status 70. Its last words: no room"),
        (ContainerState(running=False, exit_code=1, error="broken pipe"), "", "status 1. broken pipe"),
    ],
)
def test_it_is_said_why(state: ContainerState | None, said: str, sentence: str) -> None:
    assert why_lost(state, said).endswith(sentence)
