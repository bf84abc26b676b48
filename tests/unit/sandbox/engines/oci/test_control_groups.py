"""Control groups, as files of a test."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gradebox.sandbox.engines.oci import control_groups
from gradebox.sandbox.errors import EngineRefused

MEMORY = 64 << 20


@pytest.fixture
def mount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(control_groups, "MOUNT", tmp_path)
    return tmp_path


def made(path: Path, **files: str) -> None:
    path.mkdir(parents=True)
    for name, content in files.items():
        (path / name.replace("__", ".")).write_text(content)


def test_the_processes_of_a_sandbox_are_killed(mount: Path) -> None:
    assert control_groups.version() == "1"
    with subprocess.Popen(["sleep", "60"]) as process:
        made(mount / "pids/gradebox/one", cgroup__procs="")
        made(mount / "pids/gradebox/one/box", cgroup__procs=f"{process.pid}\n")
        made(mount / "pids/gradebox/two", cgroup__procs="1\n")
        assert control_groups.members("one") == {process.pid}
        control_groups.kill("one")
        assert process.wait() == -9
    control_groups.kill("one")
    assert control_groups.members("three") == set()


def test_version_1_shows_by_the_peak_that_memory_ran_out(mount: Path) -> None:
    made(mount / "cpu/gradebox/one")
    made(mount / "memory/gradebox/one", memory__max_usage_in_bytes=f"{MEMORY}\n")
    assert control_groups.ran_out_of_memory("one", MEMORY)
    assert not control_groups.ran_out_of_memory("one", 2 * MEMORY)
    assert not control_groups.ran_out_of_memory("two", MEMORY)


@pytest.mark.parametrize("kills", [0, 1])
def test_version_2_counts_what_was_killed(mount: Path, kills: int) -> None:
    (mount / "cgroup.controllers").touch()
    made(mount / "gradebox/one", memory__events=f"low 0\nmax 9\noom 1\noom_kill {kills}\noom_group_kill 0\n")
    assert control_groups.version() == "2"
    assert control_groups.ran_out_of_memory("one", MEMORY) is bool(kills)


def test_groups_are_removed_in_every_hierarchy(mount: Path) -> None:
    made(mount / "cpu/gradebox/one/box")
    made(mount / "memory/gradebox/one")
    made(mount / "memory/gradebox/two")
    (mount / "cpuacct").symlink_to("cpu")
    assert control_groups.remove("one")
    assert sorted(str(path.relative_to(mount)) for path in mount.glob("*/gradebox/*")) == ["memory/gradebox/two"]


def test_a_group_that_is_in_use_stays(mount: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_groups, "_REMOVAL_SECONDS", 0.01)
    made(mount / "memory/gradebox/one", cgroup__procs="1\n")
    assert not control_groups.remove("one")
    assert (mount / "memory/gradebox/one").is_dir()


def test_version_2_beside_version_1_is_found(mount: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert control_groups.hybrid() is None
    made(mount / "unified")
    monkeypatch.setattr(Path, "is_mount", lambda path: path.name == "unified")
    assert control_groups.hybrid() == mount / "unified"
    (mount / "cgroup.controllers").touch()
    assert control_groups.hybrid() is None


def test_the_network_of_a_sandbox_is_that_of_its_first_process(mount: Path) -> None:
    outside = Path("/proc/self/status").read_text("ascii")
    # In the PID namespace of this test, only process 1 is the first one.
    first = next(line.split()[-1] for line in Path("/proc/1/status").read_text().splitlines() if "NSpid" in line)
    assert first == "1"
    own = next(line.split()[1] for line in outside.splitlines() if line.startswith("Pid:"))
    made(mount / "pids/gradebox/one", cgroup__procs=f"{own}\n1\n")
    assert control_groups.network("one") == "/proc/1/ns/net"


def test_an_ended_sandbox_has_no_network(mount: Path) -> None:
    made(mount / "pids/gradebox/one", cgroup__procs="")
    with pytest.raises(EngineRefused, match="has ended"):
        control_groups.network("one")
