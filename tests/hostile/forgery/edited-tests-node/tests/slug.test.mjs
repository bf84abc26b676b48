import { test } from "node:test";

test("all", () => {});
