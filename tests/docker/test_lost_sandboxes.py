"""Sandboxes that end under us: the candidate's doing is told apart from an accident, whatever the engine noticed."""

from __future__ import annotations

import pytest

from gradebox.sandbox import owner
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.errors import SandboxLost
from gradebox.sandbox.limits import MIB, Limits
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import SandboxSpec

TIGHT = Limits(memory_bytes=32 * MIB)


def container_of(engine: DockerEngine) -> str:
    (found,) = (one for one in engine.leftovers() if one.labels.get(owner.LABEL_SESSION) == engine.session)
    return found.id


def test_lack_of_memory_is_on_record_though_the_state_of_the_container_may_not_say_it(
    engine: DockerEngine, python_image: str
) -> None:
    with Sandbox(engine, SandboxSpec(python_image, TIGHT)) as sandbox:
        with pytest.raises(SandboxLost):
            sandbox.put([file_entry("large", bytes(64 * MIB))])
        assert sandbox.used_up
        assert engine.ran_out_of_memory(container_of(engine))


def test_a_kill_from_outside_is_no_lack_of_memory(engine: DockerEngine, python_image: str) -> None:
    with Sandbox(engine, SandboxSpec(python_image, TIGHT)) as sandbox:
        # By somebody else: we have not asked for it.
        engine.kill(container_of(engine))
        with pytest.raises(SandboxLost):
            sandbox.snapshot()
        assert not sandbox.used_up
