// Values as trees of JSON, written and read (docs/explanation/boundary.md).

const KINDS = Object.fromEntries(Object.entries(TABLE.kinds).map(([tag, all]) => [tag, new Set(all.javascript)]));

const [HOLE, KEYS, NEW] = ["hole", "keys", "new"].map(Symbol);
// What both sides know by name; the well-known symbols among them.
const CONSTANTS = new Map([
  ["undefined", undefined],
  ["hole", HOLE],
  ["keys", KEYS],
  ["new", NEW],
]);
const wellKnown = Object.getOwnPropertyNames(Symbol).filter((name) => typeof Symbol[name] === "symbol");
for (const name of wellKnown) CONSTANTS.set(`Symbol.${name}`, Symbol[name]);
const CONSTANT_NAMES = new Map([...CONSTANTS].map(([name, value]) => [value, name]));
// Where symbols of the submission came first.
const SYMBOLS = new Map();
const FLOATS = { nan: NaN, inf: Infinity, "-inf": -Infinity, "-0": -0 };
const { Date } = globalThis; // Tests may replace it.
const isText = (value) => typeof value === "string";
const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
const isIndex = (key) => /^\d+$/.test(key);
const define = (target, key, value, enumerable = true) =>
  Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });

// The tag of a value that is copied, "" for any other object.
function tagOf(value) {
  if (typeof value === "function" || util.types.isProxy(value)) return "";
  const prototype = Object.getPrototypeOf(value);
  if (Array.isArray(value)) return prototype === Array.prototype ? "l" : "";
  if (prototype === Object.prototype || prototype === null) return isPlain(value) ? "r" : "";
  if (prototype === Map.prototype) return util.types.isMap(value) ? "d" : "";
  if (prototype === Set.prototype) return util.types.isSet(value) ? "s" : "";
  if (prototype === Date.prototype) return util.types.isDate(value) ? "w" : "";
  if (!ArrayBuffer.isView(value) && !util.types.isArrayBuffer(value)) return "";
  const name = value.constructor?.name;
  return KINDS.B.has(name) && globalThis[name]?.prototype === prototype ? "B" : "";
}

function isPlain(value) {
  if (value === globalThis) return false;
  for (const key of Reflect.ownKeys(value)) {
    const { enumerable, get, set } = Object.getOwnPropertyDescriptor(value, key);
    if (!isText(key) || !enumerable || get || set) return false;
  }
  // What can be awaited stays where it is.
  return typeof value.then !== "function";
}

const closedness = (value) =>
  Object.isExtensible(value) ? "" : Object.isFrozen(value) ? "frozen" : Object.isSealed(value) ? "sealed" : "fixed";
const CLOSE = { frozen: Object.freeze, sealed: Object.seal, fixed: Object.preventExtensions };

const bytesOf = (value) =>
  ArrayBuffer.isView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.from(value);

function fromBase64(text) {
  const bytes = Buffer.from(isText(text) ? text : "", "base64");
  must(bytes.toString("base64") === text, "these are not bytes");
  return bytes;
}

// The kind of a container and what is in it, flat: it is compared part by part, and passed.
function partsOf(value, tag) {
  switch (tag) {
    case "l": {
      const parts = [closedness(value)];
      for (let i = 0; i < value.length; i += 1) parts.push(i in value ? value[i] : HOLE);
      const keys = Object.keys(value);
      // That of a template is hidden.
      if (Object.hasOwn(value, "raw") && !keys.includes("raw")) keys.push("raw");
      if (isIndex(keys.at(-1) ?? "0")) return parts;
      return [...parts, KEYS, ...keys.filter((key) => !isIndex(key)).flatMap((key) => [key, value[key]])];
    }
    case "r":
      return [Object.getPrototypeOf(value) === null ? "bare" : closedness(value), ...Object.entries(value).flat()];
    case "d":
      return ["", ...[...Map.prototype.entries.call(value)].flat()];
    case "s":
      return ["", ...Set.prototype.values.call(value)];
    case "w":
      return ["Date", Date.prototype.getTime.call(value)];
    default:
      return [value.constructor.name, bytesOf(value).toString("base64")];
  }
}

// Put parts into a container in place of what it had.
function fill(value, tag, content) {
  const [kind, ...parts] = content;
  if (tag === "l" || tag === "r") {
    const end = tag === "r" ? -1 : parts.includes(KEYS) ? parts.indexOf(KEYS) : parts.length;
    for (const key of Object.keys(value)) delete value[key];
    if (tag === "l") value.length = end;
    for (let i = 0; i < end; i += 1) if (parts[i] !== HOLE) value[i] = parts[i];
    for (let i = end + 1; i < parts.length; i += 2) {
      must(isText(parts[i]) && i + 1 < parts.length && !(tag === "l" && parts[i] === "length"), "a key is not text");
      define(value, parts[i], parts[i + 1], tag === "r" || parts[i] !== "raw");
    }
    CLOSE[kind]?.(value);
  } else if (tag === "d") {
    must(parts.length % 2 === 0, "a key has no value");
    value.clear();
    for (let i = 0; i < parts.length; i += 2) value.set(parts[i], parts[i + 1]);
  } else if (tag === "s") {
    value.clear();
    for (const part of parts) value.add(part);
  } else if (tag === "w") {
    must(parts.length === 1 && typeof parts[0] === "number", "a date is not a number");
    value.setTime(parts[0]);
  } else {
    const [bytes, now] = [bytesOf(value), fromBase64(parts[0])];
    must(parts.length === 1 && bytes.length === now.length && kind === value.constructor.name, "these are not bytes");
    now.copy(bytes);
  }
}

// An empty container.
const EMPTY = {
  l: () => [],
  r: (kind) => (kind === "bare" ? Object.create(null) : {}),
  d: () => new Map(),
  s: () => new Set(),
  w: () => new Date(0),
  B(kind, [text]) {
    const { length } = fromBase64(text);
    must(length % (globalThis[kind].BYTES_PER_ELEMENT ?? 1) === 0, "these are not bytes");
    const buffer = new ArrayBuffer(length);
    return kind === "Buffer" ? Buffer.alloc(length) : kind === "ArrayBuffer" ? buffer : new globalThis[kind](buffer);
  },
};

function encode(peer, value, depth = 0) {
  peer.parts += 1;
  if (depth > DEEPEST || peer.parts > MOST_PARTS) {
    throw new RangeError("a value that is this deep or large cannot be passed between two processes");
  }
  if (typeof value === "bigint") return ["i", value.toString(16)];
  if (CONSTANT_NAMES.has(value)) return ["k", CONSTANT_NAMES.get(value)];
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) {
    return ["f", Object.keys(FLOATS).find((name) => Object.is(FLOATS[name], value))];
  }
  if (typeof value === "symbol" && Symbol.keyFor(value) !== undefined) return ["v", "Symbol.for", Symbol.keyFor(value)];
  if (isText(value) && /[/\\%]/.test(value)) peer.told?.(value);
  if (!isObject(value) && typeof value !== "symbol") return value;
  const number = peer.numbers.get(value) ?? (peer.copies.has(value) ? peer.numberOf(value) : undefined);
  if (number !== undefined) {
    peer.lends(number);
    return [peer.shared.has(number) ? "#" : "o", number];
  }
  if (typeof value === "symbol") return ["y", peer.export(value), value.description ?? ""];
  const tag = peer.stays?.(value, depth) ? "" : tagOf(value);
  const name = peer.nameOf(value, tag);
  if (name !== undefined) return ["k", name];
  if (tag) return encodeContainer(peer, peer.share(value, tag), tag, partsOf(value, tag), depth);
  if (util.types.isRegExp(value)) return ["v", "RegExp", value.source, value.flags, value.lastIndex];
  return peer.describe(value, depth);
}

function encodeContainer(peer, number, tag, content, depth) {
  const [kind, ...parts] = content;
  return [tag, number, kind, ...parts.map((part) => encode(peer, part, depth + 1))];
}

// `at` says where the value arrives (contract.js), which decides what becomes of objects.
function decode(peer, tree, at, depth = 0) {
  peer.parts += 1;
  must(depth <= DEEPEST + 2 && peer.parts <= MOST_PARTS, "it is too deep or too large");
  if (typeof tree === "number") must(Number.isFinite(tree), "it is not a number");
  if (isText(tree) && /[/\\%]/.test(tree)) peer.heard?.(tree);
  if (tree === null || typeof tree !== "object") return tree;
  must(Array.isArray(tree), "it is not a value");
  const [tag, first, ...rest] = tree;
  must(!"kfi#o".includes(tag) || rest.length === 0, "a value has other parts");
  must(!"kfi".includes(tag) || isText(first), "it is not text");
  switch (tag) {
    case "k":
      return CONSTANTS.has(first) ? CONSTANTS.get(first) : peer.named(first);
    case "f":
      must(Object.hasOwn(FLOATS, first), "it is not a number");
      return FLOATS[first];
    case "i":
      must(/^-?[0-9a-f]{1,1000000}$/.test(first), "it is not a bigint");
      return first[0] === "-" ? -BigInt(`0x${first.slice(1)}`) : BigInt(`0x${first}`);
    case "v":
      return peer.arrivedValue(decodeValue(first, ...rest), at);
    case "#":
      must(peer.shared.has(first), "it was not sent");
      return peer.again(peer.shared.get(first), at);
    case "o":
      return peer.object(first, at);
    case "y":
    case "x":
    case "e":
      return peer.standIn(tag, first, rest, at, depth);
    default: {
      must(isText(tag) && Object.hasOwn(EMPTY, tag) && KINDS[tag].has(rest[0]), "it is of no kind");
      const value = EMPTY[tag](rest[0], rest.slice(1));
      peer.know(first, value, tag, at);
      const parts = decodeParts(peer, tag, rest, at, depth);
      fill(value, tag, parts);
      peer.remember(first);
      return value;
    }
  }
}

// The kind and the parts of a container, from their trees.
function decodeParts(peer, tag, [kind, ...trees], at, depth) {
  must(KINDS[tag].has(kind), "it is of no kind");
  const parts = [kind, ...decodeEach(peer, keysIn(tag), trees, at, depth + 1)];
  peer.arrivedKeys(tag, parts, at);
  return parts;
}

// What is a key is text, and arrives nowhere.
function decodeEach(peer, keyOf, trees, at, depth) {
  const parts = [];
  for (const tree of trees) {
    const { key, isKey, isMember } = keyOf(parts.at(-1));
    const place = at && (peer.isRecording || isObject(tree)) ? peer.placeIn(at, key, isMember) : undefined;
    parts.push(decode(peer, tree, place, depth));
    if (!isKey) peer.arrivedTree(tree, place);
    if (isMember) peer.arrivedMember(key, parts.at(-1));
  }
  return parts;
}

// A function that says, of each part of a container or an error and the one before it: its key or position, whether it is
// a key itself, and whether that of an attribute.
function keysIn(tag) {
  // From where on there are keys and values.
  let pairs = { r: 0, d: 0, e: 2 }[tag] ?? Infinity;
  let i = -1;
  return (before) => {
    i += 1;
    if (i > 0 && tag === "l" && before === KEYS) pairs = i;
    if (i < pairs) return { key: tag === "l" ? i : undefined, isKey: tag === "e" };
    return (i - pairs) % 2 ? { key: before, isMember: tag !== "d" } : { isKey: true };
  };
}

function decodeValue(name, first, flags, last) {
  must(TABLE.values.javascript.includes(name) && isText(first), "it is not a value");
  if (name === "Symbol.for") return Symbol.for(first);
  must(isText(flags) && Number.isSafeInteger(last), "it is not a RegExp");
  try {
    return Object.assign(new RegExp(first, flags), { lastIndex: last });
  } catch {
    throw new Malformed("it is not a RegExp");
  }
}
