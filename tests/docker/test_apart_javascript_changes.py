"""What submissions in JavaScript change, skip and hand out that the reference does not, honestly and otherwise."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

from pathlib import Path

import pytest
from forged_javascript import BUN, NODE, Forged, unexpected

HEAD = {
    NODE: 'import test from "node:test"; import assert from "node:assert/strict";',
    BUN: 'import { test } from "bun:test"; import assert from "node:assert/strict";',
}
CHANGED = """
import { Cart, Chain, each, eachLater, halves, jobs, pattern, rows, settle, sort, store, total } from "../s.mjs";
test("what is passed is compared with what comes", () => {
  for (const list of [[3, 1, 2], [5, 4]]) {
    const sorted = sort(list);
    assert.equal(sorted.length, list.length);
    assert.ok(sorted.every((x) => list.includes(x)) && sorted[0] <= sorted[1]);
    assert.deepEqual(sort(rows([[2], [1]])), [[1], [2]]);
  }
});
test("items are compared in a loop", () => {
  const given = [4, 8];
  const found = halves(given);
  assert.equal(found.length, given.length);
  found.forEach((x, i) => assert.equal(x, given[i] / 2));
});
test("a list stays while an object is read", () => {
  const cart = new Cart();
  cart.add(3);
  const lines = cart.lines();
  assert.equal(lines.length, cart.count);
  for (const { price } of lines) assert.equal(price, 3);
});
test("a list of the tests is changed", () => {
  const into = [1];
  settle(into, 2);
  assert.deepEqual(into, [1, 2]);
});
test("a fake of the tests takes notes", async () => {
  const fake = { asked: [], async get(id) { this.asked.push(id); return { id, all: [id] }; } };
  assert.equal(await total(fake, [2, 2, 3]), 5);
  assert.deepEqual(fake.asked, [2, 3]);
});
test("an expression has no state", () => {
  const found = pattern("a*");
  assert.ok(found.test("ab"));
  assert.ok(!found.test("ba"));
});
test("functions with assertions are called", () => {
  each([1, 2], (x, i) => assert.equal(x, i + 1));
});
test("functions with assertions come to their end", async () => {
  await eachLater([1, 2], async (x, i) => { await null; assert.equal(x, i + 1); });
});
test("an object of the reference changes", () => {
  const chain = new Chain(1);
  const { first } = chain;
  chain.add(2);
  assert.equal(first.next.value, 2);
});
test("handles are passed back", () => {
  const all = jobs();
  const [a, b] = [all.add("a"), all.add("b")];
  all.remove(a);
  assert.deepEqual(all.names(), ["b"]);
  const state = store({ n: 1 });
  assert.equal(state.get(), state.get());
  assert.ok(a !== b);
});
"""
SORT = "sort = (list) => [...list].sort((a, b) => a - b);"
HALVES = "halves = (list) => list.map((x) => x / 2);"
LATER = "eachLater = async (list, use) => { for (const [i, x] of list.entries()) await use(x, i); };"
TOTAL = "{ let sum = 0; for (const id of new Set(ids)) sum += (await fake.get(id)).id; return sum; };"
PATTERN = 'pattern = (text) => new RegExp(`^${text.replace("*", ".*")}$`);'
CHAIN = "class Node { constructor(value) { this.value = value; } }"
NODES = "new Node(x)"
JOBS = "{ add(name) { all.set(++last, name); return last; }, remove(id) { all.delete(id); }, names: () => [...all.values()] }"
CART = "lines() { return this.all.map((price) => ({ price })); } get count() { return this.all.length; }"
CHANGES = f"""
export const {SORT}
export const rows = (list) => list;
export const {HALVES}
export class Cart {{ all = []; add(x) {{ this.all.push(x); }} {CART} }}
export const settle = (into, x) => {{ into.push(x); }};
export const total = async (fake, ids) => {TOTAL}
export const {PATTERN}
export const each = (list, use) => {{ list.forEach(use); }};
export const {LATER}
{CHAIN}
export class Chain {{ constructor(x) {{ this.first = {NODES}; }} add(x) {{ this.first.next = {NODES}; }} }}
export const jobs = (all = new Map(), last = 0) => ({JOBS});
export const store = (state) => ({{ get: () => state }});
"""
HONEST = (
    CHANGES,
    # In place, with records and live lists.
    CHANGES.replace("[...list].sort", "list.sort")
    .replace("list.map((x) => x / 2)", "{ list.forEach((x, i) => { list[i] = x / 2; }); return list; }")
    .replace(NODES, "({ value: x })")
    .replace(CART, "get count() { return this.all.length; } lines() { return this.all; }")
    .replace("this.all.push(x)", "this.all.push({ price: x })")
    .replace("halves = (list) => {", "halves = (list) => { list = [...list];"),
    # Handles are objects, and notes are kept on what is passed.
    CHANGES.replace(
        JOBS,
        "{ add(name) { const job = new Job(name); all.set(job, name); return job; }, remove(job) { all.delete(job); }, names: () => [...all.values()] }",
    ).replace("{ get: () => state }", "{ get: () => { state.seen = true; return state; } }")
    + "class Job { constructor(name) { this.name = name; this.all = [this]; } }",
)
EMPTY = "(list) => { list.length = 0; return []; };"
DISHONEST = {
    "an argument is emptied": CHANGES.replace(SORT, f"sort = {EMPTY}"),
    "an argument is made equal": CHANGES.replace(SORT, "sort = (list) => { list.fill(list[0]); return [...list]; };"),
    "items are holes": CHANGES.replace(HALVES, "halves = (list) => Array(list.length);"),
    "a list is emptied while its object is read": CHANGES.replace(
        CART,
        "lines() { return (this.given = this.all.map(() => 0)); } get count() { this.given.length = 0; return this.all.length; }",
    ),
    "notes of a fake are changed": CHANGES.replace(
        TOTAL,
        "{ let sum = 0; for (const id of ids) sum += (await fake.get(id)).id; fake.asked.splice(0, 3, 2, 3); return sum - 2; };",
    ),
    "an expression has a state": CHANGES.replace(PATTERN, "pattern = () => /^[^]*$/g;"),
    "no function is called": CHANGES.replace("list.forEach(use);", ""),
    "no function comes to its end": CHANGES.replace(
        LATER, "eachLater = async (list, use) => { for (const x of list) await use(x, x).catch(() => {}); };"
    ),
}
PASSED_BACK = """
import { Direction, Job, deep, fetched, html, later, opposite, tick, wrap } from "../s.mjs";
test("an enum", () => {
  assert.equal(opposite(Direction.NORTH), Direction.SOUTH);
  assert.notEqual(Direction.NORTH, Direction.SOUTH);
});
test("a template", () => {
  assert.equal(html`<p>${"<"}</p>`, "<p>&lt;</p>");
});
test("an address, and what answers", async () => {
  const asked = [];
  const found = await fetched(async (url) => { asked.push(String(url)); return new Response('{"id": 7}'); }, "http://a.b/");
  assert.deepEqual([found, asked], [{ id: 7 }, ["http://a.b/x"]]);
});
test("what comes before anything else", async () => {
  for (let i = 1; i <= 20; i += 1) {
    const seen = [];
    later(() => seen.push(i));
    tick(() => seen.push(i));
    await null;
    await new Promise((done) => setImmediate(done));
    assert.deepEqual(seen, [i, i]);
  }
});
test("an object derived from one of the tests", () => {
  class Store { all = new Map([[1, "a"]]); find(id) { return this.all.get(id); } name() { return "store"; } }
  const wrapped = wrap(new Store());
  assert.deepEqual([wrapped.find(1), wrapped.find(1), wrapped.calls], ["a", "a", 1]);
});
test("deep data", () => {
  assert.equal(deep(400).next.next.value, 2);
});
"""
ENUM = 'Direction = Object.freeze({ NORTH: "n", SOUTH: "s" });'
OPPOSITE = '(d) => (d === "n" ? "s" : "n");'
STORE = "({ calls: 0, find(id) { if (!known.has(id)) { this.calls += 1; known.set(id, store.find(id)); } return known.get(id); } });"
REFERENCE = f"""
export const {ENUM}
export const opposite = {OPPOSITE}
const escape = (x) => x.replace("<", "&lt;");
export const html = (strings, ...values) => strings.reduce((out, text, i) => out + escape(values[i - 1]) + text);
export const fetched = async (get, base) => {{ const found = await get(base + "x"); return found.json(); }};
export const later = (use) => {{ use(); }};
export const tick = (use) => {{ use(); }};
export const wrap = (store, known = new Map()) => {STORE}
class Node {{ constructor(value) {{ this.value = value; }} }}
export function deep(n) {{ let node = new Node(n); while (n-- > 0) node = Object.assign(new Node(n), {{ next: node }}); return node; }}
export class Job {{}}
"""
DERIVED = "{ const own = Object.create(store); own.calls = 0; own.find = (id) => { if (!known.has(id)) { own.calls += 1; known.set(id, store.find(id)); } return known.get(id); }; return own; };"
OTHERS = (
    REFERENCE.replace(f"const {ENUM}", "class Direction { static NORTH = new Direction(); static SOUTH = new Direction(); }")
    .replace(OPPOSITE, "(d) => (d === Direction.NORTH ? Direction.SOUTH : Direction.NORTH);")
    .replace("strings.reduce((out, text, i) => out + escape(values[i - 1]) + text)", "String.raw(strings, ...values.map(escape))")
    .replace("get(base + ", "get(new URL(base + ")
    .replace('"x"); return found.json()', '"x")); return JSON.parse(await found.clone().text())')
    .replace("later = (use) => { use(); }", "later = (use) => { queueMicrotask(use); }")
    .replace("tick = (use) => { use(); }", "tick = (use) => { process.nextTick(use); }")
    .replace(STORE, DERIVED)
    .replace("class Node { constructor(value) { this.value = value; } }", "function Node(value) { return { value }; }"),
    "class Heading { constructor(n) { this.n = n; } }"
    + REFERENCE.replace('"n", SOUTH: "s"', "new Heading(0), SOUTH: new Heading(2)").replace(
        OPPOSITE, "(d) => Object.values(Direction).find((each) => each !== d);"
    ),
)  # fmt: skip
CASES = {"changes": (CHANGED, CHANGES, HONEST, DISHONEST), "passed back": (PASSED_BACK, REFERENCE, OTHERS, {})}


# With the quicker runner always; `make thorough` tries the other.
@pytest.mark.parametrize("runs", [pytest.param(NODE, marks=pytest.mark.thorough), BUN], ids=["node", "bun"])
@pytest.mark.parametrize("name", CASES)
def test_what_the_reference_does_not_change_stays(name: str, runs: tuple[str, str], tmp_path: Path) -> None:
    tests, reference, honest, dishonest = CASES[name]
    assert unexpected(Forged(runs, HEAD[runs] + tests, reference, honest, dishonest), tmp_path) == {}
