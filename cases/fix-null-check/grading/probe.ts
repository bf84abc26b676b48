/**
 * Parses one query, which comes on stdin, and writes what came of it as one line of JSON.
 *
 * The hidden tests run this as a process of its own and never import the candidate: code that is loaded into
 * `bun test` can end it with `process.exit(0)`, and bun then reports success without having run a test.
 */
import { parse } from "../src/index.ts";

const query = await Bun.stdin.text();
let result: unknown;
try {
  result = { node: parse(query) };
} catch (error) {
  const { name, message, position } = error as { name?: string; message?: string; position?: number };
  result = { error: { name, message, position } };
}
console.log(`\n${JSON.stringify(result)}`);
