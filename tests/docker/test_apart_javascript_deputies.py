"""Functions of JavaScript's tests that do by name what a submission asks, and submissions that ask for something else."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

from pathlib import Path

import pytest
from forged_javascript import BUN, NODE, Forged, unexpected

HEAD = {
    NODE: 'import test from "node:test"; import assert from "node:assert/strict";',
    BUN: 'import { test } from "bun:test"; import assert from "node:assert/strict";',
}
ASKED = """
import { readFileSync } from "node:fs"; import { call, get, load, tick } from "../s.mjs";
class Api {
  static add(a, b) { return a + b; }
  static stop(status) { process.exit(status); }
}
test("a key", async () => { assert.equal(await get(async (parent, key) => parent[key], { a: 1 }), 1); });
test("a method", async () => { assert.equal(await call(async (name, ...rest) => Api[name](...rest)), 5); });
test("a timer", async () => {
  let count = 0;
  tick((n) => { count += 1; if (n !== 1) throw new Error(`${n}`); });
  await new Promise((done) => setTimeout(done, 300));
  assert.equal(count, 1);
});
const expected = JSON.parse(readFileSync(new URL("./expected.json", import.meta.url), "utf8"));
test("a module", async () => { assert.deepEqual((await load((name) => import(name))).default, expected); });
"""
ANSWERS = """
export const get = (resolve, parent) => resolve(parent, "a");
export const call = (send) => send("add", 2, 3);
export const tick = (use) => { setTimeout(() => use(1), 1); };
export const load = (use) => use("./a.mjs");
"""
GET, CALL, TICK, LOAD = ANSWERS.strip().splitlines()
CHANGED = "const a = (await import('node:assert/strict')).default; for (const k of Object.keys(a)) a[k] = async (p) => { try { await p; } catch {} };"
CODE = f"return (async () => {{ {CHANGED} }})()"
ASKS = {
    "the constructor of an asynchronous function": (
        GET,
        f'export const get = async (resolve) => {{ const made = await resolve(resolve, "constructor"); await made("{CHANGED}")(); }};',
    ),
    "the constructor of functions": (
        CALL,
        f'export const call = async (send) => {{ const made = await send("constructor", "{CODE}"); await made(); }};',
    ),
    "an end in the middle": (CALL, 'export const call = async (send) => { await send("stop", 0); };'),
    "an exception that is swallowed": (
        TICK,
        "export const tick = (use) => { setTimeout(() => Promise.resolve().then(() => use(0)).catch(() => {}), 1); };",
    ),
    "a file of the case": (LOAD, 'export const load = (use) => use("./expected.json");'),
    "code in an address": (
        LOAD,
        f'export const load = (use) => use("data:text/javascript," + encodeURIComponent("{CHANGED}"));',
    ),
}


@pytest.mark.parametrize("runs", [NODE, BUN], ids=["node", "bun"])
def test_a_submission_gets_no_more_than_the_reference(runs: tuple[str, str], tmp_path: Path) -> None:
    dishonest = {what: ANSWERS.replace(*change) for what, change in ASKS.items()}
    grading = {"a.mjs": "export default { n: 7 };", "expected.json": '{"n": 7}'}
    forged = Forged(runs, HEAD[runs] + ASKED, ANSWERS, (ANSWERS,), dishonest, grading=grading)
    assert unexpected(forged, tmp_path) == {}
