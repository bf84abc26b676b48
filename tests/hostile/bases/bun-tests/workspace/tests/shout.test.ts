import { expect, test } from "bun:test";
import { shout } from "../slug";

test("all is in upper case", () => {
  expect(shout("Ada Lovelace")).toBe("ADA LOVELACE");
});
