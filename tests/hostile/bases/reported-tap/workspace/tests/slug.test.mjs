import assert from "node:assert/strict";
import { test } from "node:test";
import { slugify } from "../slug.mjs";

test("words are joined", () => {
  assert.equal(slugify("Ada Lovelace"), "ada-lovelace");
});

test("several at once", () => {
  assert.deepEqual(["A", "B c"].map(slugify), ["a", "b-c"]);
});
