"""Decides how a command ended, and whose fault that is. Pure.

This is the only place where "the candidate's", "the author's" and "ours" are told apart.
"""

from __future__ import annotations

import os
from enum import StrEnum
from typing import NamedTuple, assert_never

from sandbox.errors import ProtocolError
from sandbox.linux import Errno, signal_name
from sandbox.protocol.frames import Cause
from sandbox.types import WORKSPACE, Ending


class Fault(StrEnum):
    """Who answers for an ending."""

    NONE = "none"
    CANDIDATE = "candidate"
    AUTHOR = "author"
    OURS = "ours"


class Decided(NamedTuple):
    """An ending with what belongs to it."""

    ending: Ending
    exit_code: int | None
    signal: int | None
    detail: str


def decide(
    cause: Cause,
    status: int,
    *,
    oom_kills: int,
    wall_seconds: float,
    output_bytes: int,
    message: str = "",
    within_limit: bool = False,
) -> Decided:
    """Decide the ending of a command from what the supervisor saw.

    Args:
        cause: Why the supervisor called it over.
        status: The wait status of the command's first process.
        oom_kills: Processes that the kernel killed for lack of memory meanwhile.
        wall_seconds: The command's deadline, for the sentence.
        output_bytes: The command's output limit, for the sentence.
        message: What the supervisor said when it could not start the command.
        within_limit: Whether the container is known not to have met its own limit of memory meanwhile.

    Raises:
        ProtocolError: If nothing ends with that status.
    """
    match cause:
        case Cause.NOT_STARTED:
            return Decided(Ending.NOT_STARTED, None, None, message)
        case Cause.DEADLINE | Cause.KILLED:
            return Decided(Ending.TIMED_OUT, None, None, f"It was still running after {wall_seconds:g} s.")
        case Cause.OUTPUT:
            return Decided(Ending.OUTPUT_LIMIT, None, None, f"It printed more than {output_bytes} bytes to one stream.")
        case Cause.ENDED:
            return _ended(status, oom_kills, within_limit=within_limit)
        case _:  # pragma: no cover - mypy proves it unreachable
            assert_never(cause)


def _ended(status: int, oom_kills: int, *, within_limit: bool) -> Decided:
    try:
        exit_code = os.waitstatus_to_exitcode(status)
    except (ValueError, OverflowError):
        # Of a process that was stopped, or no status at all.
        raise ProtocolError(f"The supervisor named the wait status {status}, with which nothing ends.") from None
    if oom_kills and exit_code != 0 and within_limit:
        # Its processes are those that the kernel kills first, whoever has used up the machine's memory.
        return Decided(
            Ending.SANDBOX_LOST,
            None,
            None,
            "The machine, or what limits the engine, ran out of memory, and the kernel killed a process of it.",
        )
    if oom_kills and exit_code != 0:
        # The process that was killed need not be the first one: a runner that reports "worker died" exits with 1.
        return Decided(Ending.OUT_OF_MEMORY, None, None, "The kernel killed a process of it for lack of memory.")
    if exit_code < 0:
        return Decided(Ending.SIGNALLED, None, -exit_code, f"It was ended by {signal_name(-exit_code)}.")
    return Decided(Ending.EXITED, exit_code, None, "")


def fault(
    ending: Ending, *, errno: int = 0, refused: str = "", program: str = "", program_is_ours: bool = True
) -> Fault:
    """Say whose fault an ending is.

    A program that is missing is the author's fault, unless the command names it by a path in the workspace and the
    case does not bring that file: then it was the candidate's to make.

    Args:
        ending: How the command ended.
        errno: Why it was not started.
        refused: What could not be used then, ``program`` or ``cwd``. A working directory is in the workspace, where
            the candidate had to leave or make it.
        program: The first word of the command.
        program_is_ours: Whether the case brings the file that `program` names.
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
        case Ending.SANDBOX_LOST:
            return Fault.OURS
        case _:  # pragma: no cover - mypy proves it unreachable
            assert_never(ending)
