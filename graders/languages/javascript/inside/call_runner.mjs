// Calls functions of a module, and writes what they return as data: `node --input-type=module -e SOURCE FIRST`, or Bun.
// inside/calls.sh says what the descriptors are. This is the candidate's process. apart/prelude.js and apart/codec.js are in front.

const REPLY_BYTES = 1 << 20;
const TEXT_CHARACTERS = 2000;

class NoData extends Error {}

// What the codec leaves to others: numbers of containers, and what is not data of its own.
class Values {
  parts = 0;
  last = 0;
  numbers = new Map();
  copies = new Map();

  share() {
    this.last -= 1;
    return this.last;
  }

  nameOf() {}

  export() {
    throw new NoData("a symbol");
  }

  // Data of a class of its own, or an object by its fields.
  describe(value, depth) {
    /** @type {any} */ const copied = [Set, Map, Date].find((kind) => value instanceof kind);
    if (copied) return encode(this, new copied(value), depth);
    if ([String, Number, Boolean].some((kind) => value instanceof kind)) return encode(this, value.valueOf(), depth);
    if (Array.isArray(value) || ArrayBuffer.isView(value))
      return encode(this, Array.from(/** @type {any} */ (value)), depth);
    if (typeof value === "function" || typeof value.then === "function") throw new NoData("a function");
    const kind = Object.getPrototypeOf(value)?.constructor?.name ?? "Object";
    if (typeof value.next === "function" || value instanceof WeakMap) throw new NoData(`a ${kind}`);
    if (kind === "Object") return encode(this, Object.fromEntries(Object.entries(value)), depth);
    return [
      "O",
      kind,
      ...Object.entries(value)
        .flat()
        .map((part) => encode(this, part, depth + 1)),
    ];
  }
}

function raised(error) {
  const names = error instanceof Error ? [error.name] : [];
  for (let kind = error; kind !== null && kind !== undefined && names.length < 20; kind = Object.getPrototypeOf(kind)) {
    const name = Object.getPrototypeOf(kind)?.constructor?.name;
    if (name && name !== "Object") names.push(name);
  }
  const message = error instanceof Error ? error.message : String(error);
  return [[...new Set(names.map(String))], String(message).slice(0, TEXT_CHARACTERS)];
}

async function cameOf(module, number, line) {
  const [name, args] = line.split("\t");
  let owner;
  let called = module;
  for (const part of name.split("."))
    [owner, called] = [called, called?.[part] ?? (called === module ? called.default?.[part] : undefined)];
  if (typeof called !== "function") return `${number} was not made: there is no function ${name}`;
  const given = (0, eval)(args);
  let value;
  try {
    value = await called.apply(owner === module ? undefined : owner, given);
  } catch (error) {
    return JSON.stringify(["!", number, ...raised(error)]);
  }
  try {
    const said = JSON.stringify(["=", number, encode(new Values(), value)]);
    if (said.length <= REPLY_BYTES) return said;
    throw new NoData(`a value of more than ${REPLY_BYTES >> 20} MiB`);
  } catch (error) {
    const isOurs = error instanceof NoData || error instanceof RangeError;
    return `${number} did not return data: ${isOurs ? error.message : error?.name}`;
  }
}

// A line of descriptor 3, which waits until it is there.
let unread = Buffer.alloc(0);
function readLine() {
  const pieces = [unread];
  while (!unread.includes(10)) {
    const piece = Buffer.alloc(1 << 16);
    unread = piece.subarray(0, fs.readSync(3, piece));
    if (!unread.length) return undefined;
    pieces.push(unread);
  }
  const all = Buffer.concat(pieces);
  const end = all.indexOf(10);
  unread = all.subarray(end + 1);
  return all.toString("utf8", 0, end);
}

const from = readLine();
let module;
let problem;
try {
  module = await import(pathToFileURL(path.resolve(from)).href);
} catch (error) {
  const [[name], text] = raised(error);
  problem = `was not made: its file cannot be loaded: ${name}: ${text}`.replace(/\s+/g, " ");
}
let line;
for (let number = Number(process.argv.at(-1)); (line = readLine()) !== undefined; number += 1) {
  let said;
  try {
    said = problem ? `${number} ${problem}` : await cameOf(module, number, line);
  } catch {
    said = `${number} raised an error that cannot be read`;
  }
  writeAll(4, Buffer.from(`${said}\n`));
}
process.exit(0);
