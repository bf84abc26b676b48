import { expect, test } from "bun:test";
import { fields } from "../src/parser";

test("splits", () => expect(fields("a, b")).toEqual(["a", "b"]));
test("takes nothing", () => expect(fields(null)).toEqual([]));
