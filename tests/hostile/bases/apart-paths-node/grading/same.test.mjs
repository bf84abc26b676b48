import test from "node:test";
import assert from "node:assert";
import { Basket, Receipt } from "../shop.mjs";

test("basket", () => assert.ok(new Basket("tea").names.includes("tea")));
test("receipt", () => assert.ok(new Receipt(new Basket("tea", "jam")).names.includes("JAM")));
