/** Queries that end too early: a `QueryError` with the query's length as its position, never a TypeError. */
import { expect, test } from "bun:test";

import { ask } from "./ask.ts";

test.each([
  ["author:", 'expected a value after "author:"'],
  ["a author:  ", 'expected a value after "author:"'],
  ["(a OR b", 'expected ")"'],
  ["((a)", 'expected ")"'],
  ["(", "expected a term"],
  ["a OR", "expected a term"],
  ["-", "expected a term"],
  ["a --", "expected a term"],
  ["(a OR", "expected a term"],
])("%s", (query, message) => {
  expect(ask(query)).toEqual({ error: { name: "QueryError", message, position: query.length } });
});

test.each(["", " ", "\t\n "])("nothing at all, as %j, is everything", (query) => {
  expect(ask(query)).toEqual({ node: { type: "all" } });
});
