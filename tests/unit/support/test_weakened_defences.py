"""Each defence can be switched off, changes its own part of the product and no other, and goes back on afterwards."""

from __future__ import annotations

import os
from typing import Any

import pytest
from fake_engine import FakeEngine
from weakened_defences import COMPILED, CONTAINER, PATCHES, Defence, Patch, off, switched_off

from gradebox.sandbox import supervisor_build
from gradebox.sandbox.engines.docker import container_request
from gradebox.sandbox.engines.docker.container_request import volume_mount
from gradebox.sandbox.engines.engine import ImageInfo
from gradebox.sandbox.guarantees import Guarantees
from gradebox.sandbox.limits import Limits
from gradebox.sandbox.protocol import payloads
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, SandboxSpec

SPEC = SandboxSpec("image", masked=("/proc/modules",))
COMMAND = {Defence.OUTPUT_LIMIT, Defence.DEADLINE, Defence.OPEN_FILES_LIMIT, Defence.FILE_SIZE_LIMIT}
PAIRS = [(defence, patch) for defence, patches in PATCHES.items() for patch in patches]


def body() -> dict[str, Any]:
    image = ImageInfo("sha256:0", "image")
    return container_request.create_body(
        SPEC, image, mount=volume_mount("volume", {}, read_only=True), labels={}, processors=2
    )


def request() -> bytes:
    return payloads.run_fields(Command(("true",)), SPEC, Guarantees())


def test_every_defence_can_be_switched_off() -> None:
    assert set(PATCHES) | set(CONTAINER) | COMPILED == set(Defence)


@pytest.mark.parametrize("defence", Defence)
def test_each_defence_changes_its_own_requests_and_no_other(defence: Defence) -> None:
    usual, asked, flags = body(), request(), supervisor_build.FLAGS
    with switched_off(defence), Sandbox(FakeEngine(), SandboxSpec("image", Limits())) as sandbox:
        assert (body() != usual) is (defence in CONTAINER)
        assert (request() != asked) is (defence in COMMAND)
        assert (flags != supervisor_build.FLAGS) is (defence in COMPILED)
        assert (os.environ.keys() <= sandbox.env.keys()) is (defence is Defence.CLEAN_ENVIRONMENT)
    assert (body(), request(), supervisor_build.FLAGS) == (usual, asked, flags)


@pytest.mark.parametrize(("defence", "patch"), PAIRS, ids=[f"{defence}-{patch.name}" for defence, patch in PAIRS])
def test_what_is_replaced_comes_back(defence: Defence, patch: Patch) -> None:
    before = patch.owner.__dict__[patch.name]
    with switched_off(defence):
        assert patch.owner.__dict__[patch.name] is not before
        with switched_off(defence):
            assert off() == (defence,)
        assert patch.owner.__dict__[patch.name] is not before
    assert patch.owner.__dict__[patch.name] is before


def test_defences_come_back_after_an_error() -> None:
    def fail() -> None:
        with switched_off(Defence.SCRUB), switched_off(Defence.RESET):
            assert off() == (Defence.RESET, Defence.SCRUB)
            raise ValueError("stop")

    scrub, reset = Sandbox.scrub, Sandbox.reset
    with pytest.raises(ValueError, match="stop"):
        fail()
    assert off() == ()
    assert (Sandbox.scrub, Sandbox.reset) == (scrub, reset)


def test_a_supervisor_without_a_defence_is_another_file() -> None:
    compiler = supervisor_build.Compiler("cc", ("cc",))
    usual = supervisor_build._key(compiler)
    keys = set()
    for defence in COMPILED:
        with switched_off(defence):
            keys.add(supervisor_build._key(compiler))
    assert len(keys - {usual}) == len(COMPILED)
    assert supervisor_build._key(compiler) == usual


def test_every_switch_of_the_supervisor_is_in_its_sources() -> None:
    text = "".join(source.read_text("utf-8") for source in supervisor_build.SOURCES.glob("*.[ch]"))
    for defence in COMPILED:
        assert f"GRADEBOX_WITHOUT_{defence.name}\n" in text
