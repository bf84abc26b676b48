import { test } from "bun:test";

test("all", () => {});
