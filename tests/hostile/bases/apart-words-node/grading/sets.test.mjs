import assert from "node:assert/strict";
import { test } from "node:test";
import * as words from "../words.mjs";

test("sets", () => {
  assert.ok(words.letters("abc").has("b"));
  assert.ok("c" in words.places("abc"));
});
