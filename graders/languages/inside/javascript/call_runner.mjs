// Calls functions of a module, and writes what they return as data: `node --input-type=module -e SOURCE FIRST`, or Bun.
// inside/calls.sh says what stdin and the descriptors are. This is the candidate's process.

import { readFileSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const REPLY_BYTES = 1 << 20;
const TEXT_CHARACTERS = 2000;
const DEEPEST = 40;

class NoData extends Error {}

// A value as JSON has it, what JSON lacks as an object with one key.
function dataOf(value, depth = 0) {
  if (depth > DEEPEST) throw new NoData(`a value that is nested deeper than ${DEEPEST} levels`);
  const each = (parts) => Array.from(parts, (part) => dataOf(part, depth + 1));
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "bigint") return { $int: String(value) };
  if (typeof value === "number") {
    if (Number.isFinite(value)) return value;
    return { $float: Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf" };
  }
  if (typeof value !== "object") throw new NoData(`a ${typeof value}`);
  if (Array.isArray(value)) return each(value);
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("hex") };
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return each(value);
  if (value instanceof Set) return { $set: each(value) };
  if (value instanceof Map) return { $dict: each(value) };
  if (value instanceof Date) return { $datetime: value.toISOString() };
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return dataOf(value.valueOf(), depth);
  const kind = Object.getPrototypeOf(value)?.constructor?.name ?? "Object";
  if (typeof value.next === "function" || value instanceof WeakMap) throw new NoData(`a ${kind}`);
  const entries = Object.entries(value).map(([name, part]) => [name, dataOf(part, depth + 1)]);
  if (kind !== "Object") return { $object: [kind, Object.fromEntries(entries)] };
  return entries.some(([name]) => name.startsWith("$") || name === "__proto__") ? { $dict: entries } : Object.fromEntries(entries);
}

function raised(error) {
  const names = [];
  const first = error instanceof Error ? [error.name] : [];
  for (let kind = error; kind !== null && kind !== undefined && names.length < 20; kind = Object.getPrototypeOf(kind)) {
    const name = Object.getPrototypeOf(kind)?.constructor?.name;
    if (name && name !== "Object") names.push(name);
  }
  const message = error instanceof Error ? error.message : String(error);
  return { raised: [...new Set([...first, ...names].map(String))], message: String(message).slice(0, TEXT_CHARACTERS) };
}

async function cameOf(module, line) {
  const [name, args] = line.split("\t");
  let owner;
  let called = module;
  for (const part of name.split(".")) [owner, called] = [called, called?.[part] ?? (called === module ? called.default?.[part] : undefined)];
  if (typeof called !== "function") return { missing: name };
  const given = (0, eval)(args);
  let value;
  try {
    value = await called.apply(owner === module ? undefined : owner, given);
  } catch (error) {
    return raised(error);
  }
  try {
    return { returned: dataOf(value) };
  } catch (error) {
    return { no_data: error instanceof NoData ? error.message : String(error?.name) };
  }
}

function write(descriptor, text) {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

const first = Number(process.argv.at(-1));
const [from, ...calls] = readFileSync(0, "utf8").split("\n").slice(0, -1);
let module;
let problem;
try {
  module = await import(pathToFileURL(resolve(from)).href);
} catch (error) {
  problem = { ...raised(error), loading: true };
}
for (let number = first; number < calls.length; number += 1) {
  let said;
  try {
    said = problem ?? (await cameOf(module, calls[number]));
  } catch {
    said = { no_data: "an error that cannot be read" };
  }
  let text = JSON.stringify({ call: number, ...said });
  if (text.length > REPLY_BYTES) text = JSON.stringify({ call: number, no_data: `a value of more than ${REPLY_BYTES >> 20} MiB` });
  write(3, `${text}\n`);
  write(4, `${number}\n`);
}
process.exit(0);
