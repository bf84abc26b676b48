"""What is reported when a sandbox does not enforce what was requested."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gradebox.sandbox.guarantees import CAPABILITY_BITS, Guarantees, TmpfsSize, broken_promises, gaps, missing
from gradebox.sandbox.limits import Limits, Network
from gradebox.sandbox.types import Filter, SandboxSpec
from gradebox.sandbox.walls import Wall, sentences

KEPT = Guarantees(seccomp=True, no_new_privileges=True, capabilities=CAPABILITY_BITS, root_read_only=True)
SPEC = SandboxSpec("image")
SHOWN = replace(
    KEPT,
    filter=Filter.DEFAULT,
    memory_limit_bytes=SPEC.limits.memory_bytes,
    pids_limit=SPEC.limits.pids + 1,
    swap_bytes=0,
    cpus=1.0,
    open_files=SPEC.limits.open_files,
    tmpfs_sizes={
        "/workspace": TmpfsSize(SPEC.limits.disk_bytes, SPEC.limits.disk_files),
        "/tmp": TmpfsSize(SPEC.limits.tmp_bytes, SPEC.limits.disk_files),
        "/dev/shm": TmpfsSize(SPEC.limits.shm_bytes, 3_000_000),
    },
)


def test_a_runtime_that_was_not_used_is_no_gap_but_a_broken_promise() -> None:
    spec = SandboxSpec("image", runtime="runsc")
    (told,) = broken_promises(replace(KEPT, own_kernel=False), spec)
    assert told == "The sandbox uses the machine's kernel instead of the runtime runsc."
    assert not broken_promises(replace(KEPT, own_kernel=True), spec)


def test_a_sandbox_that_shows_all_it_was_asked_has_no_gaps() -> None:
    assert gaps(SHOWN, SPEC) == ()


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        ({"filter": Filter.NONE}, "accepted no system call filter"),
        ({"memory_limit_bytes": None}, "memory limit cannot be read"),
        ({"pids_limit": None}, "limit of processes cannot be read"),
        ({"swap_bytes": None}, "Swap is not limited"),
        ({"swap_bytes": 1 << 20}, "Swap is not limited"),
        ({"cpus": None}, "processor quota cannot be read"),
        ({"cpus": 2.0}, "2 processors instead of 1"),
        ({"tmpfs_sizes": {**SHOWN.tmpfs_sizes, "/tmp": TmpfsSize(1 << 40, 10)}}, "size of /tmp"),
        ({"tmpfs_sizes": {**SHOWN.tmpfs_sizes, "/dev/shm": TmpfsSize(0, 0)}}, "size of /dev/shm"),
        (
            {"tmpfs_sizes": {**SHOWN.tmpfs_sizes, "/workspace": TmpfsSize(SPEC.limits.disk_bytes, 0)}},
            "number of files in /workspace",
        ),
        ({"own_kernel": True, "memory_limit_bytes": None, "pids_limit": None, "cpus": None}, "gVisor shows no cgroup"),
    ],
)
def test_a_limit_that_a_sandbox_does_not_show_is_a_gap(seen: dict[str, Any], said: str) -> None:
    (found,) = gaps(replace(SHOWN, **seen), SPEC)
    assert said in found


def test_an_engine_that_leaves_open_files_to_the_supervisor_has_no_gap() -> None:
    """Rootless Podman does; every command gets the limit from the supervisor, which no command can raise."""
    assert gaps(replace(SHOWN, open_files=1 << 20), SPEC) == ()


def test_a_network_that_may_be_there_and_is_not_is_a_gap() -> None:
    spec = SandboxSpec("image", Limits(network=Network.BRIDGE))
    assert gaps(SHOWN, spec) == ("The sandbox has no network although one was requested.",)
    assert gaps(replace(SHOWN, interfaces=("eth0",)), spec) == ()


def test_kept_promises_are_silent() -> None:
    assert broken_promises(KEPT, SandboxSpec("image")) == ()


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        ({"interfaces": ("eth0",)}, "eth0"),
        ({"root_read_only": False}, "writable"),
        ({"no_new_privileges": False}, "no-new-privileges"),
        ({"capabilities": CAPABILITY_BITS | 1 << 21}, "0x200000"),
        ({"memory_limit_bytes": 1 << 62}, "memory limit"),
        ({"pids_limit": 1 << 20}, "process limit"),
    ],
)
def test_a_broken_promise_is_said(seen: dict[str, Any], said: str) -> None:
    (found,) = broken_promises(replace(KEPT, **seen), SandboxSpec("image"))
    assert said in found


def test_interfaces_are_no_surprise_where_a_network_was_wanted() -> None:
    spec = SandboxSpec("image", Limits(network=Network.BRIDGE))
    assert broken_promises(replace(KEPT, interfaces=("eth0",)), spec) == ()


def test_without_an_engine_missing_walls_are_gaps_and_not_broken_promises() -> None:
    bare = Guarantees(
        interfaces=("eth0",),
        no_new_privileges=True,
        capabilities=CAPABILITY_BITS,
        filter=Filter.DEFAULT,
        tmpfs_sizes={"/workspace": TmpfsSize(1 << 40, 0)},
        lacks=(Wall.FILES, Wall.NETWORK, Wall.LIMITS),
    )
    assert broken_promises(bare, SPEC) == ()
    assert gaps(bare, SPEC) == sentences(bare.lacks)
    assert bare.limits_users
    assert missing(bare, SPEC) == bare.lacks
    assert missing(bare, replace(SPEC, accepted=frozenset({Wall.FILES, Wall.LIMITS}))) == (Wall.NETWORK,)
    # What only one of them explains is still a broken promise without it.
    for wall in (Wall.FILES, Wall.NETWORK):
        assert len(broken_promises(replace(bare, lacks=tuple({*bare.lacks} - {wall})), SPEC)) == 1
