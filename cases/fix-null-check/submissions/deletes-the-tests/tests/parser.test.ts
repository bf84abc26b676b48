import { test } from "bun:test";

test("nothing", () => {});
