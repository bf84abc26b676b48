import test from "node:test";
import assert from "node:assert";
import { receipt } from "../shop.mjs";

test("receipt", () => {
  const [basket, text] = receipt(["tea", "jam"]);
  assert.ok(basket.includes("tea"));
  assert.ok(text.includes("bought: tea, jam"));
});

// @canary@
