// What may be said of an object, and asked of a lent one: the table of boundary.json, and names that both sides know.

const isTexts = (value) => Array.isArray(value) && value.every(isText);
const NAMES = {
  base: isText,
  lent: isText,
  of: Number.isInteger,
  name: isText,
  length: Number.isInteger,
  hidden: isTexts,
};
const isNames = (about) =>
  isObject(about) &&
  !Array.isArray(about) &&
  Object.entries(about).every(([name, value]) => Object.hasOwn(NAMES, name) && NAMES[name](value));

// What a class can be derived from that is not the submission's or the tests' own: known by name on both sides.
const ERRORS =
  "AggregateError DOMException EvalError RangeError ReferenceError SyntaxError TypeError URIError Error".split(" ");
const BASES = new Map();
for (const name of (
  "Object Function Array Map Set WeakMap WeakSet Date RegExp Promise String Number Boolean BigInt Symbol " +
  `ArrayBuffer DataView ${[...KINDS.B].join(" ")} ${ERRORS.join(" ")} EventTarget Event URL URLSearchParams ` +
  "AbortController AbortSignal"
).split(" ")) {
  if (globalThis[name]) BASES.set(name, globalThis[name].prototype);
}
BASES.set("Generator", Object.getPrototypeOf(function* () {}).prototype);
BASES.set("AsyncGenerator", Object.getPrototypeOf(async function* () {}).prototype);
const BASE_NAMES = new Map([...BASES].map(([name, prototype]) => [prototype, name]));

const codeOf = Object.getOwnPropertyDescriptor(DOMException.prototype, "code").get;

// A prototype derived from that of DOMException is not an error: its getters throw.
function isError(value) {
  if (util.types.isNativeError(value)) return true;
  if (!isObject(value) || !(value instanceof DOMException)) return false;
  try {
    return Number.isInteger(codeOf.call(value));
  } catch {
    return false;
  }
}

const kindOfError = (error) => ERRORS.find((name) => error instanceof globalThis[name]) ?? "Error";

// The first prototype, from this one on, that both sides know.
function baseOf(prototype) {
  while (prototype && !BASE_NAMES.has(prototype)) prototype = Object.getPrototypeOf(prototype);
  return prototype;
}

// The object of the library that is `Math.max`, or `node:fs#promises`.
const MODULES = new Map();
function inLibrary(name) {
  const [module, keys = module] = name.split("#");
  if (keys !== module && !MODULES.has(module)) MODULES.set(module, createRequire("/")(module));
  let found = MODULES.get(module) ?? globalThis;
  for (const key of keys ? keys.split(".") : []) found = found[key];
  return found;
}

function isConstructor(value) {
  try {
    Reflect.construct(Object, [], value);
    return true;
  } catch {
    return false;
  }
}

// What a call, or `new`, gives.
const called = (subject, that, ...args) => {
  if (that !== NEW) return Reflect.apply(subject, that, args);
  try {
    Reflect.construct(Object, [], subject);
  } catch {
    // The runtime's own message has the function's source.
    throw new TypeError("it is not a constructor");
  }
  return Reflect.construct(subject, args);
};

// How many items an object has.
const LENGTHS = new Set(["length", "size"]);
// Whether a record or a list with these keys is used as an object that has a number of items, which is to stay the same.
const isSized = (tag, entries) =>
  entries.some(([, value]) => typeof value === "function") &&
  (tag === "l" || entries.some(([key, value]) => LENGTHS.has(key) && typeof value === "number"));

const LIMIT = "a limit of `isolation: apart`: ";
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

// What a stand-in is a proxy of. `shown` is what it is printed as.
function targetOf(kind, about, shown) {
  const made = {
    object: () => ({}),
    array: () => [],
    function: () => () => {},
    class: () => function () {}.bind(null),
  };
  const target = made[kind]();
  for (const key of typeof target === "function" ? ["name", "length"] : []) {
    delete target[key];
    if (Object.hasOwn(about, key)) Object.defineProperty(target, key, { value: about[key], configurable: true });
  }
  return Object.defineProperty(target, INSPECT, { value: shown, configurable: true });
}

const CLOSED = new Set(["constructor", "__proto__", "prototype", "caller", "callee", "arguments"]);
const OF_FUNCTIONS = new Set(["name", "length"]);
const LISTED = new Set(TABLE.names.javascript);

// Whether the table lets the candidate ask this of a lent object of a kind. `key` is what it asks for, if anything.
function permits(what, kind, key) {
  const rules = TABLE.to_grader[what];
  const rule = isText(kind) && rules && Object.hasOwn(rules, kind) && rules[kind];
  if (rule === true || (rule && what === "keys")) return true;
  if (!isText(key)) return Boolean(rule) && kind !== "class" && LISTED.has(CONSTANT_NAMES.get(key));
  // What is not listed is looked for to say so.
  if (rule === "listed" && what === "has") return LISTED.has(key);
  return Boolean(rule) && !key.startsWith("_") && !CLOSED.has(key) && (kind !== "class" || !OF_FUNCTIONS.has(key));
}
