// Fuzzes the messages between a grader's and a candidate's process of JavaScript, read by either side: it is joined to the
// files of graders/languages/javascript/inside/apart. Nothing but data and stand-ins may come of a message, and nothing that
// both processes have may change.
import { EventEmitter } from "node:events";

const seconds = Number(process.env.FUZZ_SECONDS ?? 3);
let state = Number(process.env.FUZZ_SEED ?? 7);
const random = (n) => {
  state = (state * 1103515245 + 12345) % 2147483648;
  return Math.floor((state / 2147483648) * n);
};
const pick = (values) => values[random(values.length)];

class Own {
  attribute = 1;
  method() {
    return 2;
  }
}

let names;
function silent(peer) {
  peer.ask = () => {
    throw new Malformed("nobody answers");
  };
  peer.open.push({ id: 1 });
  // It takes long to find.
  if (peer instanceof Grader) peer.names = names ??= peer.library;
  peer.written = [];
  peer.write = (data) => peer.written.push(data.toString("utf8", 4));
  return peer;
}

const shared = [1, { a: new Map([[1, new Set([2])]]) }];
const values = [
  1,
  -0,
  NaN,
  10n ** 30n,
  undefined,
  null,
  "text",
  [1, , 3],
  shared,
  [shared, shared],
  new Date(5),
  /a+/gi,
  Buffer.from("hi"),
  new Float64Array(2),
  new ArrayBuffer(3),
  Symbol("s"),
  Symbol.iterator,
  new RangeError("bad"),
  Object.assign(new Error("x"), { code: 1 }),
  new Own(),
  Own,
  () => 1,
  (function* () {})(),
  Promise.resolve(1),
  { f() {} },
  Object.freeze({ a: 1 }),
  Object.create(null),
  new AggregateError([new Error("y")]),
  Array,
  new (class extends Array {})(),
];
const SEEDS = [];
for (const value of values) {
  for (const [sign, given, ...words] of [
    ["=", [value]],
    ["!", [value]],
    ["?", [value, undefined, value], "call"],
    ["?", [value, "attribute"], "get"],
    ["?", [value], "keys"],
  ]) {
    const candidate = silent(new Candidate(-1, -1));
    try {
      candidate.send(sign, 1, given, words);
      SEEDS.push(candidate.written[0]);
    } catch {}
  }
}
const WORDS = [
  "k",
  "x",
  "e",
  "v",
  "o",
  "#",
  "l",
  "r",
  "d",
  "B",
  "y",
  "w",
  "Function.prototype",
  "Object.prototype",
  "__proto__",
  "constructor",
  "call",
  "get",
  "keys",
  "has",
  "set",
  "settle",
  "prototype",
  "attribute",
  "method",
  "emit",
  "class",
  "object",
  "promise",
  "Buffer",
  "DataView",
  "Float64Array",
  -1,
  1,
  2,
  3,
  -5,
  1e21,
  4294967295,
  null,
  true,
  [],
  {},
  ["k", "undefined"],
  ["o", 1],
  ["o", 2],
  ["o", 3],
  ["o", 4],
  ["o", -1],
  ["k", "Promise"],
  ["k", "new"],
  "=",
  "!",
  "?",
];

function mutated(tree, depth = 0) {
  if (random(12) === 0) return structuredClone(pick(WORDS));
  if (Array.isArray(tree) && depth < 40) {
    const parts = tree.map((part) => (random(4) === 0 ? mutated(part, depth + 1) : part));
    if (random(10) === 0) parts.splice(random(parts.length + 1), 0, structuredClone(pick(WORDS)));
    if (random(14) === 0) parts.splice(random(parts.length + 1), 1);
    return random(60) === 0 ? [parts, parts] : parts;
  }
  return tree;
}

function isHarmless(value, depth = 0) {
  if (util.types.isProxy(value) || given.includes(value) || depth > 5) return true;
  if (typeof value === "function") return false;
  if (value === null || typeof value !== "object") return true;
  const isKnown =
    tagOf(value) !== "" || util.types.isRegExp(value) || util.types.isNativeError(value) || util.types.isPromise(value);
  return isKnown && (!Array.isArray(value) || value.every((part) => isHarmless(part, depth + 1)));
}

// Where there is a grader's side, tests make no code.
const VALUES = GOLDEN.map(({ javascript }) => javascript && new Function(`return ${javascript}`)());
INTRINSICS.keep();
let given = [];
let count = 0;
let read = 0;
process.on("unhandledRejection", () => {});
// On a busy machine it takes longer until enough is read.
for (const end = Date.now() + seconds * 1000; Date.now() < end || (read <= 100 && count < 1e6); count += 1) {
  let text = JSON.stringify(mutated(JSON.parse(pick(SEEDS))));
  if (random(5) === 0)
    text =
      text.slice(0, random(text.length)) +
      pick(['"', "]", "[", "1e999", "\\u0000", "{}"]) +
      text.slice(random(text.length));
  for (const peer of [silent(new Grader("")), silent(new Candidate(-1, -1))]) {
    given = [new Own(), () => 1, new EventEmitter(), Own];
    for (const value of given) if (peer instanceof Grader) encode(peer, value);
    try {
      const { sign, what, values: found } = peer.parse(Buffer.from(text));
      read += 1;
      if (!(peer instanceof Grader)) continue;
      if (!found.every((value) => isHarmless(value))) throw new Error(`a message made ${util.inspect(found)}`);
      if (sign !== "?") continue;
      try {
        const result = peer.perform(what, ...found);
        if (result === Function || result === Object || result === process) throw new Error("a request reached code");
      } catch (error) {
        if (error.message === "a request reached code") throw error;
      }
      if (Object.keys(given[0]).join() !== "attribute" || given[0].attribute !== 1)
        throw new Error("a request changed an object");
    } catch (error) {
      if (!(error instanceof Malformed)) complainOf(error, text);
    }
  }
  if (count % 500 === 0 && !INTRINSICS.isIntact()) complainOf(new Error("what both sides have was changed"), text);
}

function complainOf(error, text) {
  console.log(`seed ${state}: ${error.stack}\n${String(text).slice(0, 2000)}`);
  process.exit(1);
}

// The golden vectors of the boundary.
for (const [i, { tree, javascript, text, why }] of GOLDEN.entries()) {
  const message = Buffer.from(
    `["=",1,[],[],${tree === undefined ? text : JSON.stringify(tree)}]`,
    tree === undefined ? "latin1" : "utf8",
  );
  const grader = silent(new Grader(""));
  if (javascript === undefined) {
    try {
      grader.parse(message);
    } catch (error) {
      if (error instanceof Malformed) continue;
    }
    complainOf(new Error(`it was read: ${why}`), message);
  }
  const [candidate, value] = [silent(new Candidate(-1, -1)), VALUES[i]];
  candidate.send("=", 1, [value]);
  const sent = JSON.parse(candidate.written[0])[4];
  if (!util.isDeepStrictEqual(sent, tree))
    complainOf(new Error(`it was written as ${JSON.stringify(sent)}`), javascript);
  const found = grader.parse(message).values[0];
  if (util.inspect(found) !== util.inspect(value))
    complainOf(new Error(`it was read as ${util.inspect(found)}`), javascript);
}
console.log(`${count} messages, ${read} read, ${GOLDEN.length} golden vectors`);
process.exit(INTRINSICS.isIntact() && read > 100 ? 0 : 1);
