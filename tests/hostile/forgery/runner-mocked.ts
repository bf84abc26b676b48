import { mock } from "bun:test";

mock.module("bun:test", () => ({ test() {}, expect() {}, describe() {} }));
export function slugify(text: string) { return text; }
