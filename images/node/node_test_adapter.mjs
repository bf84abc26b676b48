// A reporter of `node --test` that tells whether every file came to its own end: `--test-reporter=data:...`. The protocol is
// described in graders/checks/adapters.py. Node.js 18 and newer.
//
//     supervisor --- node --test: this reporter (the token) --- one process a file: the preload below (a word of its own)
//
// Node runs every file in a process of its own, and takes one that exits with 0 for passed, however early it did so. This
// process runs none of the candidate's code. It gives every other one a preload and a pipe, through which the preload says
// that the file ran out of things to do, and not that something ended it. A test file may end itself by `process.exit()`.
//
// Where the author chose no reporter, this one prints what Node's own would have.

import { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { Readable } from "node:stream";
import * as reporters from "node:test/reporters";

const REPORT = 3;
const PIPE = 3;

const PRELOAD = String.raw`
"use strict";
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
  const { captureStackTrace } = Error;
  const { defineProperty, getOwnPropertyDescriptors, getPrototypeOf } = Object;
  const { apply } = Reflect;
  const { exit } = process;
  const fresh = require("node:module").createRequire(__filename);
  const kept = new Map(Object.entries(test).filter(([, value]) => typeof value === "function"));
  const byte = new Uint8Array(1);
  let word = "";
  try {
    while (readSync(3, byte, 0, 1, null) === 1 && byte[0] !== 10) word += String.fromCharCode(byte[0]);
  } catch {}
  if (word === "") return;

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
  const settled = new Set();
  const failed = [];
  const settle = (prototype) => {
    if (settled.has(prototype)) return;
    settled.add(prototype);
    for (const [key, { value, configurable }] of Object.entries(getOwnPropertyDescriptors(prototype))) {
      if (typeof value !== "function" || !configurable || key === "constructor") continue;
      const called = key !== "fail" ? value : function () {
        failed[failed.length] = this;
        return apply(value, this, arguments);
      };
      const set = function (other) {
        if (this !== prototype) defineProperty(this, key, { value: other, writable: true, configurable: true, enumerable: true });
      };
      defineProperty(prototype, key, { get: () => called, set, configurable: false });
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
  const { emit } = EventEmitter.prototype;
  const { push } = Readable.prototype;

  // The files of all functions that are running, this one's left out; the caller is the first.
  const callers = () => {
    const { prepareStackTrace, stackTraceLimit } = Error;
    const place = {};
    Error.stackTraceLimit = Infinity;
    Error.prepareStackTrace = (_, sites) => sites.map((site) => String(site.getFileName()));
    captureStackTrace(place, callers);
    const files = place.stack.filter((name) => name !== __filename);
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
    return files;
  };
  // Node emits what nobody else emits with nothing else running; there is a package that many use and that passes it on.
  const isNodes = () =>
    callers().every((name) => name === "node:events" || name === "node:domain" || /\/node_modules\/signal-exit\//.test(name));

  let natural = false;
  let callerIsFile = false;
  let awaiting = null;
  process.on("beforeExit", () => {
    natural = isNodes();
  });
  const leave = {
    exit(code) {
      try {
        const name = callers()[0].replace(/^file:\/\//, "");
        const isFile = name === process.argv[1] || name === realpathSync(process.argv[1]);
        // What calls itself by the name of the file is not that file, which would say so.
        callerIsFile = isFile && /\bexit\b/.test(readFileSync(process.argv[1], "utf8"));
      } catch {}
      return exit.apply(process, arguments);
    },
  }.exit;
  process.exit = leave;

  // The first of all listeners: whoever comes later changes the status of a file that has told of itself already.
  process.on("exit", (status) => {
    let text = "";
    const now = fresh("node:test");
    for (const [name, value] of kept) if (now[name] !== value) text += word + " control node:test itself\n";
    if (EventEmitter.prototype.emit !== emit || Readable.prototype.push !== push) text += word + " control node:stream\n";
    for (const name in controls) {
      if (passes(controls[name], fresh("node:assert")) || passes(controls[name], assert)) text += word + " control " + name + "\n";
      else if (passes(controls[name], fresh("node:assert").strict)) text += word + " control " + name + "\n";
    }
    // Whatever became of the report and of the status.
    for (let i = 0; i < failed.length; i += 1) if (!failed[i].passed && !failed[i].isTodo) natural = callerIsFile = false;
    if (status === 0 && ((natural && !awaiting && isNodes()) || callerIsFile)) text += word + " end\n";
    writeSync(3, text);
  });

  // While a module awaits at its top level, Node has a listener that would turn the status into 13, after ours has seen a 0.
  // It comes before the file is loaded, and only Node takes it away from one that has been loaded to its end.
  const loads = () => callers().find((name) => name !== "node:events") === "node:internal/modules/run_main";
  process.on("newListener", (event, listener) => {
    if (event === "exit" && loads()) awaiting ??= listener;
  });
  process.on("removeListener", (event, listener) => {
    if (event === "exit" && listener === awaiting && loads()) awaiting = null;
  });
}
`;

function readLine(descriptor) {
  const byte = Buffer.alloc(1);
  let line = "";
  for (;;) {
    try {
      if (readSync(descriptor, byte, 0, 1, null) === 0 || byte[0] === 10) return line;
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      continue;
    }
    line += String.fromCharCode(byte[0]);
  }
}

const token = readLine(0);
const directory = mkdtempSync(`${tmpdir()}/gradebox-`);
const preload = `${directory}/preload.cjs`;
writeFileSync(preload, PRELOAD);

// The files that run, or ran: what each told, and whether its process ended well.
const files = [];
const { spawn } = ChildProcess.prototype;
ChildProcess.prototype.spawn = function (options) {
  const stdio = Array.isArray(options.stdio) ? [...options.stdio] : Array(3).fill(options.stdio ?? "pipe");
  const isFile = stdio.length === PIPE && options.envPairs?.some((pair) => pair.startsWith("NODE_TEST_CONTEXT="));
  if (!isFile) return spawn.call(this, options);
  const [program, ...rest] = options.args;
  const status = spawn.call(this, { ...options, args: [program, "--require", preload, ...rest], stdio: [...stdio, "pipe"] });
  const pipe = this.stdio?.[PIPE];
  if (status !== 0 || !pipe) return status;
  const file = { word: randomBytes(16).toString("hex"), told: "", status: undefined, closed: undefined };
  files.push(file);
  pipe.on("error", () => {});
  pipe.on("data", (data) => {
    if (file.told.length < 1 << 16) file.told += data.toString("latin1");
  });
  file.closed = new Promise((resolve) => pipe.on("end", resolve).on("close", resolve));
  this.on("exit", (code) => {
    file.status = code;
  });
  pipe.write(`${file.word}\n`);
  return status;
};

let ran = 0;
let failed = 0;
async function* observed(source) {
  for await (const event of source) {
    const { data } = event;
    const counts = data?.details?.type !== "suite" && data?.skip === undefined && data?.todo === undefined;
    if ((event.type === "test:pass" || event.type === "test:fail") && counts) ran += 1;
    if (event.type === "test:fail" && data?.todo === undefined) failed += 1;
    yield event;
  }
}

async function tell() {
  // Something that still runs may have a pipe open.
  await Promise.race([Promise.all(files.map((file) => file.closed)), new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
  let complete = true;
  for (const { word, told, status } of files) {
    const lines = told.split("\n").filter((line) => line.startsWith(`${word} `));
    for (const line of new Set(lines)) {
      if (line.startsWith(`${word} control `)) writeSync(REPORT, `${token}${line.slice(word.length)}\n`);
    }
    if (status === 0 && !lines.includes(`${word} end`)) complete = false;
  }
  if (complete) writeSync(REPORT, `${token} done ${ran} ${failed}\n`);
  rmSync(directory, { recursive: true, force: true });
}

// Whether the author named a reporter, whose output is then all that is wanted.
const named = process.execArgv.filter((word) => /^--test-reporter(=|$)/.test(word)).length > 1;
const isSpec = process.stdout.isTTY || Number(process.versions.node.split(".")[0]) >= 23;

export default async function* report(source) {
  const events = observed(source);
  if (named) for await (const event of events) void event;
  else if (isSpec) yield* Readable.from(events).pipe(new reporters.spec());
  else yield* reporters.tap(events);
  await tell();
}
