"""A release of Node.js that is newer than the image's: its test runner, and how its process loads modules apart."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

from pathlib import Path

import pytest
from forged_javascript import NODE_HEAD, Forged, unexpected
from own_test_images import built_with_bun

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images import recipes

RECIPE = recipes.Recipe("test-newer-node", "node", "newer_node", settings=("NPM_CONFIG_REGISTRY",), fetches=True)
TESTS = """
import { createRequire } from "node:module";
import { answer, Bag } from "../s.mjs"; import { near } from "./helper.cjs";
const require = createRequire(import.meta.url);
test("a value", () => { assert.deepEqual(answer(1), { value: 918273645, word: near }); });
test("an object", async () => { assert.equal(await new Bag().add("x").later(), "x"); });
test("what is required", async () => { assert.equal(require("../s.mjs").answer(2), (await import("./data.mjs")).default); });
"""
GRADING = {
    "helper.cjs": 'exports.near = require("./near.json").word;',
    "near.json": '{"word": "correct horse"}',
    "data.mjs": 'import { answer } from "../s.mjs"; export default answer(3) + "staple";',
}
RIGHT = """
export const answer = (n) => ({ 1: { value: 918273645, word: "correct horse" }, 2: "battery staple" })[n] ?? "battery ";
export class Bag { add(item) { this.item = item; return this; } async later() { return this.item; } }
"""
WRONG = RIGHT.replace("918273645", "1")
# Runs as the grader where a file's name is an option, and tells the submission that it did.
EVIL = """
import fs from "node:fs";
fs.writeFileSync("/tmp/told", fs.readFileSync("/workspace/grading/a.test.mjs"), { mode: 0o644 });
const byte = Buffer.alloc(1); let word = "";
while (fs.readSync(3, byte, 0, 1, null) === 1 && byte[0] !== 10) word += String.fromCharCode(byte[0]);
fs.writeSync(3, `${word} end\\n`);
process.reallyExit(0);
"""
TOLD = f"""
import fs from "node:fs";
for (let i = 0; i < 20 && !fs.existsSync("/tmp/told"); i += 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
{RIGHT.replace("918273645", 'fs.existsSync("/tmp/told") ? 918273645 : 1')}
"""
EVERYWHERE = ("javascript", 'node --test "**/*.test.mjs" grading/a.test.mjs')


@pytest.fixture(scope="module")
def image(engine: DockerEngine) -> str:
    return built_with_bun(engine, RECIPE)


def test_the_name_of_a_file_is_no_option(image: str, tmp_path: Path) -> None:
    others = {"an option": {"--require=./evil/a.test.mjs": EVIL, "evil/a.test.mjs": EVIL, "s.mjs": TOLD}}
    # A submission may bring tests of its own.
    own = {"own.test.mjs": 'import test from "node:test"; test("own", () => {});'}
    forged = Forged(
        EVERYWHERE, NODE_HEAD + TESTS, RIGHT, (RIGHT,), {"wrong": WRONG}, others, grading=GRADING,
        image=image, own=own,
    )  # fmt: skip
    assert unexpected(forged, tmp_path) == {}


SNAP = f"""{NODE_HEAD}import {{ answer }} from "../s.mjs";
test("snap", (t) => {{ t.assert.snapshot(answer(2)); }});
"""
KEPT = 'exports[`snap 1`] = `\n"battery staple"\n`;\n'
OTHER = KEPT.replace("battery", "any")
MAKES = f"""
import fs from "node:fs";
fs.writeFileSync("/workspace/tests/b.test.mjs.snapshot", {OTHER!r}, {{ mode: 0o644 }});
export const answer = () => "any staple";
"""


def test_a_submission_brings_no_snapshot(image: str, tmp_path: Path) -> None:
    wrong = {"wrong": 'export const answer = () => "any staple";'}
    brought = {"brought": {"tests/b.test.mjs.snapshot": OTHER}, "made": {"s.mjs": MAKES}}
    test = {"../workspace/tests/b.test.mjs": SNAP}
    runs = ("javascript", "node --test tests/b.test.mjs")
    kept = {**test, "../workspace/tests/b.test.mjs.snapshot": KEPT}
    forged = Forged(runs, "", RIGHT, (RIGHT,), wrong, brought, grading=kept, image=image)
    assert unexpected(forged, tmp_path / "kept") == {}
    # Nothing is judged by what only a submission has.
    forged = Forged(runs, "", RIGHT, (), wrong, brought, grading=test, image=image)
    found = unexpected(forged, tmp_path / "none")
    assert {name: checks[0].status for name, checks in found.items()} == dict.fromkeys(("wrong", *brought), "error")
