"""Every engine has the whole interface, with the same parameters."""

from __future__ import annotations

import inspect

import pytest
from fake_engine import FakeChannel, FakeEngine
from fake_images import FakeImages

from gradebox.sandbox.engines.docker.channel import AttachedChannel
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.engines.docker.docker_images import DockerImages
from gradebox.sandbox.engines.engine import Channel, Engine, Images


@pytest.mark.parametrize(
    ("protocol", "implementation"),
    [
        (Engine, DockerEngine),
        (Engine, FakeEngine),
        (Images, DockerImages),
        (Images, FakeImages),
        (Channel, AttachedChannel),
        (Channel, FakeChannel),
    ],
)
def test_it_has_every_member(protocol: type, implementation: type) -> None:
    members = {name: member for name, member in vars(protocol).items() if not name.startswith("_")}
    assert members
    for name, member in members.items():
        if isinstance(member, property):
            assert hasattr(implementation, name) or name in implementation.__annotations__
        else:
            assert inspect.signature(getattr(implementation, name)).parameters.keys() == (
                inspect.signature(member).parameters.keys()
            ), name
