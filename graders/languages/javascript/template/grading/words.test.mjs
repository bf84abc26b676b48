/** Candidates never see this file. Their words.mjs runs in another process, as another user that cannot read it. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { countWords } from "../words.mjs";

for (const [text, wanted] of [
  ["one\n", 1],
  ["to be or not to be\n", 6],
  ["  \t\n", 0],
  ["a\n\nb  c\td", 4],
  ["", 0],
]) {
  test(`the words of ${JSON.stringify(text)}`, () => assert.equal(countWords(text), wanted));
}
