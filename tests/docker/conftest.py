"""A real engine for every test of this directory. There is no skip: without an engine these tests fail.

DOCKER_HOST selects it. With `oci://runc`, the tests of sandboxes run there; those of the Docker Engine itself fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import apart_sandbox
import pytest

from gradebox.sandbox import owner
from gradebox.sandbox.engines.connect import connect
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.limits import MIB, Limits
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import SandboxSpec


@pytest.fixture(scope="session")
def engine() -> Iterator[DockerEngine]:
    engine: Any = connect()
    engine.info()
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def python_image() -> str:
    return reference("python")


@pytest.fixture(scope="module")
def opened(engine: DockerEngine, python_image: str) -> Iterator[Sandbox]:
    """A sandbox with a grader and a candidate, which serves all tests of a file."""
    with apart_sandbox.opened(engine, python_image) as sandbox:
        yield sandbox


@pytest.fixture
def small() -> Limits:
    """Limits that a hostile program meets soon."""
    return Limits(memory_bytes=192 * MIB, pids=48, disk_bytes=48 * MIB, tmp_bytes=16 * MIB, shm_bytes=4 * MIB)


@pytest.fixture
def sandbox(engine: DockerEngine, python_image: str, small: Limits) -> Iterator[Sandbox]:
    """A sandbox with an empty workspace that belongs to user 10001."""
    with Sandbox(engine, SandboxSpec(python_image, small)) as sandbox:
        sandbox.snapshot()
        sandbox.reset(10_001)
        yield sandbox


@pytest.fixture(autouse=True)
def nothing_left(engine: DockerEngine) -> Iterator[None]:
    """Fail a test that leaves a container of its own, or any volume but the supervisor's."""
    yield
    mine = [found for found in engine.leftovers() if found.labels.get(owner.LABEL_SESSION) == engine.session]
    for found in mine:
        # The tests after this one are not to blame.
        engine.remove_leftover(found)
    assert mine == []
    volumes = [found for found in engine.leftovers() if found.kind == "volume"]
    assert {found.labels[owner.LABEL] for found in volumes} <= {"supervisor"}
