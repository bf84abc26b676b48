"""Every defence bites: an attack that fails succeeds as soon as that one defence is switched off."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from defence_attacks import ATTACKS
from defence_room import Room
from weakened_defences import Defence, switched_off

from gradebox.sandbox.guarantees import is_gvisor

# What holds there with a defence or without, or has nothing to be held: these are defences of another kernel.
NOT_UNDER_GVISOR = {
    Defence.NETWORK: "it is registered without a network",
    Defence.CAPABILITIES: "it lets root make nodes of devices, of which it has none",
    Defence.NO_NEW_PRIVILEGES: "it gives nobody rights for a set-uid bit",
    Defence.ENGINE_SECCOMP: "it gives nobody a key",
    Defence.SYSCALL_FILTER: "it gives nobody a key",
    Defence.CGROUP_NAMESPACE: "it shows a process the name of its container",
    Defence.MASKED_PATHS: "it has no /proc/vmstat",
    Defence.PROCESS_LIMIT: "the engine's limit is that of its own threads; the candidate's are counted inside",
    Defence.FILE_COUNT_LIMIT: "it has no limit for the number of files but memory",
    Defence.SUPERVISOR_UNDUMPABLE: "it shows everybody the maps of all, and no memory",
    Defence.GRADER_SHIELDED: "it lets nobody read the memory of others anyway",
    Defence.FORK_SERVER_USER: "each item is started by itself there",
    Defence.OOM_SCORE: "who exhausts memory ends all of it",
}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    room = Room(tmp_path_factory.mktemp("room"))
    yield room
    room.close()


def test_every_defence_has_an_attack() -> None:
    assert set(ATTACKS) == set(Defence)


@pytest.mark.parametrize("defence", ATTACKS)
def test_it_is_this_defence_that_holds_the_attack(defence: Defence, room: Room, runtime: str) -> None:
    if is_gvisor(runtime) and defence in NOT_UNDER_GVISOR:
        pytest.skip(f"gVisor: {NOT_UNDER_GVISOR[defence]}")
    attack = ATTACKS[defence]
    with switched_off(*attack.behind):
        assert not attack.succeeds(room), "with it the attack fails"
        with switched_off(defence):
            assert attack.succeeds(room), "without it the attack succeeds"
