// What `bun test` loads before anything else: it sees that tests are run as they lie there, that matchers and asserts still fail
// when all is over, and tells bun_test_adapter.ts, on descriptor 3 and with a word that was read from there:
//
//     WORD exited          something called process.exit, as scripts do at their end
//     WORD left            something called its like, as no script does
//     WORD control NAME    a matcher or an assert passed that must not, or a module or a file of tests is another one
//     WORD unloaded PATH   a file of tests could not be loaded
//     WORD end COUNT       the last hook was reached after so many tests
//
// All that decides is taken here: what was imported can be mocked, and methods, iterations and global names be replaced.
import * as bunTest from "bun:test";
import * as fs from "node:fs";
import { basename } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const { afterAll, beforeEach, describe, expect, it, jest, mock, test } = bunTest;
const { readdirSync, readFileSync, readSync, realpathSync, statSync, writeSync } = fs;
const { captureStackTrace } = Error;
const { apply } = Reflect;
const {
  defineProperty,
  getOwnPropertyDescriptor,
  getOwnPropertyNames,
  getPrototypeOf,
  keys,
  preventExtensions,
  setPrototypeOf,
} = Object;
const { includes } = String.prototype;
const {
  Error: KnownError,
  Promise: KnownPromise,
  URL: KnownURL,
  RangeError: KnownRangeError,
  TypeError: KnownTypeError,
  process,
} = globalThis;
const require = import.meta.require;
const known = require("node:assert");
const strict = require("node:assert/strict");
const { rejects, doesNotReject } = known;
const { rejects: strictRejects, doesNotReject: strictDoesNotReject } = strict;
const leave = process.exit;
const byte = new Uint8Array(1);
let word = "";
for (;;) {
  let count = 0;
  try {
    count = readSync(3, byte, 0, 1, null);
  } catch (error) {
    // The other end has not written it yet.
    if (error.code === "EAGAIN") continue;
    throw error;
  }
  if (count === 0 || byte[0] === 10) break;
  word += String.fromCharCode(byte[0]);
}

// A descriptor that takes nothing from what anybody wrote into the prototype of all objects.
const plain = (value) => ({ __proto__: null, value, writable: true, enumerable: true, configurable: true });
// "await" asks a promise for its constructor, and what is not made by this one for its "then".
const promises = KnownPromise.prototype;
defineProperty(promises, "constructor", {
  get: () => KnownPromise,
  set(value) {
    if (this !== promises) defineProperty(this, "constructor", plain(value));
  },
  configurable: false,
});

// One line for this run: less than a pipe takes at once. Whether it went out.
const say = (text) => {
  for (;;) {
    try {
      writeSync(3, word + " " + text + "\n");
      return true;
    } catch (error) {
      if (error.code !== "EAGAIN") return false;
    }
  }
};
// An end that somebody chose is not Bun's. Bun's own exit calls the one below it.
let isLeaving = false;
for (const key of ["exit", "reallyExit", "execve"]) {
  const own = process[key];
  if (typeof own !== "function") continue;
  const called = {
    [key](...words) {
      const isSaid = isLeaving || say(key === "exit" ? "exited" : "left");
      isLeaving = key === "exit";
      return isSaid ? apply(own, process, words) : apply(leave, process, [1]);
    },
  }[key];
  defineProperty(process, key, plain(called));
}

// Each must throw, whatever was tested.
const controls = {
  "expect().toBe": (expect) => expect(1).toBe(2),
  "expect().toEqual": (expect) => expect([1]).toEqual([2]),
  "expect().toStrictEqual": (expect) => expect({ a: 1 }).toStrictEqual({ a: 2 }),
  "expect().toMatchObject": (expect) => expect({ a: 1 }).toMatchObject({ a: 2 }),
  "expect().toBeTruthy": (expect) => expect(0).toBeTruthy(),
  "expect().toBeFalsy": (expect) => expect(1).toBeFalsy(),
  "expect().toBeNull": (expect) => expect(1).toBeNull(),
  "expect().toBeUndefined": (expect) => expect(1).toBeUndefined(),
  "expect().toBeDefined": (expect) => expect(undefined).toBeDefined(),
  "expect().toBeGreaterThan": (expect) => expect(1).toBeGreaterThan(2),
  "expect().toBeLessThan": (expect) => expect(2).toBeLessThan(1),
  "expect().toBeCloseTo": (expect) => expect(1).toBeCloseTo(2),
  "expect().toContain": (expect) => expect("a").toContain("b"),
  "expect().toHaveLength": (expect) => expect("a").toHaveLength(2),
  "expect().toHaveProperty": (expect) => expect({}).toHaveProperty("a"),
  "expect().toMatch": (expect) => expect("a").toMatch(/b/),
  "expect().toThrow": (expect) => expect(() => {}).toThrow(),
  "expect().not": (expect) => expect(1).not.toBe(1),
  "expect().not.toEqual": (expect) => expect([1]).not.toEqual([1]),
  "expect().not.toStrictEqual": (expect) => expect([1]).not.toStrictEqual([1]),
  "expect().not.toContain": (expect) => expect("a").not.toContain("a"),
  "expect().not.toMatch": (expect) => expect("a").not.toMatch(/a/),
  "expect().not.toThrow": (expect) => expect(() => expect(1).toBe(2)).not.toThrow(),
};
const isOne = (kind) => {
  if (!(new KnownError("control") instanceof kind)) throw new KnownError("control");
};
const assertions = {
  assert: (assert) => assert(false),
  "assert.ok": (assert) => assert.ok(false),
  "assert.equal": (assert) => assert.equal(1, 2),
  "assert.strictEqual": (assert) => assert.strictEqual(1, 2),
  "assert.deepEqual": (assert) => assert.deepEqual([1], [2]),
  "assert.deepStrictEqual": (assert) => assert.deepStrictEqual([1], [2]),
  "assert.notEqual": (assert) => assert.notEqual(1, 1),
  "assert.notStrictEqual": (assert) => assert.notStrictEqual(1, 1),
  "assert.notDeepEqual": (assert) => assert.notDeepEqual([1], [1]),
  "assert.notDeepStrictEqual": (assert) => assert.notDeepStrictEqual([1], [1]),
  "assert.match": (assert) => assert.match("a", /b/),
  "assert.doesNotMatch": (assert) => assert.doesNotMatch("a", /a/),
  "assert.throws": (assert) => assert.throws(() => {}),
  "assert.doesNotThrow": (assert) => assert.doesNotThrow(() => assert.fail("control")),
  "assert.ifError": (assert) => assert.ifError(1),
  "assert.fail": (assert) => assert.fail("control"),
  // What only a promise tells must be what it was.
  "assert.rejects": (assert) => {
    const isAsItWas = assert.rejects === rejects || assert.rejects === strictRejects;
    if (isAsItWas && (assert.doesNotReject === doesNotReject || assert.doesNotReject === strictDoesNotReject))
      throw new KnownError("control");
  },
  "instanceof RangeError": () => isOne(KnownRangeError),
  "instanceof TypeError": () => isOne(KnownTypeError),
};
// A matcher that is another one by now, as packages have them, must not pass whatever it is given. "pass" does.
const ofMatchers = getOwnPropertyNames(getPrototypeOf(expect(1)));
const matchers = { __proto__: null };
for (const name of ofMatchers) matchers[name] = getOwnPropertyDescriptor(getPrototypeOf(expect(1)), name).value;
const anything = [undefined, null, 0, 1, "", "control", true, false, [], {}, () => {}];
const ofControls = keys(controls);
const ofAssertions = keys(assertions);

function passes(control, argument) {
  try {
    control(argument);
    return true;
  } catch {
    return false;
  }
}

// Bun loads what asserts fail with when the first one fails: before anybody can freeze the prototypes that this changes.
for (const name of ofAssertions) passes(assertions[name], known);

// Only the judge's own files choose by "only" which tests are run; from others it is as if they had not said so.
const user = process.getuid();
let fileOf;
// The file of the code that calls a function.
const caller = (called) => {
  const { prepareStackTrace, stackTraceLimit } = KnownError;
  const place = {};
  let name;
  KnownError.stackTraceLimit = 5;
  // Only what is assigned is called; nobody else's function is, whatever is defined here.
  KnownError.prepareStackTrace = (_, sites) => {
    fileOf ??= getPrototypeOf(sites[0]).getFileName;
    for (let i = sites.length - 1; i >= 0; i -= 1) {
      const file = apply(fileOf, sites[i], []);
      if (file !== import.meta.path) name = file;
    }
  };
  captureStackTrace(place, called);
  void place.stack;
  KnownError.prepareStackTrace = prepareStackTrace;
  KnownError.stackTraceLimit = stackTraceLimit;
  return name;
};
const chooses = () => {
  try {
    const name = caller(chooses);
    // What calls itself by the name of a file is not that file, which would say so.
    return statSync(name).uid !== user && apply(includes, readFileSync(name, "utf8"), ["only"]);
  } catch {
    return false;
  }
};
chooses();
const original = getPrototypeOf(test);
const prototype = {};
const own = (value) => {
  if (typeof value === "function" && getPrototypeOf(value) === original)
    preventExtensions(setPrototypeOf(value, prototype));
  return value;
};
// Releases before 1.3 give this file and the tests a bun:test each.
const isShared = Object.hasOwn(original, "only");
if (isShared) {
  setPrototypeOf(prototype, getPrototypeOf(original));
  for (const [key, { get, value }] of Object.entries(Object.getOwnPropertyDescriptors(original))) {
    const choosing = {
      get() {
        return key !== "only" || chooses() ? own(apply(get, this, [])) : this;
      },
    }.get;
    const called = function () {
      return own(apply(value, this, arguments));
    };
    defineProperty(prototype, key, get ? { get: choosing, enumerable: true } : { value: called, enumerable: true });
  }
  const { xdescribe, xit, xtest } = require("bun:test");
  for (const kind of [test, it, describe, xtest, xit, xdescribe]) own(kind);
}

// A file of the judge's tests is loaded as it lies there, and once more when Bun comes to it, whatever a file that was run before
// it has loaded, or has plugins or mocks make of it. What is requested here goes before what other plugins request.
const TEST = /[._](test|spec)\.[cm]?[jt]sx?$/;
const LOADERS = { __proto__: null, ts: "ts", mts: "ts", tsx: "tsx", js: "jsx", jsx: "jsx", mjs: "js" };
const judges = { __proto__: null };
// Those that Bun came to, and names under which files of the judge's import others.
const entered = { __proto__: null };
const named = { __proto__: null };
const isElses = (path) => {
  try {
    return statSync(path).uid !== user;
  } catch {
    return false;
  }
};
const sources = { __proto__: null };
let files = 0;
const find = (directory, depth) => {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = directory + "/" + entry.name;
    if (entry.isDirectory() && entry.name !== "node_modules" && entry.name[0] !== "." && depth < 20)
      find(path, depth + 1);
    if (!entry.isFile() || !TEST.test(entry.name)) continue;
    files += 1;
    if (!isElses(path)) continue;
    judges[path] = true;
    const text = readFileSync(path, "utf8");
    const loader = LOADERS[entry.name.slice(entry.name.lastIndexOf(".") + 1)];
    // A plugin can hand Bun no CommonJS.
    if (loader && /^(import|export)\b/m.test(text) && !/\b(require|module|exports|__filename|__dirname)\b/.test(text)) {
      sources[path] = { __proto__: null, contents: text, loader };
    }
  }
};
const runtime = Bun;
const { plugin } = runtime;
const { clearAll } = plugin;
const { cache } = require;
const { deleteProperty, has } = Reflect;
let isWatched = false;
const quoted = (path) => path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const install = () =>
  plugin({
    name: "gradebox",
    setup(build) {
      build.onResolve({ filter: TEST }, ({ path, importer }) => {
        if (importer === "") entered[path] = true;
        if (!isWatched || importer !== "" || judges[path] !== true) {
          if (importer !== "" && isElses(importer)) named[basename(path)] = true;
          return undefined;
        }
        deleteProperty(cache, path);
        return { path };
      });
      const found = keys(sources);
      if (!isWatched || found.length === 0) return;
      build.onLoad({ filter: new RegExp("^(" + found.map(quoted).join("|") + ")$") }, ({ path }) => ({
        ...sources[path],
      }));
    },
  });
if (isShared) {
  try {
    find(process.cwd(), 0);
  } catch {}
  isWatched = files > 1 && keys(judges).length > 0;
}
install();
const cleared = {
  clearAll() {
    apply(clearAll, plugin, []);
    install();
  },
}.clearAll;
defineProperty(plugin, "clearAll", { value: cleared, writable: false });

// Nobody has another one of these, not even for a while.
const ours = {
  __proto__: null,
  "bun:test": true,
  "node:assert": true,
  "node:assert/strict": true,
  assert: true,
  "assert/strict": true,
};
let mocked = "";
// A file of tests is named by a path or an address, relative to the file that does so.
const isJudges = (name) => {
  try {
    const from = pathToFileURL(caller(isJudges)).href;
    return judges[realpathSync(fileURLToPath(new KnownURL(name, from)))] === true;
  } catch {
    return false;
  }
};
for (const owner of /** @type {any[]} */ ([mock, jest])) {
  const { module } = owner;
  if (typeof module !== "function") continue;
  const watched = function (name) {
    if (ours[name] || isJudges(name)) mocked = name;
    return apply(module, this, arguments);
  };
  defineProperty(owner, "module", { value: watched, enumerable: true });
}

let ran = 0;
// Files that were loaded: a test of theirs began, whatever became of the cache.
const begun = { __proto__: null };
beforeEach(() => {
  ran += 1;
  begun[runtime.main] = true;
});
afterAll(() => {
  let lines = "";
  const now = require("bun:test");
  const present = require("node:assert");
  const asserts = [known, strict, present, require("node:assert/strict")];
  const isAnother = now.test !== test || now.it !== it || now.describe !== describe || now.expect !== expect;
  if (isShared && isAnother) mocked = "bun:test";
  const paths = keys(judges);
  for (let i = 0; i < paths.length; i += 1) {
    const path = paths[i];
    // Something else was loaded in its place.
    if (isWatched && has(cache, path) && !entered[path] && !named[basename(path)]) mocked = path;
  }
  const came = keys(entered);
  for (let i = 0; i < came.length; i += 1) {
    // The cache of older releases also has what failed.
    if (!begun[came[i]] && !(isShared && has(cache, came[i]))) lines += "unloaded " + came[i] + "\n" + word + " ";
  }
  if (mocked) lines += "control " + mocked + " itself\n" + word + " ";
  for (let i = 0; i < ofControls.length; i += 1) {
    const name = ofControls[i];
    if (passes(controls[name], expect) || passes(controls[name], now.expect))
      lines += "control " + name + "\n" + word + " ";
  }
  for (let i = 0; i < ofAssertions.length; i += 1) {
    const name = ofAssertions[i];
    for (let j = 0; j < asserts.length; j += 1) {
      if (!passes(assertions[name], asserts[j])) continue;
      lines += "control " + name + "\n" + word + " ";
      break;
    }
  }
  for (let i = 0; i < ofMatchers.length; i += 1) {
    const name = ofMatchers[i];
    const found = getOwnPropertyDescriptor(getPrototypeOf(expect(1)), name)?.value;
    if (typeof found !== "function" || found === matchers[name] || name === "pass" || name === "constructor") continue;
    let count = 0;
    for (let j = 0; j < anything.length; j += 1) count += +passes((expect) => expect(anything[j])[name]({}), expect);
    if (count === anything.length) lines += "control expect()." + name + "\n" + word + " ";
  }
  say(lines + "end " + ran);
});
