"""A release of Node.js that is newer than the image's: its test runner, and how its process loads modules apart."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

import os
from pathlib import Path

import pytest
from forged_javascript import NODE_HEAD, Forged, unexpected

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
EVERYWHERE = ("javascript", 'node --test "**/*.test.mjs" grading/a.test.mjs')


@pytest.fixture(scope="module")
def image(engine: DockerEngine) -> str:
    name = f"gradebox/{RECIPE.name}:latest"
    engine.images.build(
        recipes.build_context(RECIPE, Path(__file__).parent, recipes.trusted_authorities(os.environ)),
        [name],
        arguments={
            **recipes.build_arguments(RECIPE, recipes.reference("node"), os.environ),
            "BUN": recipes.reference("bun"),
        },
        labels={},
        fresh=False,
        on_line=lambda _: None,
    )
    return name


def test_its_tests_are_judged_apart(image: str, tmp_path: Path) -> None:
    # A submission may bring tests of its own.
    own = {"own.test.mjs": 'import test from "node:test"; test("own", () => {});'}
    forged = Forged(
        EVERYWHERE, NODE_HEAD + TESTS, RIGHT, (RIGHT,), {"wrong": WRONG}, grading=GRADING,
        image=image, own=own,
    )  # fmt: skip
    assert unexpected(forged, tmp_path) == {}
