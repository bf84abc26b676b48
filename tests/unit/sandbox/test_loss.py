"""Whose fault it is when a sandbox is lost under a command."""

from __future__ import annotations

import pytest

from sandbox import loss
from sandbox.ending import Fault, fault
from sandbox.engines.engine import ContainerState
from sandbox.types import Ending

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
        return loss.decide("Why.", state, own_kernel=own, silent=silent, killed=killed, wall_seconds=2).ending

    assert decided(own=False) is shared_kernel
    # A sandbox that runs on and has said nothing for long is stopped by what runs in it; cut off, it is lost.
    assert decided(own=True) is (own_kernel or (Ending.TIMED_OUT if silent else LOST))
    assert decided(own=True, killed=True) is LOST


@pytest.mark.parametrize("ending", [Ending.OUT_OF_MEMORY, Ending.TIMED_OUT, Ending.SANDBOX_LOST])
def test_no_loss_can_become_a_pass(ending: Ending) -> None:
    assert fault(ending) is (Fault.OURS if ending is Ending.SANDBOX_LOST else Fault.CANDIDATE)


def test_a_killed_sandbox_that_tells_no_reason_is_said_to_be_so() -> None:
    found = loss.decide("Why.", KILLED, own_kernel=True, silent=False, killed=False, wall_seconds=2)
    assert "tells no reason" in found.detail


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
    assert loss.sentence(state, said).endswith(sentence)
