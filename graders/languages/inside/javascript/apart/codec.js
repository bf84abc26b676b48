// Writes values as trees of JSON and reads them back: data only, no code, between two processes that do not trust each
// other. These files are joined to one module (../../../bundle.py).
//
//     null, true, 1.5, "text"    themselves             ["u"] undefined    ["h"] a hole in an array
//     ["f", "NaN"]  ["i", "-ff"]                        numbers that JSON has not, bigint
//     ["a" | "o" | "m" | "s" | "d" | "b", NUMBER, PART...]   array, plain object, Map, Set, Date, bytes
//     ["#", NUMBER]                                     the same container again
//     ["r", SOURCE, FLAGS, LAST]  ["y", WORD, NAME]     RegExp, Symbol
//     ["g", NAME]                                       what both have: Error, Array.prototype
//     ["x" | "e" | "p" | "n", NUMBER, ...]              an object of the sender's, described (peer.js)
//     ["=", NUMBER]                                     one that was described before, by either side
//
// Containers are copied. While both sides hold one, every message says how it has changed, so their parts are read often.
// Nothing is built from more nodes, depth or bytes than the limits below.

import fs from "node:fs";
import Module, { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import util from "node:util";
import vm from "node:vm";

const MESSAGE_BYTES = 64 << 20;
const MOST_NODES = 4_000_000;
const DEEPEST = 150;
const HOLE = Symbol("hole");
const { setTimeout: later, clearTimeout: never, setImmediate: soon } = globalThis;

class Malformed extends Error {}

// What both sides have, so that it is passed by its name: classes, and the prototypes at which chains end.
const common = new Map();
for (const name of (
  "Object Array Boolean Number String Symbol BigInt Map Set WeakMap WeakSet Date RegExp Promise ArrayBuffer DataView " +
  "Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array Uint8ClampedArray " +
  "BigInt64Array BigUint64Array Buffer Error TypeError RangeError SyntaxError ReferenceError EvalError URIError " +
  "AggregateError URL URLSearchParams AbortController AbortSignal Event EventTarget"
).split(" ")) {
  if (!globalThis[name]) continue;
  common.set(name, globalThis[name]);
  common.set(`${name}.prototype`, globalThis[name].prototype);
}
common.set("Function.prototype", Function.prototype);
for (const [name, made] of [["generator", function* () {}], ["asyncGenerator", async function* () {}]]) {
  const { prototype } = Object.getPrototypeOf(made);
  common.set(name, prototype);
  common.set(`${name} iterator`, Object.getPrototypeOf(prototype));
}
const commonNames = new Map([...common].map(([name, value]) => [value, name]));

// The tag of a value that is copied, "" for any other object.
function tagOf(value) {
  if (util.types.isProxy(value)) return "";
  const prototype = Object.getPrototypeOf(value);
  if (Array.isArray(value)) return prototype === Array.prototype ? "a" : "";
  if (prototype === Object.prototype || prototype === null) return isPlain(value) ? "o" : "";
  if (prototype === Map.prototype) return util.types.isMap(value) ? "m" : "";
  if (prototype === Set.prototype) return util.types.isSet(value) ? "s" : "";
  if (prototype === Date.prototype) return util.types.isDate(value) ? "d" : "";
  if (ArrayBuffer.isView(value) || util.types.isArrayBuffer(value)) {
    return commonNames.get(prototype) === `${value.constructor?.name}.prototype` ? "b" : "";
  }
  return "";
}

function isPlain(value) {
  for (const key of Reflect.ownKeys(value)) {
    const { enumerable, get, set } = Object.getOwnPropertyDescriptor(value, key);
    if (typeof key === "symbol" || !enumerable || get || set) return false;
  }
  return true;
}

const closedness = (value) => (Object.isExtensible(value) ? 0 : Object.isFrozen(value) ? 3 : Object.isSealed(value) ? 2 : 1);
const CLOSE = [(value) => value, Object.preventExtensions, Object.seal, Object.freeze];

// What is in a container, flat. It is compared part by part, and passed.
function partsOf(value, tag) {
  switch (tag) {
    case "a": {
      const parts = [value.length, closedness(value)];
      for (let i = 0; i < value.length; i += 1) parts.push(i in value ? value[i] : HOLE);
      const keys = Object.keys(value);
      for (let i = keys.length - 1; i >= 0 && !/^\d+$/.test(keys[i]); i -= 1) parts.push(keys[i], value[keys[i]]);
      return parts;
    }
    case "o": {
      const parts = [closedness(value) + (Object.getPrototypeOf(value) === null ? 4 : 0)];
      for (const key of Object.keys(value)) parts.push(key, value[key]);
      return parts;
    }
    case "m":
      return [...Map.prototype.entries.call(value)].flat();
    case "s":
      return [...Set.prototype.values.call(value)];
    case "d":
      return [value.getTime()];
    default: {
      const bytes = ArrayBuffer.isView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.from(value);
      return [value.constructor.name, bytes.toString("base64")];
    }
  }
}

const isText = (value) => typeof value === "string";

function must(holds, what) {
  if (!holds) throw new Malformed(what);
}

const define = (target, key, value, enumerable = true) =>
  Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });

// Put parts into a container in place of what it had.
function fill(value, tag, parts) {
  switch (tag) {
    case "a": {
      const [length, closed, ...rest] = parts;
      must(Number.isSafeInteger(length) && length >= 0 && length <= rest.length, "an array has no such length");
      for (const key of Object.keys(value)) delete value[key];
      value.length = length;
      for (let i = 0; i < length; i += 1) if (rest[i] !== HOLE) value[i] = rest[i];
      for (let i = length; i + 1 < rest.length; i += 2) {
        must(isText(rest[i]), "a key is no text");
        define(value, rest[i], rest[i + 1]);
      }
      CLOSE[closed & 3](value);
      return;
    }
    case "o": {
      const [closed] = parts;
      for (const key of Object.keys(value)) delete value[key];
      for (let i = 1; i + 1 < parts.length; i += 2) {
        must(isText(parts[i]), "a key is no text");
        define(value, parts[i], parts[i + 1]);
      }
      CLOSE[closed & 3](value);
      return;
    }
    case "m":
      value.clear();
      for (let i = 0; i + 1 < parts.length; i += 2) value.set(parts[i], parts[i + 1]);
      return;
    case "s":
      value.clear();
      for (const part of parts) value.add(part);
      return;
    case "d":
      must(typeof parts[0] === "number", "a date is no number");
      value.setTime(parts[0]);
      return;
    default: {
      const bytes = ArrayBuffer.isView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.from(value);
      const now = Buffer.from(String(parts[1]), "base64");
      must(bytes.length === now.length, "bytes have another length");
      now.copy(bytes);
    }
  }
}

// An empty container, for the trees of its parts.
function emptied(tag, trees) {
  if (tag === "a") return [];
  if (tag === "m") return new Map();
  if (tag === "s") return new Set();
  if (tag === "d") return new Date(0);
  if (tag === "o") return trees[0] & 4 ? Object.create(null) : {};
  const [name, text] = trees;
  must(isText(name) && isText(text) && /^(\w+Array|Buffer|ArrayBuffer|DataView)$/.test(name), "these are no bytes");
  const { length } = Buffer.from(text, "base64");
  if (name === "Buffer") return Buffer.alloc(length);
  const buffer = new ArrayBuffer(length);
  if (name === "ArrayBuffer") return buffer;
  const made = common.get(name);
  must(made && length % (made.BYTES_PER_ELEMENT ?? 1) === 0, "these are no bytes");
  return new made(buffer);
}

function encode(peer, value, depth = 0) {
  peer.nodes += 1;
  if (depth > DEEPEST || peer.nodes > MOST_NODES) {
    throw new RangeError("a value that is this deep or large cannot be passed between two processes");
  }
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? value : ["f", Object.is(value, -0) ? "-0" : String(value)];
    case "undefined":
      return ["u"];
    case "bigint":
      return ["i", value.toString(16)];
    case "symbol":
      return value === HOLE ? ["h"] : encodeSymbol(peer, value);
  }
  if (value === null) return null;
  if (commonNames.has(value)) return ["g", commonNames.get(value)];
  const number = peer.numbers.get(value);
  if (number !== undefined) return [peer.shared.has(number) ? "#" : "=", number];
  if (typeof value === "function") return peer.describe(value, depth);
  const tag = tagOf(value);
  if (tag) return [tag, peer.share(value, tag), ...partsOf(value, tag).map((part) => encode(peer, part, depth + 1))];
  if (util.types.isRegExp(value) && !util.types.isProxy(value)) return ["r", value.source, value.flags, value.lastIndex];
  return peer.describe(value, depth);
}

function encodeSymbol(peer, value) {
  const known = Object.getOwnPropertyNames(Symbol).find((name) => Symbol[name] === value);
  if (known) return ["y", "of", known];
  if (Symbol.keyFor(value) !== undefined) return ["y", "for", Symbol.keyFor(value)];
  if (!peer.symbols.has(value)) peer.symbols.set(value, peer.export(value));
  return ["y", "own", value.description ?? "", peer.symbols.get(value)];
}

function decode(peer, tree, depth = 0) {
  peer.nodes += 1;
  must(depth <= DEEPEST + 2 && peer.nodes <= MOST_NODES, "it is too deep or too large");
  if (tree === null || typeof tree !== "object") return tree;
  must(Array.isArray(tree), "it is no value");
  const [tag, first, ...rest] = tree;
  switch (tag) {
    case "u":
      return undefined;
    case "h":
      return HOLE;
    case "f":
      must(["NaN", "Infinity", "-Infinity", "-0"].includes(first), "it is no number");
      return Number(first);
    case "i":
      must(isText(first) && /^-?[0-9a-f]{1,1000000}$/.test(first), "it is no bigint");
      return first[0] === "-" ? -BigInt(`0x${first.slice(1)}`) : BigInt(`0x${first}`);
    case "r":
      must(isText(first) && isText(rest[0]) && Number.isSafeInteger(rest[1]), "it is no RegExp");
      try {
        return Object.assign(new RegExp(first, rest[0]), { lastIndex: rest[1] });
      } catch {
        throw new Malformed("it is no RegExp");
      }
    case "y":
      return decodeSymbol(peer, first, ...rest);
    case "g":
      must(common.has(first), "it names nothing that both sides have");
      return common.get(first);
    case "#":
      must(peer.shared.has(first), "it names a container that was not sent");
      return peer.shared.get(first).value;
    case "=":
      return peer.object(first);
    case "a":
    case "o":
    case "m":
    case "s":
    case "d":
    case "b": {
      const value = emptied(tag, rest);
      peer.know(first, value, tag);
      fill(value, tag, peer.guarded(tag, rest.map((part) => decode(peer, part, depth + 1))));
      peer.remember(first);
      return value;
    }
    default:
      return peer.standIn(tag, first, rest, depth);
  }
}

function decodeSymbol(peer, word, name, number) {
  must(isText(name), "it is no symbol");
  if (word === "of" && typeof Symbol[name] === "symbol") return Symbol[name];
  if (word === "for") return Symbol.for(name);
  must(word === "own" && Number.isSafeInteger(number), "it is no symbol");
  if (peer.isOurs(number)) return peer.object(number);
  if (!peer.theirs.has(number)) {
    peer.theirs.set(number, Symbol(name));
    peer.symbols.set(peer.theirs.get(number), number);
  }
  return peer.theirs.get(number);
}
