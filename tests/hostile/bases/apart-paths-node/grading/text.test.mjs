import test from "node:test";
import assert from "node:assert";
import { Basket, Receipt } from "../shop.mjs";

test("text", () => assert.equal(`${new Receipt(new Basket("tea", "jam"))}`, "TEA, JAM"));
