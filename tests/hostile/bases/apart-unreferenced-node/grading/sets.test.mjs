import test from "node:test";
import assert from "node:assert";
import { letters } from "../words.mjs";

test("letters", () => {
  assert.ok(letters("abc").has("a"));
  assert.ok(letters("abc").has("c"));
});

// @canary@
