"""What tests of JavaScript read of an object stays the same while they only read, unless the reference's changes."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

from pathlib import Path

import pytest
from forged_javascript import BUN, NODE, Forged, unexpected

HEAD = {
    NODE: 'import test from "node:test"; import assert from "node:assert";',
    BUN: 'import { expect, test } from "bun:test"; import assert from "node:assert";',
}
TESTS = """
import { Clock, List, roster, Vector } from "../s.mjs";
test("an own array", () => {
  assert.deepEqual(Vector.of(1, 2).add(Vector.of(3, 4)), [4, 6]);
});
test("items and lengths", () => {
  const list = new List([1, 2, 3]);
  assert.equal(list.size, 3);
  let i = 0;
  for (const x of list) assert.equal(x, [1, 2, 3][i++]);
  for (const x of list.values()) assert.ok(x < 4);
  assert.equal(list.items.length, 3);
  for (let i = 0; i < list.items.length; i++) assert.equal(list.items[i], i + 1);
  assert.equal(list.twin.size, 3);
  for (let i = 0; i < list.twin.size; i++) assert.equal(list.twin.items[i], i + 1);
  assert.ok(list.sum > 5 && list.sum < 7);
  assert.deepEqual({ ...list }, { items: [1, 2, 3] });
});
test("what is awaited", async () => {
  const list = new List([1, 2]);
  assert.equal(list.size, 2);
  for await (const x of list) assert.ok(x < 3);
});
test("methods", () => {
  const fixed = new Vector(7, 8);
  assert.equal(fixed.length, 2);
  for (let i = 0; i < fixed.length; i++) assert.equal(fixed.at(i), i + 7);
});
test("a roster", () => {
  const made = roster(["a", "b"]);
  assert.equal(made.size, 2);
  assert.ok(!made.isEmpty());
  for (let i = 0; i < made.size; i++) assert.equal(made.at(i), "ab"[i]);
});
test("what changes", () => {
  const list = new List([1]);
  assert.equal(list.size, 1);
  list.items.push(4);
  assert.equal(list.size, 2);
  list.push(5);
  assert.deepEqual([list.size, ...list], [3, 1, 4, 5]);
  let now = 5;
  const clock = new Clock(() => now);
  assert.equal(clock.time, 5);
  now = 6;
  assert.equal(clock.time, 6);
});
"""
ANSWERS = """
export class Vector extends Array { add(other) { return Vector.from(this, (x, i) => x + other[i]); } }
export class List {
  constructor(items) { this.items = items; }
  get size() { return this.items.length; }
  get twin() { return new List(this.items); }
  get sum() { return this.items.reduce((a, b) => a + b, 0); }
  *[Symbol.iterator]() { yield* this.items; }
  values() { return this.items.values(); }
  async *[Symbol.asyncIterator]() { yield* this.items; }
  push(x) { this.items.push(x); }
}
export class Clock { constructor(now) { this.now = now; } get time() { return this.now(); } }
class Roster { #all; constructor(all) { this.#all = all; } get size() { return this.#all.length; } isEmpty() { return !this.size; } at(i) { return this.#all[i]; } }
export const roster = (all) => new Roster(all);
let count = 0;
const lie = (array, from) => new Proxy(array, { get: (it, key, me) => (key === "length" && count++ >= from ? 0 : Reflect.get(it, key, me)) });
"""
BUN_TESTS = """
test("an own array, by Bun", () => {
  const sum = Vector.of(1, 2).add(Vector.of(3, 4));
  expect(sum).toHaveLength(2);
  expect(sum).toEqual([4, 6]);
});
"""
ADD = "return Vector.from(this, (x, i) => x + other[i]);"
ROSTER = "new Roster(all);"
GIVES = "[Symbol.iterator]() { yield* this.items; }"
LATER = "[Symbol.asyncIterator]() { yield* this.items; }"
OWN = "#at = 0; [Symbol.iterator]() { this.#at = 0; return this; } next() { return { value: this.items[this.#at], done: this.#at++ >= this.items.length }; }"
RECORD = "[Symbol.asyncIterator]() { let at = 0; return { next: async () => (at < this.items.length ? { value: this.items[at++] } : { done: true }) }; }"
DISHONEST = {
    "a record changes its size": ANSWERS.replace(
        ROSTER, "{ const made = { size: 2, isEmpty() { made.size = 0; }, at() {} }; return made; };"
    ),
    "a list changes its size": ANSWERS.replace(
        ROSTER, "{ const made = Object.assign([], { size: 2, isEmpty() { made.size = 0; }, at() {} }); return made; };"
    ),
    "an array has a length once": ANSWERS.replace(ADD, "count = 0; return lie([0, 0], 1);"),
    "no items are given": ANSWERS.replace(f"*{GIVES}", "*[Symbol.iterator]() {}"),
    "no items are given later": ANSWERS.replace(f"async *{LATER}", "async *[Symbol.asyncIterator]() {}"),
    "no values are given": ANSWERS.replace("return this.items.values();", "return [];"),
    "a record gives no items": ANSWERS.replace(
        f"*{GIVES}", "[Symbol.iterator]() { return { next: () => ({ done: 1 }) }; }"
    ),
    "it gives no items itself": ANSWERS.replace(
        f"*{GIVES}", "[Symbol.iterator]() { return this; } next() { return { done: true }; }"
    ),
    "a number has two values": ANSWERS.replace("return this.items.reduce", "return count++ % 2 ? 6.5 : 5.5; this"),
    "a list is read once": ANSWERS.replace(
        "constructor(items) { this.items = items; }",
        "n = 0; constructor(items) { this.all = items; } get items() { return this.n++ ? [] : this.all; }",
    ).replace("this.items.", "this.all."),
    "an object is another one": ANSWERS.replace("new List(this.items)", "new List(count++ ? [] : this.items)"),
    "an array has a length before its methods": ANSWERS.replace(
        ADD,
        ADD
        + "} static get [Symbol.species]() { return Array; } constructor(...all) { super(...all); if (all[0] === 7) { count = 0; return lie(this, 1); }",
    ),
}


# With the quicker runner always; `make thorough` tries the other.
@pytest.mark.parametrize("runs", [pytest.param(NODE, marks=pytest.mark.thorough), BUN], ids=["node", "bun"])
def test_an_object_gives_the_same_while_tests_only_read(runs: tuple[str, str], tmp_path: Path) -> None:
    tests = HEAD[runs] + TESTS + (BUN_TESTS if runs == BUN else "")
    honest = (
        ANSWERS,
        ANSWERS.replace("return new List(this.items)", "return this").replace(
            "yield* this.items", "for (const x of this.items) yield x"
        ),
        ANSWERS.replace(ROSTER, "({ size: all.length, isEmpty: () => !all.length, at: (i) => all[i] });"),
        ANSWERS.replace(f"*{GIVES}", OWN).replace(f"async *{LATER}", RECORD),
    )
    assert unexpected(Forged(runs, tests, ANSWERS, honest, DISHONEST), tmp_path) == {}


NUMBER_TESTS = """
import { count, list, made } from "../s.mjs";
test("a number between two", () => {
  const it = count(40);
  assert.ok(it > 41 && it < 43);
});
test("a number in a list", () => {
  const it = list(40);
  assert.ok(it > 41 && it < 43);
});
test("an object with a function of the tests", () => {
  const it = made((use) => use());
  assert.ok(it > 41 && it < 43);
  assert.ok(it.total > 41 && it.total < 43);
});
"""
NUMBERS = """
class Made { constructor(use) { use(() => 0); } valueOf() { return 42; } get total() { return 42; } }
export const made = (use) => new Made(use);
export const count = (n) => n + 2;
export const list = (n) => [n + 2];
"""
TWO = "let now = 1e9; const next = (use) => { use(() => 0); return (now = -now); };"
CONVERTED = {
    "a record changes its conversion": NUMBERS.replace(
        "=> n + 2;",
        "=> { const made = { valueOf() { delete made.valueOf; made.toString = () => '-1'; return 1e9; } }; return made; };",
    ),
    "a list changes its items": NUMBERS.replace(
        "[n + 2];",
        "{ const all = [{ toString() { all[0] = { toString: () => '-1' }; return '1e9'; } }]; return all; };",
    ),
    "an object calls the tests when it is converted": TWO
    + NUMBERS.replace("{ use(() => 0); }", "{ this.use = use; }").replace(
        "valueOf() { return 42; }", "get valueOf() { const found = -next(this.use); return () => found; }"
    ),
    "an object calls the tests when it is read": TWO
    + NUMBERS.replace("{ use(() => 0); }", "{ this.use = use; }").replace(
        "total() { return 42; }", "total() { return -next(this.use); }"
    ),
}


@pytest.mark.parametrize("runs", [NODE, pytest.param(BUN, marks=pytest.mark.thorough)], ids=["node", "bun"])
@pytest.mark.parametrize("reference", ["", NUMBERS], ids=["alone", "referenced"])
def test_reading_changes_nothing(runs: tuple[str, str], tmp_path: Path, reference: str) -> None:
    honest = NUMBERS if reference else NUMBERS.replace("n + 2;", "({ valueOf: () => n + 2 });")
    # Without a reference, a function of the tests may be what changes an attribute.
    dishonest = {what: text for what, text in CONVERTED.items() if reference or not what.endswith("is read")}
    forged = Forged(runs, HEAD[runs] + NUMBER_TESTS, reference, (NUMBERS, honest), dishonest)
    assert unexpected(forged, tmp_path) == {}
