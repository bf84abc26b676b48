// What the item runners of JavaScript and TypeScript share. It is joined in front of each of them, in one module; they
// define `load`, `report`, `complain` and, where an item may use it, `util`, and say what is out of the candidate's reach.

import { createRequire } from "node:module";

const { apply } = Reflect;
const { defineProperty, keys } = Object;
const { get, has, set } = WeakMap.prototype;
const { Error: KnownError, RangeError: KnownRangeError, TypeError: KnownTypeError } = globalThis;
const exit = process.reallyExit.bind(process);

// `await` asks a promise for its constructor, and what is not made by this one for its `then`.
const { prototype } = Promise;
defineProperty(prototype, "constructor", {
  get: () => Promise,
  set(value) {
    if (this !== prototype) defineProperty(this, "constructor", { value, writable: true, configurable: true });
  },
  configurable: false,
});

// What evaluates the text of a module. Modules of the candidate's and of the runtime's are made ones for it.
function evaluator({ SourceTextModule, SyntheticModule }) {
  const { evaluate, link: linkAll } = SourceTextModule.prototype;
  const { setExport } = SyntheticModule.prototype;
  const loaded = new WeakMap();

  async function link(specifier) {
    const namespace = await load(specifier);
    if (!apply(has, loaded, [namespace])) {
      const names = keys(namespace);
      const fill = () => {
        for (let i = 0; i < names.length; i += 1) apply(setExport, module, [names[i], namespace[names[i]]]);
      };
      const module = new SyntheticModule(names, fill, { identifier: specifier });
      apply(set, loaded, [namespace, module]);
    }
    return apply(get, loaded, [namespace]);
  }

  return async (text, options) => {
    const module = new SourceTextModule(text, { ...options, importModuleDynamically: load });
    await apply(linkAll, module, [link]);
    await apply(evaluate, module, []);
  };
}

// What must be false, and throw, after whatever was loaded: an item that compares with these would pass otherwise.
const comparisons = {
  "Object.is(1, 2)": () => Object.is(1, 2),
  "JSON.stringify([1]) === JSON.stringify([2])": () => JSON.stringify([1]) === JSON.stringify([2]),
  "String(1) === String(2)": () => String(1) === String(2),
  "Math.abs(1 - 9) < 1": () => Math.abs(1 - 9) < 1,
  "[1, 2].every((x) => x === 1)": () => [1, 2].every((x) => x === 1),
  "[1].includes(2)": () => [1].includes(2),
  "[1].some((x) => x === 2)": () => [1].some((x) => x === 2),
  "[1].indexOf(2) === 0": () => [1].indexOf(2) === 0,
  "[1].join() === [2].join()": () => [1].join() === [2].join(),
  '"a".includes("b")': () => "a".includes("b"),
  '"a".startsWith("b")': () => "a".startsWith("b"),
  '/a/.test("b")': () => /a/.test("b"),
  "Array.isArray(1)": () => Array.isArray(1),
  "new Error() instanceof RangeError": () => new KnownError() instanceof KnownRangeError,
  "new Error() instanceof TypeError": () => new KnownError() instanceof KnownTypeError,
  "isDeepStrictEqual([1], [2])": () => util !== undefined && util.isDeepStrictEqual([1], [2]),
};
const assertions = {
  // A module that is a function would be read for names that it does not have, which throws too.
  "assert(false)": (assert) => assert.default(false),
  "assert.ok(false)": (assert) => assert.ok(false),
  "assert.equal(1, 2)": (assert) => assert.equal(1, 2),
  "assert.notEqual(1, 1)": (assert) => assert.notEqual(1, 1),
  "assert.strictEqual(1, 2)": (assert) => assert.strictEqual(1, 2),
  "assert.notStrictEqual(1, 1)": (assert) => assert.notStrictEqual(1, 1),
  "assert.deepEqual([1], [2])": (assert) => assert.deepEqual([1], [2]),
  "assert.notDeepEqual([1], [1])": (assert) => assert.notDeepEqual([1], [1]),
  "assert.deepStrictEqual([1], [2])": (assert) => assert.deepStrictEqual([1], [2]),
  "assert.notDeepStrictEqual([1], [1])": (assert) => assert.notDeepStrictEqual([1], [1]),
  'assert.match("a", /b/)': (assert) => assert.match("a", /b/),
  'assert.doesNotMatch("a", /a/)': (assert) => assert.doesNotMatch("a", /a/),
  "assert.throws(() => {})": (assert) => assert.throws(() => {}),
  "assert.doesNotThrow(fail)": (assert) => assert.doesNotThrow(() => assert.fail("control")),
  "assert.ifError(1)": (assert) => assert.ifError(1),
  "assert.fail()": (assert) => assert.fail("control"),
  // What only a promise tells must be what it was.
  "assert.rejects()": ({ rejects, doesNotReject }) => {
    if (isKnown(rejects) && isKnown(doesNotReject)) throw new KnownError();
  },
};

// The functions of the modules of assertions that return promises, as they were.
const ofPromises = [];

function isKnown(called) {
  for (let i = 0; i < ofPromises.length; i += 1) if (ofPromises[i] === called) return true;
  return called === undefined;
}

const ofComparisons = keys(comparisons);
const ofAssertions = keys(assertions);

// The first of some controls that passes.
function passing(controls, names, subject = undefined) {
  for (let i = 0; i < names.length; i += 1) {
    try {
      if (controls[names[i]](subject) !== false) return names[i];
    } catch {}
  }
  return undefined;
}
