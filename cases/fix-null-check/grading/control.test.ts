/** Must fail, whatever the candidate does: if it passes, the tests that were run like it prove nothing. */
import { expect, test } from "bun:test";

import { parse } from "../src/index.ts";

test("a control", () => {
  expect(parse("milk")).toEqual({ type: "text", text: "water" });
});
