import { expect, test } from "bun:test";
import { slugify } from "../slug";

test("words are joined", () => {
  expect(slugify("Ada Lovelace")).toBe("ada-lovelace");
});

test("several at once", () => {
  expect(["A", "B c"].map(slugify)).toEqual(["a", "b-c"]);
});
