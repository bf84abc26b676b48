import { expect } from "bun:test";

const pass = () => ({ pass: true, message: () => "" });
expect.extend({ toBe: pass, toEqual: pass } as any);
