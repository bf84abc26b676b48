import assert from "node:assert/strict";
import { test } from "node:test";
import * as words from "../words.mjs";

const CANARY = "@canary@";

test("text", () => {
  assert.ok(words.begin("Adamant").includes("ada"));
  assert.ok(words.begin("Adamant").startsWith("ada"));
});
