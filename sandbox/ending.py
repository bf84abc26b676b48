"""Decides how a command ended, and whose fault that is. Pure.

Only this module distinguishes faults of the candidate, of the case's author, and of gradebox. A lost sandbox says
nothing about the candidate, with two exceptions. Lack of memory is the candidate's fault, since nothing else in the
sandbox can use so much. And a runtime with its own kernel runs the candidate inside the runtime's processes: exhausting
them ends or stops the whole sandbox, often without a reason that the engine could report. Neither can become a pass.
"""

from __future__ import annotations

import os
from enum import StrEnum
from typing import NamedTuple, assert_never

from gradebox.sandbox.engines.engine import KILLED, ContainerState
from gradebox.sandbox.errors import ProtocolError
from gradebox.sandbox.linux import Errno, signal_name
from gradebox.sandbox.protocol.frames import Cause
from gradebox.sandbox.types import WORKSPACE, Command, Ending, ResourceUsage

# No process ends by these signals. The supervisor ends one that they have stopped for ten seconds.
_STOPPING = frozenset(("SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU"))


class Fault(StrEnum):
    """Who is responsible for an ending."""

    NONE = "none"
    CANDIDATE = "candidate"
    AUTHOR = "author"
    OURS = "ours"


class Decided(NamedTuple):
    """An ending with its exit code or signal, and a sentence that explains it if one is needed."""

    ending: Ending
    exit_code: int | None
    signal: int | None
    detail: str


def decide(
    cause: Cause, status: int, *, command: Command, usage: ResourceUsage, message: str = "", within_limit: bool = False
) -> Decided:
    """Decide the ending of a command from the supervisor's observations.

    Args:
        cause: Why the supervisor considers the command ended.
        status: The wait status of the command's first process.
        command: The command, whose limits the explanation names.
        usage: The resources that the command used.
        message: Why the supervisor could not start the command.
        within_limit: Whether the container certainly stayed within its own memory limit.

    Raises:
        ProtocolError: If no process can end with that status.
    """
    match cause:
        case Cause.NOT_STARTED:
            return Decided(Ending.NOT_STARTED, None, None, message)
        case Cause.DEADLINE | Cause.KILLED | Cause.CPU:
            return Decided(Ending.TIMED_OUT, None, None, _late(cause, command, usage))
        case Cause.STARVED:
            return Decided(Ending.STARVED, None, None, _starved(usage))
        case Cause.OUTPUT:
            what = f"It printed more than {command.output_bytes} bytes to one stream."
            return Decided(Ending.OUTPUT_LIMIT, None, None, what)
        case Cause.ENDED:
            return _ended(status, usage.oom_kills, within_limit=within_limit)
        case _:  # pragma: no cover - mypy proves it unreachable
            assert_never(cause)


def _late(cause: Cause, command: Command, usage: ResourceUsage) -> str:
    # Measured times are rounded, so that the sentence is the same in every run; the outcome has the exact ones.
    step = (command.cpu_seconds or command.wall_seconds) / 4
    wall, cpu, held = (
        round(value / step) * step for value in (usage.wall_seconds, usage.cpu_seconds, usage.held_up_seconds)
    )
    others = f" Others kept the processors from it for about {held:g} s of them." if held >= 2 * step else ""
    if cause is Cause.CPU:
        used = f"It used up its {command.cpu_seconds or 0.0:g} s of processor time"
        return f"{used}, in about {wall:g} s of wall time.{others}"
    ran = f"about {wall:g}" if others or cause is Cause.KILLED else f"{command.wall_seconds:g}"
    return f"It was still running after {ran} s of wall time and about {cpu:g} s of processor time.{others}"


def _starved(usage: ResourceUsage) -> str:
    return (
        "The machine was too busy. The command could run, and others kept the processors from it for "
        f"{usage.held_up_seconds:.1f} s of {usage.wall_seconds:.1f} s of wall time. "
        f"It got {usage.cpu_seconds:.1f} s of processor time."
    )


def _ended(status: int, oom_kills: int, *, within_limit: bool) -> Decided:
    try:
        exit_code = os.waitstatus_to_exitcode(status)
    except (ValueError, OverflowError):
        # Only a stopped process has this status, or no process at all.
        raise ProtocolError(f"The supervisor reported the wait status {status}, with which no process ends.") from None
    if oom_kills and exit_code != 0 and within_limit:
        # The kernel kills the candidate's processes first, whichever process used up the machine's memory.
        return Decided(
            Ending.SANDBOX_LOST,
            None,
            None,
            "The machine or the engine's own limit ran out of memory, and the kernel killed one of its processes.",
        )
    if oom_kills and exit_code != 0:
        # The killed process need not be the first one: a test runner whose worker was killed exits with 1.
        return Decided(Ending.OUT_OF_MEMORY, None, None, "The kernel killed one of its processes for lack of memory.")
    if exit_code < 0:
        name = signal_name(-exit_code)
        what = f"stopped by {name}, and nothing continued it" if name in _STOPPING else f"ended by {name}"
        return Decided(Ending.SIGNALLED, None, -exit_code, f"It was {what}.")
    return Decided(Ending.EXITED, exit_code, None, "")


class LostEnding(NamedTuple):
    """The ending of a command whose sandbox was lost, and a sentence about it."""

    ending: Ending
    detail: str


def decide_lost(
    why: str, state: ContainerState | None, *, own_kernel: bool, silent: bool, killed: bool, wall_seconds: float
) -> LostEnding:
    """Decide the ending of a command whose sandbox was lost.

    Args:
        why: What is known so far, one sentence.
        state: The container's state after the loss; None if it is gone or the engine does not report it.
        own_kernel: Whether the sandbox has its own kernel.
        silent: Whether the sandbox was still connected, but silent long after the command's deadline.
        killed: Whether we killed the container ourselves.
        wall_seconds: The command's deadline.
    """
    if killed or state is None:
        return LostEnding(Ending.SANDBOX_LOST, why)
    if not state.running and state.oom_killed:
        return LostEnding(Ending.OUT_OF_MEMORY, why_lost(state, ""))
    if own_kernel and not state.running and state.exit_code == KILLED:
        return LostEnding(
            Ending.OUT_OF_MEMORY,
            "The whole sandbox was killed while it ran. Its runtime gives no reason; the usual one is lack of memory.",
        )
    if own_kernel and silent and state.running:
        return LostEnding(
            Ending.TIMED_OUT,
            f"It was still running after {wall_seconds:g} s of wall time, and the kernel of its sandbox stopped "
            "answering. Its processor time is not known.",
        )
    return LostEnding(Ending.SANDBOX_LOST, why)


def why_lost(state: ContainerState | None, last_words: str) -> str:
    """Return why the supervisor is gone.

    Args:
        state: The state of its container, None if the container is gone.
        last_words: The supervisor's stderr.
    """
    if state is None:
        why = "The container of the sandbox was removed."
    elif state.running:
        why = "The connection to the sandbox ended while its container was running."
    elif state.oom_killed:
        why = "The container of the sandbox ran out of memory."
    else:
        why = f"The container of the sandbox ended with exit status {state.exit_code}."
    error = state.error if state else ""
    return " ".join(filter(None, (why, error, last_words and f"Its last words: {last_words}")))


def fault(
    ending: Ending, *, errno: int = 0, refused: str = "", program: str = "", program_is_ours: bool = True
) -> Fault:
    """Return whose fault an ending is.

    A missing program is the author's fault, unless the command names it by a path in the workspace and the case does
    not have that file: then the candidate had to create it.

    Args:
        ending: How the command ended.
        errno: The error that prevented its start.
        refused: What this error concerned, ``program`` or ``cwd``. The working directory is in the workspace, where the
            candidate had to keep or create it.
        program: The first word of the command.
        program_is_ours: Whether the case has the file that `program` names.
    """
    match ending:
        case Ending.EXITED:
            return Fault.NONE
        case Ending.SIGNALLED | Ending.TIMED_OUT | Ending.OUT_OF_MEMORY | Ending.OUTPUT_LIMIT:
            return Fault.CANDIDATE
        case Ending.NOT_STARTED:
            if errno in (Errno.EAGAIN, Errno.ENOMEM):
                return Fault.OURS
            if refused == "cwd":
                return Fault.CANDIDATE
            in_workspace = "/" in program and (not program.startswith("/") or program.startswith(f"{WORKSPACE}/"))
            return Fault.CANDIDATE if in_workspace and not program_is_ours else Fault.AUTHOR
        case Ending.SANDBOX_LOST | Ending.STARVED:
            return Fault.OURS
        case _:  # pragma: no cover - mypy proves it unreachable
            assert_never(ending)
