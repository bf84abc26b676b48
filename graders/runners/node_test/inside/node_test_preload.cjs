"use strict";
// Is loaded before a test file by `node --test`, and says whether that file came to its own end. node_test_adapter.mjs tells
// which processes there are. This lies where no test can change it: the next file would be loaded with what one made of it.
//
// The end is the event "exit" that Node emits while no function of JavaScript runs. Somebody else can emit it as silently; but
// from then on every way to leave is one with status 1. All that decides was taken before the file was loaded: no method,
// iteration or global name that could have been replaced, and `process.emit` and `process.reallyExit` are so only behind ours.

const { isMainThread } = require("node:worker_threads");
// What the candidate starts inherits neither this nor the pipe.
const at = process.execArgv.indexOf(__filename);
if (at > 0) process.execArgv.splice(at - 1, 2);
if (isMainThread && process.env.NODE_TEST_CONTEXT) begin();

function begin() {
  const { fstatSync, readFileSync, readSync, realpathSync, writeSync } = require("node:fs");
  const assert = require("node:assert");
  const test = require("node:test");
  const hooks = require("node:async_hooks");
  const { EventEmitter } = require("node:events");
  const { Readable } = require("node:stream");
  const { pathToFileURL } = require("node:url");
  const { captureStackTrace } = Error;
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, keys } = Object;
  const { apply, deleteProperty, ownKeys } = Reflect;
  const { binding, emit, execve, exit, reallyExit } = process;
  const { stringify } = JSON;
  const { Error: KnownError, Promise: KnownPromise, setImmediate } = globalThis;
  const { createRequire, syncBuiltinESMExports } = require("node:module");
  const { AsyncResource, createHook, executionAsyncResource } = hooks;
  const { get, set } = WeakMap.prototype;
  const fresh = createRequire(__filename);
  const byte = new Uint8Array(1);
  let word = "";
  try {
    while (readSync(3, byte, 0, 1, null) === 1 && byte[0] !== 10) word += String.fromCharCode(byte[0]);
  } catch {}
  if (word === "") return;
  const { ino } = fstatSync(3);
  // Nobody reads the word from what was opened in the place of the pipe.
  const send = (lines) => {
    try {
      if (fstatSync(3).ino !== ino) return false;
      writeSync(3, lines);
      return true;
    } catch {
      return false;
    }
  };

  // What ends the process, unless something handles it.
  process.on("uncaughtExceptionMonitor", (error) => {
    try {
      const what = process.listenerCount("uncaughtException") ? " thrown " : " error ";
      send(word + what + stringify(`${error}`) + "\n");
    } catch {}
  });

  // A descriptor that takes nothing from what anybody wrote into the prototype of all objects.
  const plain = (value) => ({ __proto__: null, value, writable: true, enumerable: true, configurable: true });
  // `await` asks a promise for its constructor, and what is not made by this one for its `then`.
  const { prototype } = KnownPromise;
  defineProperty(prototype, "constructor", {
    get: () => KnownPromise,
    set(value) {
      if (this !== prototype) defineProperty(this, "constructor", plain(value));
    },
    configurable: false,
  });

  // The names under which the functions of the test file run, and what it must say itself: that it ends the process, and that
  // something is to be done or is expected to fail, so that it may.
  const real = realpathSync(process.argv[1]);
  const names = [process.argv[1], real, pathToFileURL(process.argv[1]).href, pathToFileURL(real).href];
  const text = readFileSync(real, "utf8");
  const mayExit = /\bexit\b/.test(text);
  const hasTodo = /todo/i.test(text);
  const hasFailure = /expectFailure/.test(text);

  // Each must throw, whatever was tested.
  const { RangeError: KnownRangeError, TypeError: KnownTypeError } = globalThis;
  const isOne = (kind) => {
    if (!(new KnownError("control") instanceof kind)) throw new KnownError("control");
  };
  const controls = {
    assert: () => fresh("node:assert")(false),
    "assert.ok": (assert) => assert.ok(false),
    "assert.equal": (assert) => assert.equal(1, 2),
    "assert.notEqual": (assert) => assert.notEqual(1, 1),
    "assert.strictEqual": (assert) => assert.strictEqual(1, 2),
    "assert.notStrictEqual": (assert) => assert.notStrictEqual(1, 1),
    "assert.deepEqual": (assert) => assert.deepEqual([1], [2]),
    "assert.notDeepEqual": (assert) => assert.notDeepEqual([1], [1]),
    "assert.deepStrictEqual": (assert) => assert.deepStrictEqual([1], [2]),
    "assert.notDeepStrictEqual": (assert) => assert.notDeepStrictEqual([1], [1]),
    "assert.match": (assert) => assert.match("a", /b/),
    "assert.doesNotMatch": (assert) => assert.doesNotMatch("a", /a/),
    "assert.throws": (assert) => assert.throws(() => {}),
    "assert.doesNotThrow": (assert) => assert.doesNotThrow(() => assert.fail("control")),
    "assert.ifError": (assert) => assert.ifError(1),
    "assert.fail": (assert) => assert.fail("control"),
    "instanceof RangeError": () => isOne(KnownRangeError),
    "instanceof TypeError": () => isOne(KnownTypeError),
  };
  // What only a promise tells must be what it was.
  const { strict, rejects, doesNotReject } = assert;
  const { rejects: strictRejects, doesNotReject: strictDoesNotReject } = strict;
  const isAsItWas = (assert) =>
    (assert.rejects === rejects || assert.rejects === strictRejects) &&
    (assert.doesNotReject === doesNotReject || assert.doesNotReject === strictDoesNotReject);
  const ofControls = keys(controls);
  const kept = { ...test };
  const exported = keys(kept).filter((name) => typeof kept[name] === "function");
  const passes = (control, argument) => {
    try {
      control(argument);
      return true;
    } catch {
      return false;
    }
  };

  // Through these the tests are called and reported. What is defined for the classes of node:test stays as it is: they are
  // in no module, but anybody finds those of contexts by the first test that is made.
  let settled = null;
  let failed = null;
  let passed = null;
  const line = (what, { name }) => word + " " + what + " " + stringify(name) + "\n";
  const seen = {
    __proto__: null,
    // What passed is reported at once, for the process may be ended, and taken back where it fails after all.
    fail: (test) => {
      failed = { __proto__: null, test, before: failed };
      for (let one = passed; one; one = one.before) {
        if (one.test === test && one.said) one.said = !send(line("retracted", one));
      }
    },
    pass: (test) => {
      passed = { __proto__: null, test, name: test.name, said: false, before: passed };
      passed.said = send(line("passed", passed));
    },
    getRunArgs: (_, { ctx }) => void (ctx && settle(getPrototypeOf(ctx))),
  };
  const noted = (note, method) =>
    function () {
      const result = apply(method, this, arguments);
      note(this, result);
      return result;
    };
  const settle = (prototype) => {
    for (let one = settled; one; one = one.before) if (one.prototype === prototype) return;
    settled = { __proto__: null, prototype, before: settled };
    const methods = ownKeys(prototype);
    for (let i = 0; i < methods.length; i += 1) {
      const key = methods[i];
      const { value, configurable } = getOwnPropertyDescriptor(prototype, key);
      if (typeof value !== "function" || typeof key !== "string" || !configurable || key === "constructor") continue;
      const called = seen[key] ? noted(seen[key], value) : value;
      const assign = function (other) {
        if (this !== prototype) defineProperty(this, key, plain(other));
      };
      defineProperty(prototype, key, { __proto__: null, get: () => called, set: assign, configurable: false });
    }
  };
  settle(AsyncResource.prototype);
  const made = createHook({
    init(_id, type, _trigger, resource) {
      if (type !== "Test") return;
      for (let of = getPrototypeOf(resource); of !== AsyncResource.prototype; of = getPrototypeOf(of)) settle(of);
      setImmediate(() => made.disable()).unref();
    },
  }).enable();

  // Code that has a test can change what it runs, and which others there are. So none is given out, but an object in its place.
  const isTest = (resource) => {
    for (let of = resource && getPrototypeOf(resource); of; of = getPrototypeOf(of)) {
      for (let one = settled; one.before; one = one.before) if (one.prototype === of) return true;
    }
    return false;
  };
  const places = new WeakMap();
  hooks.executionAsyncResource = {
    executionAsyncResource() {
      const resource = executionAsyncResource();
      if (!isTest(resource)) return resource;
      if (!apply(get, places, [resource])) apply(set, places, [resource, {}]);
      return apply(get, places, [resource]);
    },
  }.executionAsyncResource;
  hooks.createHook = {
    createHook({ init, before, after, destroy, promiseResolve }) {
      const untested = function (id, type, trigger, resource) {
        if (!isTest(resource)) apply(init, this, arguments);
      };
      const watched = typeof init === "function" ? untested : init;
      return createHook({ __proto__: null, init: watched, before, after, destroy, promiseResolve });
    },
  }.createHook;
  /** @type {any} */ (process).binding = {
    binding(module) {
      const name = `${module}`;
      if (name === "async_wrap") throw new KnownError(`No such module: ${name}`);
      return apply(binding, process, [name]);
    },
  }.binding;
  syncBuiltinESMExports();

  const { emit: emitOfAll } = EventEmitter.prototype;
  const { push } = Readable.prototype;

  // The files of all functions that are running, this one's left out; the caller is the first. Undefined where somebody has
  // seen to it that others tell the stack.
  const callers = () => {
    const prepare = getOwnPropertyDescriptor(KnownError, "prepareStackTrace");
    const limit = getOwnPropertyDescriptor(KnownError, "stackTraceLimit");
    const place = {};
    let files;
    const note = (_, sites) => {
      files = { __proto__: null, length: 0 };
      for (let i = 0; i < sites.length; i += 1) {
        const name = sites[i].getFileName();
        if (name !== __filename) files[files.length++] = name;
      }
    };
    try {
      defineProperty(KnownError, "stackTraceLimit", plain(Infinity));
      defineProperty(KnownError, "prepareStackTrace", plain(note));
      captureStackTrace(place, callers);
      void place.stack;
      if (prepare) defineProperty(KnownError, "prepareStackTrace", prepare);
      else deleteProperty(KnownError, "prepareStackTrace");
      if (limit) defineProperty(KnownError, "stackTraceLimit", limit);
      return globalThis.Error === KnownError ? files : undefined;
    } catch {
      return undefined;
    }
  };

  // Code that imports a module gets it when it has been loaded to its end. Node waits for that with a listener, which is there
  // before the file is loaded, and which anybody could take away.
  let loaded = true;
  process.on("newListener", (event) => {
    if (event !== "exit" || !loaded) return;
    const files = callers();
    let i = 0;
    while (files && files[i] === "node:events") i += 1;
    if (!files || files[i] !== "node:internal/modules/run_main") return;
    loaded = false;
    setImmediate(async () => {
      try {
        await import(names[3]);
      } catch {}
      loaded = true;
    });
  });

  const around = { __proto__: null, "node:domain": true, "node:internal/async_hooks": true };
  let leavesItself = false;
  let hasReported = false;
  const tell = (status) => {
    // It ends for the second time: the first one was made up.
    if (hasReported) apply(reallyExit, process, [1]);
    const files = callers();
    let lines = "";
    let isNodes = files !== undefined;
    // Domains take part in whatever Node calls.
    for (let i = 0; files && i < files.length; i += 1) if (!around[files[i]]) isNodes = false;
    if (!isNodes && !leavesItself) return;
    // Which tests passed, whatever was said of them: nothing that is reported beside these did.
    for (let one = passed; one; one = one.before) {
      const isPassed = one.test.passed === true;
      if (isPassed !== one.said) lines += line(isPassed ? "passed" : "retracted", one);
      one.said = isPassed;
    }
    const now = fresh("node:test");
    for (let i = 0; i < exported.length; i += 1) {
      const name = exported[i];
      if (now[name] !== kept[name] || test[name] !== kept[name]) lines += word + " control node:test itself\n";
    }
    const emits = EventEmitter.prototype.emit === emitOfAll || "domain" in process;
    if (!emits || Readable.prototype.push !== push) lines += word + " control node:stream\n";
    const present = fresh("node:assert");
    const asserts = [assert, strict, present, present.strict];
    for (let i = 0; i < ofControls.length; i += 1) {
      const name = ofControls[i];
      for (let j = 0; j < asserts.length; j += 1) {
        if (!passes(controls[name], asserts[j])) continue;
        lines += word + " control " + name + "\n";
        break;
      }
    }
    for (let j = 0; j < asserts.length; j += 1) if (!isAsItWas(asserts[j])) lines += word + " control assert.rejects\n";
    // Whatever became of the report and of the status.
    let sound = status === 0 && (loaded || leavesItself);
    for (let one = failed; one; one = one.before) {
      if (!(hasTodo && one.test.isTodo) && !(hasFailure && one.test.passed)) sound = false;
    }
    if (sound) lines += word + " end\n";
    hasReported = sound;
    if (lines !== "") send(lines);
  };

  // Ours stays in front, and calls what others put in its place. They call what they found there before: then that is Node's.
  const guard = (key, own, around) => {
    let put = own;
    let within = false;
    const ours = function (...words) {
      return around(words, () => {
        if (within) return apply(own, this, words);
        within = true;
        try {
          return apply(put, this, words);
        } finally {
          within = false;
        }
      });
    };
    const set = (other) => {
      put = other;
    };
    defineProperty(process, key, { __proto__: null, get: () => ours, set, enumerable: true, configurable: false });
  };
  let ending = false;
  guard("emit", emit, (words, go) => {
    if (words[0] !== "exit" || ending) return go();
    ending = true;
    try {
      tell(words[1]);
      return go();
    } finally {
      ending = false;
    }
  });
  guard("reallyExit", reallyExit, (words, go) => {
    if (hasReported && !leavesItself) words[0] = 1;
    return go();
  });
  if (execve) {
    process.execve = (...words) => {
      if (hasReported) apply(reallyExit, process, [1]);
      return apply(execve, process, words);
    };
  }
  /** @type {any} */ (process).exit = {
    exit() {
      const files = callers();
      leavesItself = false;
      // What calls itself by the name of the file is not that file, which would say so.
      for (let i = 0; i < names.length; i += 1) if (mayExit && files && files[0] === names[i]) leavesItself = true;
      if (!leavesItself) send(word + " exited\n");
      return apply(exit, process, arguments);
    },
  }.exit;
}
