"""What a switched-off defence changes of a request, and that nothing is changed otherwise."""

from __future__ import annotations

import os
from typing import Any

import pytest

from sandbox import supervisor_build, weakening
from sandbox.defences import COMPILED, Defence, switched_off
from sandbox.engines.engine import ImageInfo
from sandbox.hardening import create_body, volume_mount
from sandbox.types import Command, SandboxSpec

SPEC = SandboxSpec("image", masked=("/proc/modules",))
CONTAINER = {
    Defence.NETWORK, Defence.READ_ONLY_ROOT, Defence.CAPABILITIES, Defence.NO_NEW_PRIVILEGES, Defence.ENGINE_SECCOMP,
    Defence.CGROUP_NAMESPACE, Defence.MASKED_PATHS, Defence.MEMORY_LIMIT, Defence.PROCESS_LIMIT, Defence.DISK_LIMIT,
    Defence.FILE_COUNT_LIMIT, Defence.OPEN_FILES_LIMIT,
}  # fmt: skip
COMMAND = {Defence.OUTPUT_LIMIT, Defence.DEADLINE, Defence.OPEN_FILES_LIMIT, Defence.FILE_SIZE_LIMIT}


def body() -> dict[str, Any]:
    image = ImageInfo("sha256:0", "image")
    return create_body(SPEC, image, mount=volume_mount("volume", {}, read_only=True), labels={})


def test_nothing_is_changed_in_real_life() -> None:
    asked, command = body(), Command(("true",))
    assert weakening.container(asked) is asked
    assert weakening.run(command, SPEC) == (command, SPEC)
    assert weakening.environment() == {}
    assert supervisor_build._left_out() == ()


@pytest.mark.parametrize("defence", Defence)
def test_each_defence_changes_its_own_requests_and_no_other(defence: Defence) -> None:
    command = Command(("true",))
    with switched_off(defence):
        assert (weakening.container(body()) != body()) is (defence in CONTAINER)
        assert (weakening.run(command, SPEC) != (command, SPEC)) is (defence in COMMAND)
        assert (weakening.environment() is os.environ) is (defence is Defence.CLEAN_ENVIRONMENT)
        options = supervisor_build._left_out()
    assert bool(options) is (defence in COMPILED)


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
