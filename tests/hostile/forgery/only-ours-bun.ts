import { test } from "bun:test";

test.only("ours", () => {});

export function slugify(text: string) {
  return text;
}
