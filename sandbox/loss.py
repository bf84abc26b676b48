"""Decides what a sandbox that was lost under a command means for the command. Pure.

A sandbox that ends without us is an accident and says nothing about the candidate, with two exceptions. The kernel
killed it for lack of memory: only the candidate can use that up. And a runtime with a kernel of its own runs the
candidate within the processes of that kernel: what exhausts them ends or stops the whole sandbox, often without a
reason that the engine could tell. None of this can become a pass.
"""

from __future__ import annotations

from typing import NamedTuple

from sandbox.engines.engine import KILLED, ContainerState
from sandbox.types import Ending


class Loss(NamedTuple):
    """How a command ended that took its sandbox with it, and a sentence about it."""

    ending: Ending
    detail: str


def decide(
    why: str, state: ContainerState | None, *, own_kernel: bool, silent: bool, killed: bool, wall_seconds: float
) -> Loss:
    """Decide how a command ended whose sandbox was lost.

    Args:
        why: What is known already, one sentence.
        state: Of the container, after the loss; None when there is none or the engine does not say.
        own_kernel: Whether the sandbox has a kernel of its own.
        silent: Whether the sandbox was still connected, and said nothing long after the command's deadline.
        killed: Whether we have killed it ourselves.
        wall_seconds: The command's deadline.
    """
    if killed or state is None:
        return Loss(Ending.SANDBOX_LOST, why)
    if not state.running and state.oom_killed:
        return Loss(Ending.OUT_OF_MEMORY, sentence(state, ""))
    if own_kernel and not state.running and state.exit_code == KILLED:
        return Loss(
            Ending.OUT_OF_MEMORY,
            "The whole sandbox was killed while it ran. Its runtime tells no reason; lack of memory is the usual one.",
        )
    if own_kernel and silent and state.running:
        return Loss(
            Ending.TIMED_OUT,
            f"It was still running after {wall_seconds:g} s, and the kernel of its sandbox no longer answered.",
        )
    return Loss(Ending.SANDBOX_LOST, why)


def sentence(state: ContainerState | None, said: str) -> str:
    """Say why the supervisor is gone.

    Args:
        state: Of its container, None if there is none.
        said: Its last words.
    """
    if state is None:
        why = "The container of the sandbox was removed."
    elif state.running:
        why = "The connection to the sandbox ended while its container was running."
    elif state.oom_killed:
        why = "The container of the sandbox ran out of memory."
    else:
        why = f"The container of the sandbox ended with exit status {state.exit_code}."
    return " ".join(part for part in (why, state.error if state else "", said and f"Its last words: {said}") if part)
