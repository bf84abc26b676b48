"""A name is looked up once for many sandboxes, and anew when what it meant is gone."""

from __future__ import annotations

import io
import secrets
import tarfile
from collections.abc import Iterator

import pytest

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.errors import ImageUnavailable
from gradebox.sandbox.types import SandboxSpec


@pytest.fixture
def name(engine: DockerEngine) -> Iterator[str]:
    """The name of an image that holds nothing of use."""
    name = f"gradebox-test-{secrets.token_hex(4)}:latest"
    import_image(engine, name)
    yield name
    engine.images.client.remove_image(name)


def import_image(engine: DockerEngine, name: str) -> None:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        tar.addfile(tarfile.TarInfo(secrets.token_hex(8)))
    engine.images.client.import_image_from_data(content.getvalue(), repository=name.partition(":")[0], tag="latest")


def test_an_image_that_was_replaced_is_looked_up_anew(engine: DockerEngine, name: str) -> None:
    first = engine.image(name)
    assert engine.image(name) is first
    engine.images.client.remove_image(name)
    import_image(engine, name)
    with pytest.raises(ImageUnavailable):
        engine.create(SandboxSpec(name), first)
    second = engine.image(name)
    assert second.id != first.id
    engine.remove(engine.create(SandboxSpec(name), second))
