"""Bun starts for an item with the runner that its image has compiled, or as always where it has another one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from gradebox.graders import languages
from gradebox.graders.languages.item_protocol import completed, encode
from gradebox.graders.languages.language import started
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import WORKSPACE, Command, Outcome, SandboxSpec

TOKEN = "a" * 32
# Says which program it is; what a submission sees and starts is Bun.
SAYS = """
import { spawnSync } from "node:child_process";
const { stdout } = spawnSync(process.execPath, ["-e", "console.log(typeof Bun)"]);
console.log(Bun.main.includes("$bunfs"), process.execPath, String(stdout).trim(), process.argv.length);
"""


@pytest.fixture(scope="module")
def bun() -> Iterator[Sandbox]:
    engine = DockerEngine()
    try:
        with Sandbox(engine, SandboxSpec(reference("bun"))) as sandbox:
            yield sandbox
    finally:
        engine.close()


def item(sandbox: Sandbox, argv: tuple[str, ...], code: str, path: str = "") -> Outcome:
    sandbox.reset(sandbox.uid(1))
    env = {**sandbox.env, "PATH": path + sandbox.env["PATH"]}
    command = Command(started(argv, sandbox.image.labels), env=env, uid=sandbox.uid(1), report=True)
    return sandbox.run(replace(command, stdin=encode(TOKEN, item=code)))


def test_an_item_starts_from_the_compiled_runner_and_with_another_one_all_the_same(bun: Sandbox) -> None:
    *options, source = languages.get("typescript").argv()
    for text, compiled in ((source, "true"), (f"{source}\n", "false")):
        outcome = item(bun, (*options, text), SAYS)
        assert completed(TOKEN, outcome.report.content()), outcome.stderr.text()
        assert outcome.stdout.text() == f"{compiled} /usr/local/bin/bun object 1\n"
        failed = item(bun, (*options, text), "throw new Error('no')")
        assert (failed.exit_code, failed.report.content()) == (1, b"")


def test_another_bun_that_is_found_first_runs_the_item(bun: Sandbox) -> None:
    own = '#!/bin/sh\necho another\nexec /usr/local/bin/bun "$@"\n'
    bun.put([file_entry("own/bun", own.encode(), mode=0o755)], uid=bun.uid(0))
    bun.snapshot()
    outcome = item(bun, languages.get("typescript").argv(), "1", f"{WORKSPACE}/own:")
    assert (completed(TOKEN, outcome.report.content()), outcome.stdout.text()) == (True, "another\n")


def test_the_runner_of_items_apart_is_compiled_too(bun: Sandbox) -> None:
    argv = languages.get("typescript").argv(apart=True)
    outcome = item(bun, argv, "console.log(Bun.main.includes('$bunfs'))")
    assert "true" in outcome.stdout.text(), outcome


def test_what_a_submission_runs_in_apart_is_compiled_too(bun: Sandbox) -> None:
    bun.put([file_entry("solution.ts", b"export const main = () => Bun.main;\n")], uid=bun.uid(0))
    bun.snapshot()
    argv = languages.get("typescript").argv(apart=True)
    outcome = item(bun, argv, 'import { main } from "./solution.ts"; console.log(main());')
    assert "$bunfs" in outcome.stdout.text(), outcome
