"""Node.js starts for an item from the snapshot in its image, or as always where that would not serve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from gradebox.graders import languages
from gradebox.graders.languages.item_protocol import completed, encode
from gradebox.graders.languages.language import started
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, SandboxSpec

TOKEN = "a" * 32
SAYS = "console.log(process.execArgv.includes('--snapshot-blob'))"
# Where the snapshot lies, its file, and a directory that has a `node` of its own.
COPIED = """
cp -r /usr/local/lib/gradebox /tmp/copy && rm /tmp/copy/node-*
sed s,/usr/local/lib/gradebox,/tmp/copy, /tmp/copy/start-node > /tmp/copy/start
mkdir /tmp/own && printf '#!/bin/sh\\necho own' > /tmp/own/node && chmod +x /tmp/own/node
"""


@pytest.fixture(scope="module")
def node() -> Iterator[Sandbox]:
    engine = DockerEngine()
    try:
        with Sandbox(engine, SandboxSpec(reference("node"))) as sandbox:
            yield sandbox
    finally:
        engine.close()


def item(sandbox: Sandbox, code: str, env: Mapping[str, str] = {}) -> str:
    argv = started(languages.get("javascript").argv(), sandbox.image.labels)
    stdin = encode(TOKEN, item=code)
    sandbox.reset(sandbox.uid(1))
    outcome = sandbox.run(Command(argv, env={**sandbox.env, **env}, stdin=stdin, uid=sandbox.uid(1), report=True))
    assert completed(TOKEN, outcome.report.content()), outcome.stderr.text()
    return outcome.stdout.text().strip()


def said(sandbox: Sandbox, line: str) -> list[str]:
    sandbox.reset(sandbox.uid(1))
    outcome = sandbox.run(Command(("sh", "-c", line), env=sandbox.env, uid=sandbox.uid(1)))
    assert outcome.exit_code == 0, outcome.stderr.text()
    return outcome.stdout.text().split("\n")[:-1]


def test_an_item_starts_from_it_and_grades_without_it_all_the_same(node: Sandbox) -> None:
    assert item(node, SAYS) == "true"
    # Options of V8 that it was not made with would end Node.js at once.
    assert item(node, SAYS, {"NODE_OPTIONS": "--max-old-space-size=200"}) == "false"


def test_it_serves_what_it_was_made_for_alone(node: Sandbox) -> None:
    show = "-p 'process.execArgv.length'"
    lines = f"sh /tmp/copy/start {show}; /usr/local/lib/gradebox/start-node {show}"
    own = f"PATH=/tmp/own:$PATH /usr/local/lib/gradebox/start-node {show}"
    assert said(node, f"{COPIED}{lines}; {own}") == ["2", "4", "own"]


def test_it_is_nobodys_to_change(node: Sandbox) -> None:
    place = "/usr/local/lib/gradebox"
    found = said(node, f"stat -c '%u %a' {place} {place}/node-*; touch {place}/node-* 2>&1 || echo refused")
    assert found[:2] == ["0 755", "0 644"]
    assert found[-1] == "refused"


def test_a_program_finds_there_what_it_finds_after_an_ordinary_start(node: Sandbox) -> None:
    code = """
import { Worker } from "node:worker_threads";
const worker = new Worker("require('worker_threads').parentPort.postMessage(typeof console.Console)", { eval: true });
const shown = (value, depth) => Reflect.ownKeys(value).map((key) => {
  const { value: part, get, enumerable, writable } = Object.getOwnPropertyDescriptor(value, key);
  const below = depth && part && /^(object|function)$/.test(typeof part) ? shown(part, depth - 1) : typeof part;
  return [String(key), below, typeof get, enumerable, writable].join();
}).sort().join(";");
const text = [globalThis, console, Object, Promise, Error, Buffer, URL].map((value) => shown(value, 1)).join("\\n");
const hash = (await import("node:crypto")).createHash("sha256").update(text).digest("hex");
console.log(hash, process.listenerCount("warning"), await new Promise((done) => worker.once("message", done)));
await worker.terminate();
"""
    assert item(node, code) == item(node, code, {"NODE_OPTIONS": "--no-deprecation"})
