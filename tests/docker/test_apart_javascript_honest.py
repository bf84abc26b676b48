"""What honest work in JavaScript does with objects of the library, promises and errors, and what only looks like it."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

from pathlib import Path

import pytest
from forged_javascript import BUN, NODE, Forged, unexpected

HEAD = {
    NODE: 'import test from "node:test"; import assert from "node:assert/strict";',
    BUN: 'import { test } from "bun:test"; import assert from "node:assert/strict";',
}
AWAITED = """
import { all, db, get, memo, price, query } from "../s.mjs";
test("promises of the tests", async () => {
  const twice = memo(async (x) => { if (x < 0) throw new RangeError("no"); return x * 2; });
  assert.equal(await twice(2), 4);
  await assert.rejects(twice(-1), RangeError);
  let sum = 0;
  await all([1, 2], async (x) => { sum += x; });
  await assert.rejects(all([1], async () => { throw new TypeError("no"); }), TypeError);
  assert.deepEqual([sum, await twice(3)], [3, 6]);
});
test("t", async () => {
  assert.ok((await db().where(1)).some((x) => x === 1));
  assert.equal(await get(3), 4);
  const near = await price();
  assert.ok(near > 5.5 && near < 6.5);
  await assert.rejects(async () => await get(-1), RangeError);
  assert.deepEqual([await query().where("a").limit(2), query().where("b").text()], [["a", 2], "b"]);
});
"""
PROMISES = """
export const memo = (use) => { const kept = new Map(); return async (x) => { if (!kept.has(x)) kept.set(x, await use(x)); return kept.get(x); }; };
export const all = async (list, use) => { for (const x of list) await use(x); };
export const db = () => ({ where: async (x) => [x] });
export const get = async (x) => { if (x < 0) throw new RangeError("no"); return x + 1; };
export const price = async () => 6;
export const query = () => new Query();
class Query { where(x) { this.x = x; return this; } limit(n) { this.n = n; return this; } text() { return this.x; }
  then(...use) { return Promise.resolve([this.x, this.n]).then(...use); } }
"""
PRICE = "price = async () => 6;"
LIBRARY = """
import { Readable, Writable } from "node:stream"; import { collect, numbers, parts, sleep, upper, writeAll } from "../s.mjs";
test("signals", async () => {
  const controller = new AbortController();
  const waits = sleep(1000, controller.signal);
  setTimeout(() => controller.abort(), 5);
  await assert.rejects(waits, { name: "AbortError" });
  await assert.rejects(sleep(1000, AbortSignal.abort()), { name: "AbortError" });
  assert.equal(await sleep(1, controller.signal.reason ? undefined : controller.signal), "done");
});
test("streams", async () => {
  const written = [];
  await writeAll(new Writable({ write(part, _, done) { written.push(String(part)); done(); } }), ["x", "y"]);
  const [all, made] = [[], []];
  for await (const part of parts(Readable.from(["a b", "c"]))) all.push(part);
  for await (const number of numbers(3)) made.push(number);
  assert.deepEqual([written, all, made, await collect(Readable.from(["a", "b"]))], [["x", "y"], ["a", "bc"], [0, 1, 2], "ab"]);
  const changed = upper();
  let text = "";
  changed.on("data", (part) => { text += part; });
  const ended = new Promise((done) => changed.on("end", done));
  changed.end("ab");
  await ended;
  assert.equal(text, "AB");
});
"""
STREAMS = """
import { Readable, Transform } from "node:stream"; import { setTimeout as wait } from "node:timers/promises";
export const collect = async (from) => { let all = ""; for await (const part of from) all += part; return all; };
export const writeAll = (to, all) => new Promise((done) => { for (const part of all) to.write(part); to.end(done); });
export async function* parts(from) { yield* (await collect(from)).split(" "); }
export const numbers = (n) => Readable.from(Array(n).keys());
export const upper = () => new Transform({ transform(part, _, done) { done(null, String(part).toUpperCase()); } });
export const sleep = (ms, signal) => wait(ms, "done", { signal });
"""
SLEEP = """export const sleep = (ms, signal) => new Promise((done, fail) => {
  if (signal?.aborted) return fail(signal.reason);
  const timer = setTimeout(() => done("done"), ms);
  signal?.addEventListener("abort", () => { clearTimeout(timer); fail(signal.reason); }, { once: true }); });"""
RECORDS = """
import { AppError, find, make, ok, pairs, tokens } from "../s.mjs";
test("records", () => {
  const made = make(2, 3);
  assert.deepEqual([made.w, made.area, made.list.map((x) => x + 1)], [2, 6, [2]]);
});
test("records of functions", () => {
  const [{ value }, found] = [{ ...ok(2) }, ok(2)];
  assert.deepEqual([value, found.map((x) => x + 1).value, "map" in found, "none" in found], [2, 3, true, false]);
  assert.ok(Object.keys(found).includes("value") && Object.entries(found).some(([key, x]) => key === "value" && x === 2));
});
test("items of an iterator", () => {
  assert.deepEqual([...tokens("1+")].map((x) => [x.type, x.is("op")]), [["num", false], ["op", true]]);
  assert.deepEqual([...pairs("ab")].map(({ first }) => first), ["a", "b"]);
});
test("errors", () => {
  assert.throws(() => find(0), (error) => JSON.stringify(error) === '{"status":404}');
  assert.throws(() => find(0), AppError);
  assert.throws(() => find(0), (error) => error instanceof AppError && error instanceof Error && error.status === 404 && error.message === "no 0");
  assert.ok(!(new Error("no") instanceof AppError));
});
"""
MADE = """
export const make = (w, h) => ({ w, h, area: w * h, list: [1] });
export const ok = (value) => ({ ok: true, value, map: (use) => ok(use(value)) });
const typeOf = (text) => (text === "+" ? "op" : "num");
class Token { constructor(text) { this.type = typeOf(text); } is(type) { return this.type === type; } }
export function* tokens(text) { for (const each of text) yield new Token(each); }
export function* pairs(text) { for (const first of text) yield { first }; }
export class AppError extends Error { constructor(message, status) { super(message); this.status = status; } toJSON() { return { status: this.status }; } }
class Missing extends AppError { constructor(message) { super(message, 404); } }
export const find = (key) => { throw new Missing(`no ${key}`); };
"""
OK = "ok = (value) => ({ ok: true, value, map: (use) => ok(use(value)) });"
OF_CLASS = "ok = (value) => new Ok(value);\nclass Ok { ok = true; constructor(value) { this.value = value; } map(use) { return new Ok(use(this.value)); } }"
TOKENS = "function* tokens(text) { for (const each of text) yield new Token(each); }"
PAIRS = "function* pairs(text) { for (const first of text) yield { first }; }"
PAIR = "class Pair { #x; constructor(x) { this.#x = x; } get first() { return this.#x; } }"
MAKE = "make = (w, h) => ({ w, h, area: w * h, list: [1] });"
CLASS = "make = (w, h) => new Made(w, h);\nclass Made { #w; constructor(w, h) { this.#w = w; this.h = h; } get w() { return this.#w; }"
FORMS = """
import { count, find, later, Money, now } from "../s.mjs";
test("iterators", () => {
  const [a, b] = count(5);
  const seen = [];
  for (const n of count(9)) { if (n > 2) break; seen.push(n); }
  assert.deepEqual([a, b, seen], [0, 1, [0, 1, 2]]);
});
test("what may be awaited, and closed", async () => {
  for (const open of [now, later]) {
    const store = await open({ a: 1 });
    assert.equal(store.get("a"), 1);
    await store.close?.();
  }
});
test("classes", () => {
  assert.equal(new Money(1).add(new Money(2)).cents, 3);
  assert.throws(() => find(0), { message: "no 0" });
});
"""
FORM = """
export const count = (n) => { let i = 0; return { next: () => ({ value: i, done: i++ >= n }), [Symbol.iterator]() { return this; } }; };
class Store { constructor(all) { this.all = all; } get(key) { return this.all[key]; } }
export const now = (all) => new Store(all);
export const later = async (all) => new Store(all);
export class Money { constructor(cents) { this.cents = cents; } add(other) { return new Money(this.cents + other.cents); } }
class Missing extends Error {}
export const find = (key) => { throw new Missing(`no ${key}`); };
"""
OTHER_FORM = """
export function* count(n) { for (let i = 0; i < n; i += 1) yield i; }
class Store { #all; constructor(all) { this.#all = all; } get(key) { return this.#all[key]; } async close() { this.#all = {}; } }
export const now = async (all) => new Store(all);
export const later = (all) => new Store(all);
export function Money(cents) { this.cents = cents; }
Money.prototype = { constructor: Money, add(other) { return new Money(this.cents + other.cents); } };
function Missing(message) { this.message = message; this.stack = ""; }
Missing.prototype = new Error();
export const find = (key) => { const error = Reflect.construct(Error, [`no ${key}`], Missing); throw error; };
"""
LENDS = """
import { EventEmitter } from "node:events"; import { basket, first, greet, KIND, longest, Memo, pages, Point, price, relay, tagged, today, total } from "../s.mjs";
class User { constructor(name) { this.name = name; } }
class Words extends Array {}
test("names and lengths of objects of the tests", () => {
  assert.equal(greet(new User("Ada")), "Hello, Ada");
  assert.equal(longest([Words.of("a"), Words.of("b", "c")]), 2);
});
test("objects of the library", () => {
  assert.equal(first(new URL("https://example.org/a/b?c#d")), "a");
  const [from, to, got] = [new EventEmitter(), new EventEmitter(), []];
  to.on("x", (x) => got.push(x));
  relay(from, to);
  from.emit("x", 4);
  assert.deepEqual(got, [8]);
});
test("the same object before and after a large one", () => {
  let calls = 0;
  const [memo, key] = [new Memo((x) => { calls += 1; return x.id; }), { id: 7 }];
  assert.deepEqual([memo.get(key), total(Array(30000).fill(1)), memo.get(key), calls], [7, 30000, 7, 1]);
});
test("another class of dates", () => {
  const Real = Date;
  globalThis.Date = class extends Real { constructor(...all) { super(...(all.length ? all : [Real.UTC(2020, 1, 29)])); } static now() { return Real.UTC(2020, 1, 29); } };
  try { assert.equal(today(), "2020-02-29"); } finally { globalThis.Date = Real; }
});
test("JSON", () => {
  assert.equal(JSON.stringify([price(3)]), '[{"amount":3}]');
  assert.equal(JSON.stringify(basket(2)), '{"all":[{"amount":2}]}');
  assert.equal(JSON.stringify(new Point(1, 2)), '{"x":1,"y":2}');
  assert.deepEqual(basket(2).toJSON().all.length, 1);
});
test("a symbol", () => { assert.equal(tagged()[KIND], "tag"); });
test("pages", async () => {
  const got = [];
  for await (const page of pages([1, 2, 3])) got.push(page);
  assert.deepEqual(got, [[1, 2], [3]]);
});
"""
LENT = """
export const greet = (user) => `Hello, ${user.name}`;
export const longest = (lists) => lists.reduce((most, list) => Math.max(most, list.length), 0);
export const first = (url) => String(url).split("/")[3];
export const relay = (from, to) => { from.on("x", (x) => to.emit("x", 2 * x)); };
export class Memo { all = new Map(); constructor(use) { this.use = use; } get(x) { if (!this.all.has(x.id)) this.all.set(x.id, this.use(x)); return this.all.get(x.id); } }
export const total = (all) => all.reduce((sum, x) => sum + x, 0);
export const today = () => new Date(Date.now()).toISOString().slice(0, 10);
class Price { #amount; constructor(amount) { this.#amount = amount; } toJSON() { return { amount: this.#amount }; } }
export const price = (amount) => new Price(amount);
export class Point { constructor(x, y) { this.x = x; this.y = y; } }
export const unused = { ON: 1, OFF: 2 };
class Basket { all = []; toJSON() { return { all: this.all }; } }
export const basket = (amount) => Object.assign(new Basket(), { all: [{ amount }] });
export const KIND = Symbol("kind");
export const tagged = () => new (class { [KIND] = "tag"; })();
export async function* pages(all) { for (let i = 0; i < all.length; i += 2) yield all.slice(i, i + 2); }
"""
OTHER_LENT = """
export const greet = ({ name }) => ["Hello", name].join(", ");
export const longest = (lists) => Math.max(...lists.map(({ length }) => length));
export const first = ({ pathname }) => pathname.split("/").find(Boolean);
export const relay = (from, to) => { from.setMaxListeners(20); from.prependListener("x", (x) => to.emit("x", x + x)); };
export class Memo { all = new WeakMap(); constructor(use) { this.use = use; } get(x) { if (!this.all.has(x)) this.all.set(x, this.use(x)); return this.all.get(x); } }
export const total = (all) => { let sum = 0; for (const x of all) sum += x; return sum; };
export const today = () => new Date().toISOString().split("T")[0];
class Price { constructor(amount) { this.amount = amount; } }
export const price = (amount) => new Price(amount);
export class Point { #at; constructor(...at) { this.#at = at; } toJSON() { const [x, y] = this.#at; return { x, y }; } }
export const unused = new Proxy({ ON: 1, OFF: 2 }, {});
class Coin { #amount; constructor(amount) { this.#amount = amount; } toJSON() { return { amount: this.#amount }; } }
export const basket = (amount) => ({ toJSON: () => ({ all: [new Coin(amount)] }) });
export const KIND = Symbol("the kind");
export const tagged = () => ({ get [KIND]() { return "tag"; } });
export function* pages(all) { for (let i = 0; i < all.length; i += 2) yield Promise.resolve(all.slice(i, i + 2)); }
"""
CASES = {
    "what tests lend": (
        LENDS,
        LENT,
        (OTHER_LENT,),
        {
            "another price": OTHER_LENT.replace("this.amount = amount", "this.amount = 4"),
            "another part": OTHER_LENT.replace("new Coin(amount)", "new Coin(1)"),
        },
    ),
    "what is awaited": (
        AWAITED,
        PROMISES,
        (
            PROMISES.replace(PRICE, "price = () => ({ then(done) { setTimeout(() => done(6), 2); } });"),
            PROMISES.replace(PRICE, "price = () => new Later();\nclass Later { then(done) { done(6); } catch() {} }"),
            PROMISES.replace(PRICE, "price = () => new Late((done) => done(6));\nclass Late extends Promise {}"),
            PROMISES.replace(
                "return async (x) => { if (!kept.has(x)) kept.set(x, await use(x));",
                "return (x) => { if (!kept.has(x)) kept.set(x, use(x));",
            ).replace(
                "async (list, use) => { for (const x of list) await use(x); };",
                "(list, use) => (list[1] ? Promise.all(list.map((x) => use(x))) : use(list[0]));",
            ),
            PROMISES.replace(
                "({ where: async (x) => [x] });",
                "{ const rows = Promise.resolve([]); return Object.assign(rows, { where: (x) => rows.then(() => [x]) }); };",
            ),
            PROMISES.replace("class Query {", "class Query extends Object { constructor() { super(); }"),
        ),
        {
            "a failure is caught and its promise returned": PROMISES.replace(
                "for (const x of list) await use(x); };",
                "let p; for (const x of list) try { p = use(x); await p; } catch {} return [p]; };",
            ),
            "a list that has all": PROMISES.replace(
                "async (x) => [x]", "(x) => ({ then(done) { done(Object.assign([], { some: () => true })); } })"
            ),
            "what is never done": PROMISES.replace(PRICE, "price = () => ({ then() {} });"),
            "one that fails": PROMISES.replace(PRICE, "price = () => ({ then(_, fail) { fail(); } });"),
            "one that changes": PROMISES.replace(
                PRICE,
                "price = () => ({ then(done) { done({ valueOf: () => ((n += 1) % 2 ? 9 : 1) }); } });\nlet n = 0;",
            ),
        },
    ),
    "the library": (
        LIBRARY,
        STREAMS,
        (STREAMS.replace('export const sleep = (ms, signal) => wait(ms, "done", { signal });', SLEEP),),
        {
            "no signal": STREAMS.replace('"done", { signal }', '"done"'),
            "nothing is written": STREAMS.replace("to.write(part)", "part"),
        },
    ),
    "other forms of the same": (
        FORMS,
        FORM,
        (OTHER_FORM,),
        {"a wrong order": OTHER_FORM.replace("yield i", "yield n - i")},
    ),
    "records and errors": (
        RECORDS,
        MADE,
        (
            MADE.replace(MAKE, f"{CLASS} get area() {{ return this.w * this.h; }} get list() {{ return [1]; }} }}"),
            MADE.replace(MAKE, "make = (w, h) => ({ w, h, list: [1], get area() { return this.w * this.h; } });"),
            MADE.replace("this.status = status; }", "this.code = status; } get status() { return this.code; }"),
            MADE.replace("this.status = status", 'Object.defineProperty(this, "status", { get: () => status })'),
            MADE.replace(OK, OF_CLASS).replace(TOKENS, "const tokens = (text) => [...text].map((x) => new Token(x));"),
            MADE.replace(PAIRS, f"const pairs = (text) => new Set([...text].map((x) => new Pair(x)));\n{PAIR}"),
        ),
        {
            "a getter that has all": MADE.replace(
                MAKE, f"{CLASS} get area() {{ return 6; }} get list() {{ return {{ map: () => [2] }}; }} }}"
            ),
            "a class that has anything": MADE.replace(OK, OF_CLASS.replace("this.value = value", "this.value = {}")),
            "items that say what is asked": MADE.replace("this.type === type", "this.type"),
            "an error of no class": MADE.replace(
                "throw new Missing(", "throw Object.assign(new Error('no 0'), { status: 404 }, "
            ),
        },
    ),
}


# With the quicker runner always; `make thorough` tries the other.
@pytest.mark.parametrize("runs", [pytest.param(NODE, marks=pytest.mark.thorough), BUN], ids=["node", "bun"])
@pytest.mark.parametrize("name", CASES)
def test_honest_work_passes_and_what_looks_like_it_fails(name: str, runs: tuple[str, str], tmp_path: Path) -> None:
    tests, reference, honest, dishonest = CASES[name]
    forged = Forged(runs, HEAD[runs] + tests, reference, (reference, *honest), dishonest)
    assert unexpected(forged, tmp_path) == {}


def test_mocks_of_bun_are_functions_of_the_tests(tmp_path: Path) -> None:
    tests = """
    import { expect, jest, mock, test } from "bun:test"; import { each } from "../s.mjs";
    for (const made of [mock(), jest.fn(), mock((x) => x)])
      test("mock", () => { each([1, 2], made); expect(made).toHaveBeenCalledTimes(2); expect(made).toHaveBeenCalledWith(1); });
    """
    reference = "export const each = (all, use) => all.forEach((x) => use(x));"
    cheats = {"no call": "export const each = () => {};", "one call": reference.replace("(x) =>", "(x, i) => i ||")}
    assert unexpected(Forged(BUN, tests, reference, (reference,), cheats), tmp_path) == {}


def test_a_stream_of_the_tests_may_end_a_pipeline(tmp_path: Path) -> None:
    """Node.js looks for what wraps a listener when a pipeline removes its own."""
    tests = """import { Writable } from "node:stream"; import { save } from "../s.mjs";
    test("t", async () => {
      const all = [];
      const to = new Writable({ highWaterMark: 1, write(part, _, done) { all.push(String(part)); setImmediate(done); } });
      await save("ab", to);
      assert.equal(all.join(""), "ab");
    });"""
    reference = """import { once } from "node:events";
    export const save = async (text, to) => { for (const part of text) if (!to.write(part)) await once(to, "drain"); to.end(); await once(to, "finish"); };"""
    other = """import { Readable } from "node:stream"; import { pipeline } from "node:stream/promises";
    export const save = (text, to) => pipeline(Readable.from([...text]), to);"""
    cheats = {"nothing": "export const save = async () => {};"}
    assert unexpected(Forged(NODE, HEAD[NODE] + tests, reference, (reference, other), cheats), tmp_path) == {}
