import assert from "node:assert/strict";
import { test } from "node:test";
import * as words from "../words.mjs";

test("numbers", () => {
  assert.ok(Math.abs(words.root(2.25) - 1.5) < 1e-9);
  const found = words.root(2);
  assert.ok(found > 1.41 && found < 1.42);
});
