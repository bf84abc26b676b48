"""What the configuration of a runtime asks for: all that the Docker Engine is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from gradebox.sandbox.engines.docker.container_request import CAPABILITIES, create_body
from gradebox.sandbox.engines.engine import ImageInfo
from gradebox.sandbox.engines.oci.runtime_config import config
from gradebox.sandbox.limits import Limits
from gradebox.sandbox.profiles import DEFAULT
from gradebox.sandbox.supervisor_build import SOURCES
from gradebox.sandbox.types import CANDIDATE_DIRECTORY, Filter, SandboxSpec

LIMITS = Limits(memory_bytes=64 << 20, pids=7, cpus=0.5, open_files=99, shm_bytes=4096, disk_bytes=8192, disk_files=5)


def written(**changes: Any) -> dict[str, Any]:
    spec = SandboxSpec("image", LIMITS, lifetime_seconds=60, masked=("/proc/kcore", "/sys/cpu*/x"), **changes)
    body = create_body(spec, ImageInfo("sha256:1", "image", volumes=("/data",)), mount={}, labels={}, processors=2)
    return config(body, root="/r", group="/gradebox/1/box", architecture="x86_64")


def test_a_sandbox_beside_another_one_has_its_network_and_a_hosts_file_and_is_else_the_same() -> None:
    spec = SandboxSpec("image", LIMITS, masked=("/proc/kcore",), hosts=("db",), beside="abc")
    body = create_body(spec, ImageInfo("sha256:1", "image"), mount={}, labels={}, processors=2)
    alone = config(body, root="/r", group="/g", architecture="x86_64")
    found = config(body, root="/r", group="/g", architecture="x86_64", hosts="/h", network="/proc/7/ns/net")
    joined = {"type": "network", "path": "/proc/7/ns/net"}
    namespaces = [joined if one["type"] == "network" else one for one in alone["linux"]["namespaces"]]
    assert found["linux"] == {**alone["linux"], "namespaces": namespaces}
    *others, hosts = found["mounts"]
    assert others == alone["mounts"]
    assert (hosts["source"], hosts["destination"]) == ("/h", "/etc/hosts")
    assert {"bind", "ro", "nosuid", "noexec", "nodev"} == set(hosts["options"])
    assert found["hostname"] == "sandbox"


def test_everything_is_closed() -> None:
    found = written()
    process, linux = found["process"], found["linux"]
    assert found["root"] == {"path": "/r", "readonly": True}
    assert process["noNewPrivileges"]
    assert process["capabilities"]["bounding"] == [f"CAP_{name}" for name in CAPABILITIES]
    assert set(process["capabilities"]) == {"bounding", "effective", "permitted"}
    assert process["env"] == []
    assert {one["type"] for one in linux["namespaces"]} == {"pid", "network", "ipc", "uts", "mount", "cgroup"}
    assert linux["maskedPaths"] == ["/proc/kcore", "/sys/cpu0/x", "/sys/cpu1/x"]
    assert "/proc/sys" in linux["readonlyPaths"]


def test_every_limit_is_there() -> None:
    found = written()
    resources = found["linux"]["resources"]
    assert resources["memory"] == {"limit": 64 << 20, "swap": 64 << 20, "disableOOMKiller": False}
    assert resources["cpu"] == {"quota": 50_000, "period": 100_000}
    assert resources["pids"] == {"limit": 8}
    assert resources["devices"] == [{"allow": False, "access": "rwm"}]
    limits = {limit["type"]: limit["hard"] for limit in found["process"]["rlimits"]}
    assert limits == {"RLIMIT_NOFILE": 99, "RLIMIT_CORE": 1}
    assert found["linux"]["cgroupsPath"] == "/gradebox/1/box"


def test_nothing_writable_is_without_a_size() -> None:
    mounts = {mount["destination"]: mount for mount in written(apart=True)["mounts"]}
    memory = {place: mount["options"] for place, mount in mounts.items() if mount["type"] == "tmpfs"}
    assert set(memory) == {"/dev", "/dev/shm", "/workspace", "/tmp", "/data", CANDIDATE_DIRECTORY}
    for options in memory.values():
        assert any(option.startswith("size=") for option in options)
        assert "nosuid" in options
    assert {"size=8192", "nr_inodes=5"} <= set(memory["/workspace"])
    assert "ro" in mounts["/sys"]["options"]
    assert "ro" in mounts["/sys/fs/cgroup"]["options"]
    assert CANDIDATE_DIRECTORY not in {mount["destination"] for mount in written()["mounts"]}


def test_the_supervisor_is_told_what_docker_tells_it() -> None:
    assert written(filter=Filter.STRICT)["process"]["args"][1:] == ["/workspace", "60", "strict"]


@pytest.mark.parametrize("architecture", ["x86_64", "aarch64"])
def test_the_filter_is_the_supervisors(architecture: str) -> None:
    body = create_body(
        SandboxSpec("image", masked=DEFAULT.masked), ImageInfo("1", "image"), mount={}, labels={}, processors=1
    )
    found = config(body, root="/r", group="/g", architecture=architecture)["linux"]["seccomp"]
    assert found["architectures"][0] == f"SCMP_ARCH_{architecture.upper()}"
    denied = {name: rule["errnoRet"] for rule in found["syscalls"] for name in rule["names"] if "args" not in rule}
    (flag,) = (rule["args"][0] for rule in found["syscalls"] if "args" in rule)
    # Whether the flag is set: nobody can set all bits, with which a program asks for those that are.
    assert [(value & flag["value"]) == flag["valueTwo"] for value in (0, 0x40000, 0x440000, 0xFFFFFFFF)] == [
        False, True, True, False,
    ]  # fmt: skip
    assert {"bpf": 1, "mount": 1, "kcmp": 1, "io_uring_setup": 38, "sync": 0}.items() <= denied.items()
    # Graded programs need these; of the first, the supervisor denies what `strict` denies.
    assert not {"ptrace", "splice", "clone", "execve"} & set(denied)
    numbers = {"EPERM": 1, "ENOSYS": 38, "0": 0}
    rules = (SOURCES / "filter_rules.h").read_text().partition("always[]")[2].partition("};")[0]
    listed = [
        line.strip("{} ,").partition("_")[2].split(", ") for line in rules.split("\n") if line.startswith("    {")
    ]
    assert len(listed) > 40
    assert {name.lower(): numbers[error] for name, error in listed}.items() <= denied.items()
