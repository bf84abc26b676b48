"""What a real engine tells the reaper of volumes: which are there, since when, and whether a container has one."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator

import pytest

from gradebox.sandbox import owner
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.engines.engine import Leftover
from gradebox.sandbox.owner import Life
from gradebox.sandbox.reaper import VOLUME_SECONDS, outdated
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import SandboxSpec


@pytest.fixture
def old_volume(engine: DockerEngine) -> Iterator[str]:
    name = f"gradebox-supervisor-test-{secrets.token_hex(4)}"
    engine.images.client.create_volume(name, labels={owner.LABEL: "supervisor"})
    yield name
    engine.remove_leftover(Leftover("volume", name, {}, 0.0))


def volumes(engine: DockerEngine) -> dict[str, Leftover]:
    return {found.id: found for found in engine.leftovers() if found.kind == "volume"}


def test_a_volume_of_another_version_can_be_told_and_removed(engine: DockerEngine, old_volume: str) -> None:
    found = volumes(engine)[old_volume]
    assert abs(found.created - (engine.info().time or time.time())) < 600
    assert not found.running
    assert outdated([found], found.created + VOLUME_SECONDS - 1, lambda _: Life.DEAD) == []
    assert outdated([found], found.created + VOLUME_SECONDS + 1, lambda _: Life.DEAD) == [found]
    engine.remove_leftover(found)
    assert old_volume not in volumes(engine)


def test_a_volume_that_a_container_has_is_in_use(engine: DockerEngine, python_image: str) -> None:
    with Sandbox(engine, SandboxSpec(python_image)):
        found = volumes(engine)[engine.volume]
        assert found.running
        assert outdated([found], found.created + 10 * VOLUME_SECONDS, lambda _: Life.DEAD) == []
