/** Candidates never see this file. Their words.ts runs in another process, as another user that cannot read it. */
import { expect, test } from "bun:test";

import { countWords } from "../words.ts";

test.each([
  ["one\n", 1],
  ["to be or not to be\n", 6],
  ["  \t\n", 0],
  ["a\n\nb  c\td", 4],
  ["", 0],
])("the words of %j", (text, wanted) => {
  expect(countWords(text)).toBe(wanted);
});
