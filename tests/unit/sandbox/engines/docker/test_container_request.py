"""What the request that creates a sandbox asks of the engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gradebox.sandbox.engines.docker.container_request import (
    CAPABILITIES,
    LABEL_LOCALHOST,
    SENTRY_BYTES,
    SENTRY_PIDS,
    create_body,
    masked_by_option,
    volume_mount,
    without_file_limits,
)
from gradebox.sandbox.engines.engine import ImageInfo
from gradebox.sandbox.guarantees import CAPABILITY_BITS
from gradebox.sandbox.limits import Limits, Network
from gradebox.sandbox.types import CANDIDATE_DIRECTORY, Filter, SandboxSpec

IMAGE = ImageInfo("sha256:1", "image", volumes=("/data",), labels={LABEL_LOCALHOST: "myhostname"})
# linux/capability.h
NUMBERS = {"CHOWN": 0, "DAC_OVERRIDE": 1, "FOWNER": 3, "KILL": 5, "SETGID": 6, "SETUID": 7}


def body(spec: SandboxSpec, image: ImageInfo = IMAGE) -> dict[str, Any]:
    return create_body(spec, image, mount=volume_mount("volume", {}, read_only=True), labels={"a": "b"}, processors=2)


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


def test_only_a_sandbox_for_graders_has_a_place_for_their_program() -> None:
    assert CANDIDATE_DIRECTORY not in body(SandboxSpec("image"))["HostConfig"]["Tmpfs"]
    options = body(SandboxSpec("image", apart=True))["HostConfig"]["Tmpfs"][CANDIDATE_DIRECTORY]
    assert "mode=0700" in options


def test_the_level_of_the_filter_is_the_supervisor_s_last_word() -> None:
    assert body(SandboxSpec("image", filter=Filter.STRICT))["Cmd"][2:] == ["strict"]
    assert body(SandboxSpec("image"))["Cmd"][2:] == ["default"]


def test_paths_are_hidden_only_when_asked_since_that_replaces_the_engine_s_own_list() -> None:
    assert "MaskedPaths" not in body(SandboxSpec("image"))["HostConfig"]
    assert body(SandboxSpec("image", masked=("/proc/a",)))["HostConfig"]["MaskedPaths"] == ["/proc/a"]
    of_each = body(SandboxSpec("image", masked=("/sys/cpu*/b", "/proc/a")))["HostConfig"]["MaskedPaths"]
    assert of_each == ["/sys/cpu0/b", "/sys/cpu1/b", "/proc/a"]


def test_podman_gets_hidden_paths_as_a_security_option() -> None:
    host = masked_by_option(body(SandboxSpec("image", masked=("/proc/a", "/proc/b"))))["HostConfig"]
    assert host["SecurityOpt"] == ["no-new-privileges", "mask=/proc/a:/proc/b"]
    assert masked_by_option(body(SandboxSpec("image")))["HostConfig"]["SecurityOpt"] == ["no-new-privileges"]


def test_processors_are_hidden_only_when_asked() -> None:
    assert "CpusetCpus" not in body(SandboxSpec("image"))["HostConfig"]
    assert body(SandboxSpec("image", Limits(processors=1)))["HostConfig"]["CpusetCpus"] == "0-0"


def test_the_names_of_services_stand_for_loopback_even_where_the_image_needs_no_hosts_file() -> None:
    found = body(SandboxSpec("image", hosts=("db", "web")))
    assert not found["NetworkDisabled"]
    assert found["HostConfig"]["NetworkMode"] == "none"
    assert found["HostConfig"]["ExtraHosts"] == ["db:127.0.0.1", "web:127.0.0.1"]


def test_a_sandbox_beside_another_one_joins_its_network_and_says_nothing_of_its_own() -> None:
    found = body(SandboxSpec("image", hosts=("db",), beside="abc"))
    alone = body(SandboxSpec("image"))
    assert found["HostConfig"]["NetworkMode"] == "container:abc"
    # It would get a network of its own.
    assert not body(SandboxSpec("image", beside="abc"))["NetworkDisabled"]
    # An engine refuses these for such a container.
    assert {"ExtraHosts", "Dns", "DnsSearch"}.isdisjoint(found["HostConfig"])
    assert "Hostname" not in found
    # All restrictions are those of any sandbox.
    same = {**found["HostConfig"], "NetworkMode": "none"}
    assert same == alone["HostConfig"]
