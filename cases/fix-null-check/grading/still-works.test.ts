/** Queries that were parsed or refused before the fix, and must be so after it. */
import { expect, test } from "bun:test";

import { ask } from "./ask.ts";

const text = (word: string) => ({ type: "text", text: word });

test("a query with everything in it", () => {
  expect(ask('author:ada (label:bug OR -label:"help wanted") -(a b)')).toEqual({
    node: {
      type: "and",
      operands: [
        { type: "field", name: "author", value: "ada" },
        {
          type: "or",
          operands: [
            { type: "field", name: "label", value: "bug" },
            { type: "not", operand: { type: "field", name: "label", value: "help wanted" } },
          ],
        },
        { type: "not", operand: { type: "and", operands: [text("a"), text("b")] } },
      ],
    },
  });
});

test("words that look like something else", () => {
  expect(ask('null undefined "" "OR"')).toEqual({
    node: { type: "and", operands: [text("null"), text("undefined"), text(""), text("OR")] },
  });
});

test.each([
  ["()", 'unexpected ")"', 1],
  [")", 'unexpected ")"', 0],
  ["a (b))", 'unexpected ")"', 5],
  ["(a OR )", 'unexpected ")"', 6],
  ["author:-x", 'expected a value after "author:"', 7],
  ["author: OR b", 'expected a value after "author:"', 8],
  ["a ::", 'unexpected ":"', 2],
])("%s", (query, message, position) => {
  expect(ask(query)).toEqual({ error: { name: "QueryError", message, position } });
});
