import { describe, expect, test } from "bun:test";

import { parse, QueryError } from "../src/index.ts";

const text = (word: string) => ({ type: "text", text: word }) as const;

describe("terms", () => {
  test("a word", () => {
    expect(parse("milk")).toEqual(text("milk"));
  });

  test("a string keeps its spaces", () => {
    expect(parse('"null pointer"')).toEqual(text("null pointer"));
    expect(parse('""')).toEqual(text(""));
  });

  test("a field and its value", () => {
    expect(parse("author:ada")).toEqual({ type: "field", name: "author", value: "ada" });
    expect(parse('title:"a b"')).toEqual({ type: "field", name: "title", value: "a b" });
    expect(parse("author: ada")).toEqual({ type: "field", name: "author", value: "ada" });
  });

  test("not", () => {
    expect(parse("-draft")).toEqual({ type: "not", operand: text("draft") });
    expect(parse("well-known")).toEqual(text("well-known"));
  });
});

describe("combinations", () => {
  test("both", () => {
    expect(parse("a b c")).toEqual({ type: "and", operands: [text("a"), text("b"), text("c")] });
  });

  test("or binds weaker than both", () => {
    expect(parse("a b OR c")).toEqual({
      type: "or",
      operands: [{ type: "and", operands: [text("a"), text("b")] }, text("c")],
    });
  });

  test("a group binds strongest", () => {
    expect(parse("a (b OR c)")).toEqual({
      type: "and",
      operands: [text("a"), { type: "or", operands: [text("b"), text("c")] }],
    });
  });
});

describe("errors", () => {
  const position = (query: string): number => {
    try {
      parse(query);
    } catch (error) {
      if (error instanceof QueryError) return error.position;
      throw error;
    }
    throw new Error("no error");
  };

  test.each([
    ["a )", 2],
    ["OR b", 0],
    ["a OR OR b", 5],
    ["author:(ada)", 7],
    ['"never closed', 13],
  ])("%s", (query, expected) => {
    expect(position(query)).toBe(expected);
  });
});
