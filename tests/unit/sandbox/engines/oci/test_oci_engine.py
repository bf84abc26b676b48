"""What the engine refuses and reports; tests/docker/test_oci.py has real sandboxes of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradebox.sandbox.engines.connect import connect
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.engines.engine import ImageInfo
from gradebox.sandbox.engines.oci import bundles, control_groups, oci_engine, roots
from gradebox.sandbox.engines.oci.oci_engine import OciEngine
from gradebox.sandbox.errors import EngineRefused, ImageUnavailable, SandboxError
from gradebox.sandbox.limits import Limits, Network
from gradebox.sandbox.types import SandboxSpec

IMAGE = ImageInfo("sha256:1", "image")


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OciEngine]:
    """An engine whose runtime is a program that prints its version."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(bundles, "STATE", tmp_path / "gradebox/oci")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    runtime = tmp_path / "bin/crun"
    runtime.parent.mkdir()
    runtime.write_text("#!/bin/sh\necho crun version 1.8.1\necho commit: x\n")
    runtime.chmod(0o755)
    for tool in ("unshare", "mount", "umount", "tar", "sh"):
        (runtime.parent / tool).symlink_to(shutil.which(tool) or "/bin/true")
    monkeypatch.setattr(oci_engine, "_PATH", str(runtime.parent))
    found = OciEngine()
    yield found
    found.close()


def test_it_is_chosen_by_its_scheme() -> None:
    for address in ("oci", "oci://", "oci://runc"):
        found = connect(address)
        assert isinstance(found, OciEngine)
        found.close()


def test_the_environment_names_its_runtime(engine: OciEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = Path(oci_engine._PATH)
    shutil.copy(programs / "crun", programs / "runc")
    monkeypatch.setenv("DOCKER_HOST", "oci://runc")
    found = connect()
    assert (found.info().default_runtime, engine.info().default_runtime) == ("runc", "crun")
    found.close()


def test_it_reports_the_first_runtime_that_is_here(engine: OciEngine) -> None:
    info = engine.info()
    assert (info.name, info.version, info.runtimes) == ("OCI runtime crun", "1.8.1", ("crun",))
    assert (info.api_version, info.runc) == ("", "")
    assert info.processors > 0
    assert info.memory_bytes > 1 << 20


def test_a_runtime_that_is_missing_is_named(engine: OciEngine) -> None:
    del engine
    with pytest.raises(EngineRefused, match="moonc is not installed"):
        OciEngine("moonc").info()


def test_it_needs_root(engine: OciEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(EngineRefused, match="needs root"):
        engine.info()


def test_a_case_with_a_network_is_refused(engine: OciEngine) -> None:
    with pytest.raises(SandboxError, match="have no network") as caught:
        engine.create(SandboxSpec("image", Limits(network=Network.SETUP)), IMAGE)
    assert "Docker" in caught.value.remedy


def test_a_sandbox_that_never_started_leaves_nothing(engine: OciEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EngineRefused, match="runsc is not installed"):
        engine.create(SandboxSpec("image", runtime="runsc"), IMAGE)
    roots.directory_of(IMAGE.id).mkdir()
    container = engine.create(SandboxSpec("image"), IMAGE, "users")
    assert engine.state(container) is None
    left = {found.kind: found for found in engine.leftovers()}
    assert left["container"].id == container
    assert not left["container"].running
    # The image of a sandbox is in use.
    assert left["volume"].running
    engine.remove(container)
    engine.remove(container)
    assert {found.kind for found in engine.leftovers()} == {"volume"}


def test_what_no_image_needs_is_not_current(engine: OciEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roots, "_program", lambda _: b"program")
    layer = roots.layer(engine.info().architecture)
    found = next(iter(engine.leftovers()))
    assert found.id == str(layer)
    assert engine.is_current(found)
    engine.remove_leftover(found)
    assert not layer.exists()


def test_a_copy_of_an_image_is_needed_while_the_image_is_there(
    engine: OciEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def image(_: DockerEngine, reference: str) -> ImageInfo:
        if reference != IMAGE.id:
            raise ImageUnavailable(reference)
        return IMAGE

    monkeypatch.setattr(DockerEngine, "image", image)
    roots.directory_of(IMAGE.id).mkdir()
    roots.directory_of("sha256:2").mkdir()
    assert [engine.is_current(found) for found in engine.leftovers()] == [True, False]


def test_a_place_that_cannot_be_written_is_named(engine: OciEngine, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    with pytest.raises(EngineRefused, match=r"cache.*: Not a directory"):
        engine.create(SandboxSpec("image"), IMAGE)


def test_a_forked_process_owns_no_sandbox_of_its_parent(engine: OciEngine) -> None:
    roots.directory_of(IMAGE.id).mkdir()
    container, session = engine.create(SandboxSpec("image"), IMAGE), engine.session
    engine.forked()
    engine.close()
    assert engine.session != session
    assert [found.id for found in engine.leftovers() if found.kind == "container"] == [container]


def test_what_could_not_be_removed_is_a_leftover(engine: OciEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    roots.directory_of(IMAGE.id).mkdir()
    container = engine.create(SandboxSpec("image"), IMAGE)
    monkeypatch.setattr(control_groups, "remove", lambda _: False)
    engine.remove(container)
    assert container in {found.id for found in engine.leftovers()}
    monkeypatch.undo()
