"""What JavaScript's tests lend as attributes, as arguments, and from functions: each is a place of its own."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

from pathlib import Path

import pytest
from forged_javascript import BUN, NODE, Forged, unexpected

HEAD = {
    NODE: 'import test from "node:test"; import assert from "node:assert/strict";',
    BUN: 'import { test } from "bun:test"; import assert from "node:assert/strict";',
}
PLACES = """
import { Channel, Table, add, configured, copyInto, extend, handle, merge } from "../s.mjs";
test("a list that is an attribute", () => {
  const [rows, table] = [[{ n: 1 }, { n: 2 }], new Table()];
  table.rows = rows;
  assert.equal(table.count(), rows.length);
});
test("what a function that is an attribute returns", async () => {
  const [all, table] = [[{ n: "ada" }, { n: "bob" }], new Table()];
  table.fetcher = async () => all;
  assert.deepEqual(await table.names(), all.map(({ n }) => n.toUpperCase()));
});
test("an attribute that changes", () => {
  const [log, table] = [[], new Table()];
  table.log = log;
  table.note("a");
  assert.deepEqual(log, ["a"]);
});
test("a function with assertions that is an attribute", () => {
  const channel = new Channel();
  channel.onmessage = (message) => assert.equal(message.text, "hello");
  channel.send("hello");
});
test("functions that are attributes get objects", () => {
  const channel = new Channel();
  const seen = [];
  channel.onmessage = function (message) { seen.push(message.words(), this === channel); };
  channel.send("hi you");
  assert.deepEqual(seen, [["hi", "you"], true]);
});
test("a function in a record gets objects", () => {
  let seen = "";
  configured.onmessage = (message) => { seen = message.text; };
  configured.send("hi");
  assert.equal(seen, "hi");
});
test("one argument changes", () => {
  const [into, from] = [{ a: 1 }, { b: 2, c: [3] }];
  extend(into, from);
  for (const key of Object.keys(from)) assert.deepEqual(into[key], from[key]);
  const all = [{ x: 1 }, { y: 2 }, { x: 3 }];
  assert.deepEqual(extend({}, ...all), Object.assign({}, ...all));
  const [list, other] = [[], [1, 2, 3]];
  assert.equal(copyInto(list, other), other.length);
  assert.deepEqual(list, other);
  const defaults = { a: 5, b: 6 };
  assert.deepEqual(merge({ a: 1 }, defaults), { ...defaults, a: 1 });
});
test("an argument changes, and what its functions return does not", async () => {
  const rows = [{ n: 1 }];
  const context = { find: async () => rows };
  await handle(context, () => {});
  assert.deepEqual(context.body, rows);
});
test("what a function of an argument returns changes", () => {
  const store = { items: [], all() { return this.items; } };
  add({ store }, "a");
  assert.deepEqual(store.items, ["a"]);
});
"""
TABLE = """
export class Table {
  log = [];
  count() { return this.rows.length; }
  async names() { return (await this.fetcher()).map(({ n }) => n.toUpperCase()); }
  note(text) { this.log.push(text); }
}
"""
NAMES = "return (await this.fetcher()).map(({ n }) => n.toUpperCase());"
EXTEND = (
    "extend = (into, ...all) => { for (const one of all) for (const key in one) into[key] = one[key]; return into; };"
)
COPY = "copyInto = (list, other) => { for (const x of other) list.push(x); return list.length; };"
MERGE = "merge = (options, all) => { for (const key in all) options[key] ??= all[key]; return options; };"
HANDLE = "handle = async (context, next) => { context.body = await context.find(); next(); };"
SEND = "this.onmessage?.(new Message(text));"
PLACED = f"""
{TABLE}
class Message {{ constructor(text) {{ this.text = text; }} words() {{ return this.text.split(" "); }} }}
export class Channel {{ onmessage = null; send(text) {{ {SEND} }} }}
export const configured = {{ onmessage: null, send(text) {{ {SEND} }} }};
export const {EXTEND}
export const {COPY}
export const {MERGE}
export const {HANDLE}
export const add = ({{ store }}, x) => {{ store.all().push(x); }};
"""
PLACED_BY_OTHERS = (
    PLACED.replace(EXTEND, "extend = (...all) => Object.assign(...all);")
    .replace(COPY, "copyInto = (list, other = []) => { list.splice(0, 0, ...other); return other.length; };")
    .replace(MERGE, "merge = (options, all) => Object.assign(options, { ...all, ...options });")
    .replace("this.log.push(text)", "const log = this.log; log[log.length] = text")
    .replace("store.all().push(x)", "store.items.push(x)")
    .replace(
        "onmessage = null; send",
        "#use; set onmessage(use) { this.#use = use; } get onmessage() { return this.#use; } send",
    )
    .replace("context.body =", "const { find } = context; Object.assign(context, { body: null }).body =")
    .replace("context.find()", "find.call(context)"),
)
MISPLACED = {
    "an attribute is emptied": PLACED.replace("return this.rows.length", "return (this.rows.length = 0)"),
    "what a function returns is emptied": PLACED.replace(NAMES, "(await this.fetcher()).length = 0; return [];"),
    "no function that is an attribute is called": PLACED.replace(SEND, "if (text !== 'hello') " + SEND, 1),
    "a source is emptied": PLACED.replace(
        EXTEND, "extend = (into, ...all) => { for (const one of all) for (const key in one) delete one[key]; return into; };"
    ),
    "a list is emptied": PLACED.replace(COPY, "copyInto = (list, other) => (other.length = 0);"),
    "defaults are removed": PLACED.replace(
        MERGE, "merge = (options, all) => { for (const key in all) delete all[key]; return options; };"
    ),
    "what a function of an argument returns is emptied": PLACED.replace(
        HANDLE, "handle = async (context) => { (await context.find()).length = 0; context.body = []; };"
    ),
}  # fmt: skip


@pytest.mark.parametrize("runs", [NODE, BUN], ids=["node", "bun"])
def test_each_place_is_the_submissions_to_change_as_it_is_the_references(runs: tuple[str, str], tmp_path: Path) -> None:
    forged = Forged(runs, HEAD[runs] + PLACES, PLACED, (PLACED, *PLACED_BY_OTHERS), MISPLACED)
    assert unexpected(forged, tmp_path) == {}
