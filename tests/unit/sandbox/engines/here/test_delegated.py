"""Control groups of both versions, in directories that look like theirs. tests/docker has the kernel's."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from gradebox.sandbox.engines.here import delegated
from gradebox.sandbox.limits import MIB, Limits

LIMITS = Limits(memory_bytes=64 * MIB, cpus=0.5, pids=20)
MEMORY = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.oom_control")
VERSION_1 = {"memory": MEMORY, "pids": ("pids.max",), "cpu": ("cpu.cfs_period_us", "cpu.cfs_quota_us"), "cpuacct": ()}
VERSION_2 = ("memory.max", "memory.swap.max", "pids.max", "cpu.max", "memory.events")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delegated, "_REMOVAL_SECONDS", 0.0)


def group(path: Path, files: tuple[str, ...]) -> None:
    path.mkdir(parents=True)
    for name in files:
        (path / name).touch()


def first_version(place: Path, own: str = "/") -> Path:
    for name, files in VERSION_1.items():
        group(place / name / own.lstrip("/") / "box", files)
    listed = [f"{number}:{name}:{own}" for number, name in enumerate(VERSION_1)]
    (place / "own").write_text("\n".join([*listed, "9:name=systemd:/", "0::/"]))
    return place / "own"


def second_version(place: Path, own: str = "/") -> Path:
    group(place / own.lstrip("/") / "box", VERSION_2)
    (place / "cgroup.controllers").touch()
    (place / "own").write_text(f"0::{own}\n")
    return place / "own"


def test_a_group_for_each_controller_of_version_1(tmp_path: Path) -> None:
    made = delegated.make("box", LIMITS, tmp_path, first_version(tmp_path))
    assert [path.relative_to(tmp_path).as_posix() for path in made] == [
        "memory/box",
        "pids/box",
        "cpu/box",
        "cpuacct/box",
    ]
    assert (tmp_path / "memory/box/memory.limit_in_bytes").read_text() == str(64 * MIB)
    assert (tmp_path / "pids/box/pids.max").read_text() == "21"
    assert (tmp_path / "cpu/box/cpu.cfs_quota_us").read_text() == "50000"


def test_a_container_sees_its_own_group_at_the_top(tmp_path: Path) -> None:
    own = first_version(tmp_path)
    own.write_text(own.read_text().replace(":/", ":/docker/1234"))
    assert len(delegated.make("box", LIMITS, tmp_path, own)) == 4


def test_one_group_of_version_2(tmp_path: Path) -> None:
    own = second_version(tmp_path, "/service")
    (made,) = delegated.make("box", LIMITS, tmp_path, own)
    assert made == tmp_path / "service/box"
    assert (made / "memory.max").read_text() == str(64 * MIB)
    assert (made / "memory.swap.max").read_text() == "0"
    assert (made / "cpu.max").read_text() == "50000 100000"
    assert (tmp_path / "service/cgroup.subtree_control").read_text() == "+memory +pids +cpu"


def test_our_processes_make_room_where_the_group_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = second_version(tmp_path)
    (tmp_path / "cgroup.procs").write_text("17\n18\n")
    write = Path.write_text

    def busy(path: Path, text: str) -> int:
        if path.name == "cgroup.subtree_control" and not (tmp_path / "gradebox-main").exists():
            raise OSError(errno.EBUSY, "busy")
        return write(path, text)

    monkeypatch.setattr(Path, "write_text", busy)
    assert delegated.make("box", LIMITS, tmp_path, own) == [tmp_path / "box"]
    assert (tmp_path / "gradebox-main/cgroup.procs").read_text() == "18"
    # From then on it is our own group.
    write(own, "0::/gradebox-main\n")
    assert delegated.make("box", LIMITS, tmp_path, own) == [tmp_path / "box"]


def test_processes_of_others_are_not_moved(tmp_path: Path) -> None:
    own = second_version(tmp_path, "/user")
    (tmp_path / "user/cgroup.subtree_control").mkdir()
    assert delegated.make("box", LIMITS, tmp_path, own) == []
    assert not (tmp_path / "user/gradebox-main").exists()


@pytest.mark.parametrize("missing", ["memory/box/memory.limit_in_bytes", "pids/box/pids.max"])
def test_all_limits_or_no_group(tmp_path: Path, missing: str) -> None:
    own = first_version(tmp_path)
    (tmp_path / missing).unlink()
    assert delegated.make("box", LIMITS, tmp_path, own) == []


def test_without_control_groups_there_is_none(tmp_path: Path) -> None:
    assert delegated.make("box", LIMITS, tmp_path, tmp_path / "missing") == []


@pytest.mark.parametrize(
    ("file", "text"), [("memory.events", "low 0\noom_kill 1\n"), ("memory.oom_control", "oom_kill 2")]
)
def test_a_kill_for_lack_of_memory_is_on_record(tmp_path: Path, file: str, text: str) -> None:
    assert not delegated.ran_out_of_memory([tmp_path])
    (tmp_path / file).write_text(text)
    assert delegated.ran_out_of_memory([tmp_path])
    (tmp_path / file).write_text("oom_kill 0")
    assert not delegated.ran_out_of_memory([tmp_path])


def test_groups_are_removed(tmp_path: Path) -> None:
    (tmp_path / "box").mkdir()
    delegated.remove([tmp_path / "box", tmp_path / "gone"])
    assert not (tmp_path / "box").exists()
