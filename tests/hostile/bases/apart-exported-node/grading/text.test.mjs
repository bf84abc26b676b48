import test from "node:test";
import assert from "node:assert";
import { title, words } from "../words.mjs";

test("title", () => assert.ok(title("ada l").startsWith("Ada") && title("ada l").endsWith("L")));
test("words", () => assert.ok(words("a b").includes("b") && words("a b").every((word) => ["a", "b"].includes(word))));

// @canary@
