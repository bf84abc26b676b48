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
  const { readFileSync, readSync, realpathSync, writeSync } = require("node:fs");
  const assert = require("node:assert");
  const test = require("node:test");
  const { AsyncResource, createHook } = require("node:async_hooks");
  const { EventEmitter } = require("node:events");
  const { Readable } = require("node:stream");
  const { pathToFileURL } = require("node:url");
  const { captureStackTrace } = Error;
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, keys } = Object;
  const { apply, deleteProperty, ownKeys } = Reflect;
  const { emit, execve, exit, reallyExit } = process;
  const { Error: KnownError, Promise: KnownPromise, setImmediate } = globalThis;
  const fresh = require("node:module").createRequire(__filename);
  const byte = new Uint8Array(1);
  let word = "";
  try {
    while (readSync(3, byte, 0, 1, null) === 1 && byte[0] !== 10) word += String.fromCharCode(byte[0]);
  } catch {}
  if (word === "") return;

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
  // something is to be done, so that it may fail.
  const real = realpathSync(process.argv[1]);
  const names = [process.argv[1], real, pathToFileURL(process.argv[1]).href, pathToFileURL(real).href];
  const text = readFileSync(real, "utf8");
  const mayExit = /\bexit\b/.test(text);
  const hasTodo = /todo/i.test(text);

  // Each must throw, whatever was tested.
  const controls = {
    "assert": () => fresh("node:assert")(false),
    "assert.ok": (assert) => assert.ok(false),
    "assert.equal": (assert) => assert.equal(1, 2),
    "assert.notEqual": (assert) => assert.notEqual(1, 1),
    "assert.strictEqual": (assert) => assert.strictEqual(1, 2),
    "assert.notStrictEqual": (assert) => assert.notStrictEqual(1, 1),
    "assert.deepEqual": (assert) => assert.deepEqual([1], [2]),
    "assert.deepStrictEqual": (assert) => assert.deepStrictEqual([1], [2]),
    "assert.match": (assert) => assert.match("a", /b/),
    "assert.throws": (assert) => assert.throws(() => {}),
    "assert.fail": (assert) => assert.fail("control"),
  };
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
  // in no module, but anybody finds them by the first test that is made.
  let settled = null;
  let failed = null;
  const settle = (prototype) => {
    for (let one = settled; one; one = one.before) if (one.prototype === prototype) return;
    settled = { __proto__: null, prototype, before: settled };
    const methods = ownKeys(prototype);
    for (let i = 0; i < methods.length; i += 1) {
      const key = methods[i];
      const { value, configurable } = getOwnPropertyDescriptor(prototype, key);
      if (typeof value !== "function" || typeof key !== "string" || !configurable || key === "constructor") continue;
      const called = key !== "fail" ? value : function () {
        failed = { __proto__: null, test: this, before: failed };
        return apply(value, this, arguments);
      };
      const set = function (other) {
        if (this !== prototype) defineProperty(this, key, plain(other));
      };
      defineProperty(prototype, key, { __proto__: null, get: () => called, set, configurable: false });
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

  // Whoever imports a module gets it when it has been loaded to its end. Node waits for that with a listener, which is there
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
  let told = false;
  const tell = (status) => {
    // It ends for the second time: the first one was made up.
    if (told) apply(reallyExit, process, [1]);
    const files = callers();
    let isNodes = files !== undefined;
    // Domains take part in whatever Node calls.
    for (let i = 0; files && i < files.length; i += 1) if (!around[files[i]]) isNodes = false;
    if (!isNodes && !leavesItself) return;
    let lines = "";
    const now = fresh("node:test");
    for (let i = 0; i < exported.length; i += 1) {
      const name = exported[i];
      if (now[name] !== kept[name] || test[name] !== kept[name]) lines += word + " control node:test itself\n";
    }
    const emits = EventEmitter.prototype.emit === emitOfAll || "domain" in process;
    if (!emits || Readable.prototype.push !== push) lines += word + " control node:stream\n";
    for (let i = 0; i < ofControls.length; i += 1) {
      const name = ofControls[i];
      const present = fresh("node:assert");
      if (passes(controls[name], present) || passes(controls[name], assert) || passes(controls[name], present.strict)) {
        lines += word + " control " + name + "\n";
      }
    }
    // Whatever became of the report and of the status.
    let sound = status === 0 && (loaded || leavesItself);
    for (let one = failed; one; one = one.before) if (!one.test.passed && !(hasTodo && one.test.isTodo)) sound = false;
    if (sound) lines += word + " end\n";
    told = sound;
    if (lines !== "") writeSync(3, lines);
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
    if (told && !leavesItself) words[0] = 1;
    return go();
  });
  if (execve) {
    process.execve = (...words) => {
      if (told) apply(reallyExit, process, [1]);
      return apply(execve, process, words);
    };
  }
  process.exit = {
    exit() {
      const files = callers();
      leavesItself = false;
      // What calls itself by the name of the file is not that file, which would say so.
      for (let i = 0; i < names.length; i += 1) if (mayExit && files && files[0] === names[i]) leavesItself = true;
      return apply(exit, process, arguments);
    },
  }.exit;
}
