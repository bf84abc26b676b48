"""The supervisor's volume: its name, and what happens when it cannot be filled."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator

import pytest
from silent_engine import Server, silent_engine

from gradebox.sandbox import supervisor_build
from gradebox.sandbox.engines.docker import volume
from gradebox.sandbox.engines.docker.connection import Connection
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.engines.docker.volume import SupervisorVolume, one_file
from gradebox.sandbox.engines.engine import ImageInfo
from gradebox.sandbox.errors import EngineRefused


@pytest.fixture
def silent() -> Iterator[tuple[Server, DockerEngine]]:
    with silent_engine() as both:
        yield both


def test_a_container_that_is_for_ever_about_to_be_removed_is_named(
    silent: tuple[Server, DockerEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(volume, "_FILL_SECONDS", 0.0)
    monkeypatch.setattr(supervisor_build, "binary", lambda _: b"supervisor")
    with pytest.raises(EngineRefused, match="-fill, which is in the way"):
        silent[1].repair("container", ImageInfo("sha256:1", "image"))


def test_it_is_named_by_the_hash_of_the_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []
    monkeypatch.setattr(supervisor_build, "binary", lambda machine: built.append(machine) or machine.encode())
    names = [SupervisorVolume(Connection(None, 1), lambda m=m: m, "session").name for m in ("a", "b", "a")]
    assert names[0] == names[2] != names[1]
    assert all(name.startswith("gradebox-supervisor-") for name in names)
    assert built == ["a", "b", "a"]


def test_the_file_is_executable_for_all_and_writable_for_none() -> None:
    with tarfile.open(fileobj=io.BytesIO(one_file("supervisor", b"binary"))) as tar:
        (member,) = tar.getmembers()
        stream = tar.extractfile(member)
        assert (member.name, member.mode, stream and stream.read()) == ("supervisor", 0o555, b"binary")
