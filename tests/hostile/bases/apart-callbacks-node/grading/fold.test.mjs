import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, fold, squares } from "../fold.mjs";

const CANARY = "@canary@";

test("a callback that keeps", () => {
  const kept = fold([["a", 1], ["b", 2]], (all, [key, value]) => {
    all[key] = value;
    return all;
  }, {});
  assert.equal(kept.b, 2);
});

test("text begins", () => {
  assert.ok(begin("Adamant").endsWith(" 7"));
  assert.ok(begin("banana").endsWith(" 6"));
});

test("squares", () => {
  assert.ok(squares([3]).hasOwnProperty("of3"));
});
