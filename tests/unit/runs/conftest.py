"""A working directory with cases and submissions, and an engine behind the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from world import World

from sandbox import docker_engine
from sandbox.fake_engine import FakeEngine


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> World:
    monkeypatch.chdir(tmp_path)
    world = World()
    monkeypatch.setattr(docker_engine, "DockerEngine", lambda _: FakeEngine(world))
    return world
