// A reporter of `vitest run` that tells when the run is over: `--reporter FILE`, FILE being this one. The protocol is described
// in graders/checks/adapters.py. Vitest 1 and newer.
//
//     supervisor --- vitest: this reporter (the token) --- workers: the tests, what they test, and the controls below
//
// Vitest runs tests, and what they test, in workers; its main process runs none of that code. It adds this file to those
// that every worker loads before a file of tests. There it tries after each test what must fail, and has the test fail
// where that passes. What a worker says of its tests is taken as it is.

import assert from "node:assert";
import { readSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";

const REPORT = 3;

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

const MARK = "gradebox: this must fail, and passed: ";

// Each must throw, whatever was tested. What there is no function for throws too.
const CONTROLS = {
  "toBe": (expect) => expect(1).toBe(2),
  "toEqual": (expect) => expect([1]).toEqual([2]),
  "toStrictEqual": (expect) => expect({ a: 1 }).toStrictEqual({ a: 2 }),
  "toMatchObject": (expect) => expect({ a: 1 }).toMatchObject({ a: 2 }),
  "toBeTruthy": (expect) => expect(0).toBeTruthy(),
  "toBeFalsy": (expect) => expect(1).toBeFalsy(),
  "toBeUndefined": (expect) => expect(null).toBeUndefined(),
  "toBeNull": (expect) => expect(0).toBeNull(),
  "toBeGreaterThan": (expect) => expect(1).toBeGreaterThan(2),
  "toBeCloseTo": (expect) => expect(1).toBeCloseTo(2),
  "toContain": (expect) => expect([1]).toContain(2),
  "toHaveLength": (expect) => expect([1]).toHaveLength(2),
  "toMatch": (expect) => expect("a").toMatch(/b/),
  "toThrow": (expect) => expect(() => {}).toThrow(),
  "not.toBe": (expect) => expect(1).not.toBe(1),
  "to.equal": (expect) => expect(1).to.equal(2),
};
const ASSERTIONS = {
  "assert.ok": (assert) => assert.ok(false),
  "assert.equal": (assert) => assert.equal(1, 2),
  "assert.strictEqual": (assert) => assert.strictEqual(1, 2),
  "assert.deepEqual": (assert) => assert.deepEqual([1], [2]),
  "assert.deepStrictEqual": (assert) => assert.deepStrictEqual([1], [2]),
  "assert.throws": (assert) => assert.throws(() => {}),
};

// Says which of them passed, in the words of a line; empty if none did.
function passed(controls, subject) {
  return Object.keys(controls)
    .filter((name) => {
      try {
        controls[name](subject);
        return true;
      } catch {
        return false;
      }
    })
    .join(" ");
}

// In a worker, before a file of tests is loaded.
function watch({ afterEach, expect }) {
  afterEach(() => {
    const { assertionCalls } = expect.getState();
    const bent = [
      ...new Set([expect, globalThis.expect ?? expect].map((subject) => passed(CONTROLS, subject))),
      passed(ASSERTIONS, assert),
    ].filter((names) => names !== "");
    // A test may say how many assertions it makes.
    expect.setState({ assertionCalls });
    if (bent.length > 0) throw new Error(MARK + bent.join(" "));
  });
}

const isWorker = globalThis.__vitest_worker__ !== undefined;
const token = isWorker ? "" : readLine(0);
const bent = new Set();
let told = false;

if (isWorker && globalThis.__vitest_index__?.afterEach) watch(globalThis.__vitest_index__);

// The errors of one test.
function look(errors) {
  for (const { message } of errors ?? []) if (message?.startsWith(MARK)) bent.add(message.slice(MARK.length).split("\n")[0]);
}

function tell(ran, failed) {
  if (told) return;
  for (const names of bent) writeSync(REPORT, `${token} control ${names}\n`);
  writeSync(REPORT, `${token} done ${ran} ${failed}\n`);
  told = true;
}

// The tests of a file or of a suite, as Vitest 1 and 2 have them.
function tests(tasks) {
  return tasks.flatMap((task) => (task.tasks ? tests(task.tasks) : [task]));
}

export default class Report {
  onInit(vitest) {
    for (const { config } of vitest?.projects ?? []) {
      // A browser has no modules of Node's.
      if (!config.browser?.enabled) config.setupFiles.unshift(fileURLToPath(import.meta.url));
    }
  }

  // Vitest 3 and newer.
  onTestRunEnd(modules, _errors, reason) {
    const results = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result()));
    results.forEach(({ errors }) => look(errors));
    const states = results.map(({ state }) => state);
    const failed = states.filter((state) => state === "failed").length;
    if (reason !== "interrupted") tell(failed + states.filter((state) => state === "passed").length, failed);
  }

  onFinished(files = []) {
    const results = tests(files).map((test) => test.result);
    results.forEach((result) => look(result?.errors));
    const states = results.map((result) => result?.state);
    const failed = states.filter((state) => state === "fail").length;
    tell(failed + states.filter((state) => state === "pass").length, failed);
  }
}
