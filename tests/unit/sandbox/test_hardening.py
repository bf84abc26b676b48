"""What a sandbox is asked to be, and what is said when it is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sandbox.engines.engine import ImageInfo
from sandbox.hardening import (
    CAPABILITIES,
    CAPABILITY_BITS,
    LABEL_LOCALHOST,
    SENTRY_BYTES,
    SENTRY_PIDS,
    broken_promises,
    create_body,
    gaps,
    volume_mount,
    without_file_limits,
)
from sandbox.types import (
    Filter,
    Guarantees,
    Limits,
    Network,
    Room,
    SandboxSpec,
)

IMAGE = ImageInfo("sha256:1", "image", volumes=("/data",), labels={LABEL_LOCALHOST: "myhostname"})
KEPT = Guarantees(seccomp=True, no_new_privileges=True, capabilities=CAPABILITY_BITS, root_read_only=True)
# linux/capability.h
NUMBERS = {"CHOWN": 0, "DAC_OVERRIDE": 1, "FOWNER": 3, "KILL": 5, "SETGID": 6, "SETUID": 7}


def body(spec: SandboxSpec, image: ImageInfo = IMAGE) -> dict[str, Any]:
    return create_body(spec, image, mount=volume_mount("volume", {}, read_only=True), labels={"a": "b"})


def test_everything_is_closed_by_default() -> None:
    found = body(SandboxSpec("image"))
    host = found["HostConfig"]
    assert found["NetworkDisabled"]
    assert host["NetworkMode"] == "none"
    assert host["ReadonlyRootfs"]
    assert host["CapDrop"] == ["ALL"]
    assert host["SecurityOpt"] == ["no-new-privileges"]
    assert host["MemorySwap"] == host["Memory"] == Limits().memory_bytes
    assert host["PidsLimit"] == Limits().pids + 1
    assert host["LogConfig"] == {"Type": "none"}
    assert found["Env"] == []
    assert "Binds" not in host
    assert [(mount["Type"], mount["ReadOnly"]) for mount in host["Mounts"]] == [("volume", True)]


def test_nothing_writable_is_without_a_size() -> None:
    tmpfs = body(SandboxSpec("image"))["HostConfig"]["Tmpfs"]
    assert set(tmpfs) == {"/.gradebox", "/workspace", "/tmp", "/data"}
    for options in tmpfs.values():
        assert "size=" in options
        assert {"nosuid", "nodev"} <= set(options.split(","))


def test_only_the_limit_of_files_is_left_out_for_engines_that_refuse_it() -> None:
    asked = body(SandboxSpec("image"))
    asked["HostConfig"]["Tmpfs"] = {"/workspace": "rw,nosuid,size=100,nr_inodes=7", "/data": "rw,size=5"}
    found = without_file_limits(asked)
    assert found["HostConfig"].pop("Tmpfs") == {"/workspace": "rw,nosuid,size=100", "/data": "rw,size=5"}
    assert asked["HostConfig"].pop("Tmpfs")["/workspace"].endswith("nr_inodes=7")
    assert found == asked


def test_a_runtime_that_was_not_used_is_no_gap_but_a_broken_promise() -> None:
    spec = SandboxSpec("image", runtime="runsc")
    (told,) = broken_promises(replace(KEPT, own_kernel=False), spec)
    assert told == "The sandbox was to have the runtime runsc and has the machine's kernel."
    assert not broken_promises(replace(KEPT, own_kernel=True), spec)


def test_the_network_is_opened_only_when_asked() -> None:
    found = body(SandboxSpec("image", Limits(network=Network.BRIDGE)))
    assert not found["NetworkDisabled"]
    assert found["HostConfig"]["NetworkMode"] == "bridge"


def test_an_image_that_needs_etc_hosts_gets_one_and_none_of_the_machine_s_names() -> None:
    found = body(SandboxSpec("image"), replace(IMAGE, labels={}))
    assert not found["NetworkDisabled"]
    host = found["HostConfig"]
    assert (host["NetworkMode"], host["Dns"], host["DnsSearch"]) == ("none", ["127.0.0.1"], ["."])


def test_a_runtime_is_named_only_when_asked() -> None:
    assert "Runtime" not in body(SandboxSpec("image"))["HostConfig"]
    assert body(SandboxSpec("image", runtime="runsc"))["HostConfig"]["Runtime"] == "runsc"


def test_a_label_of_the_caller_cannot_replace_ours() -> None:
    assert body(SandboxSpec("image", labels={"a": "other"}))["Labels"] == {"a": "b"}


def test_capability_bits_are_those_of_the_names() -> None:
    assert sum(1 << NUMBERS[name] for name in CAPABILITIES) == CAPABILITY_BITS


def test_gvisor_gets_room_for_its_own_processes() -> None:
    host = body(SandboxSpec("image", runtime="runsc"))["HostConfig"]
    assert host["PidsLimit"] == Limits().pids + 1 + SENTRY_PIDS
    assert host["MemorySwap"] == host["Memory"] == Limits().memory_bytes + SENTRY_BYTES


def test_the_level_of_the_filter_is_the_supervisor_s_last_word() -> None:
    assert body(SandboxSpec("image", filter=Filter.STRICT))["Cmd"][2:] == ["strict"]
    assert body(SandboxSpec("image"))["Cmd"][2:] == ["default"]


def test_paths_are_hidden_only_when_asked_since_that_replaces_the_engine_s_own_list() -> None:
    assert "MaskedPaths" not in body(SandboxSpec("image"))["HostConfig"]
    assert body(SandboxSpec("image", masked=("/proc/a",)))["HostConfig"]["MaskedPaths"] == ["/proc/a"]


SPEC = SandboxSpec("image")
SHOWN = replace(
    KEPT,
    filter=Filter.DEFAULT,
    memory_limit_bytes=SPEC.limits.memory_bytes,
    pids_limit=SPEC.limits.pids + 1,
    swap_bytes=0,
    cpus=1.0,
    open_files=SPEC.limits.open_files,
    rooms={
        "/workspace": Room(SPEC.limits.disk_bytes, SPEC.limits.disk_files),
        "/tmp": Room(SPEC.limits.tmp_bytes, SPEC.limits.disk_files),
        "/dev/shm": Room(SPEC.limits.shm_bytes, 3_000_000),
    },
)


def test_a_sandbox_that_shows_all_it_was_asked_has_no_gaps() -> None:
    assert gaps(SHOWN, SPEC) == ()


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        ({"filter": Filter.NONE}, "took no filter"),
        ({"memory_limit_bytes": None}, "memory limit cannot be read"),
        ({"pids_limit": None}, "limit of processes cannot be read"),
        ({"swap_bytes": None}, "Swap is not limited"),
        ({"swap_bytes": 1 << 20}, "Swap is not limited"),
        ({"cpus": None}, "processor quota cannot be read"),
        ({"cpus": 2.0}, "2 processors instead of 1"),
        ({"rooms": {**SHOWN.rooms, "/tmp": Room(1 << 40, 10)}}, "size of /tmp"),
        ({"rooms": {**SHOWN.rooms, "/dev/shm": Room(0, 0)}}, "size of /dev/shm"),
        ({"rooms": {**SHOWN.rooms, "/workspace": Room(SPEC.limits.disk_bytes, 0)}}, "number of files in /workspace"),
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
    assert gaps(SHOWN, spec) == ("The sandbox has no network though it may have one.",)
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
