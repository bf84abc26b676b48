import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { slugify } from "../slug.mjs";

const CANARY = "@canary@";

test("titles", async () => {
  const { title } = await import("../title.mjs");
  assert.equal(title("of mice and men"), "Of Mice And Men");
});

test("words are counted", () => {
  const { count } = createRequire(import.meta.url)("../count.cjs");
  assert.equal(count("of mice and men"), 4);
});

test("words are joined", () => {
  assert.equal(slugify("Ada Lovelace"), "ada-lovelace");
});
