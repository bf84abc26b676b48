// A reporter of `jest` that tells when the run is over: `--reporters FILE`, FILE being this one. The protocol is described in
// graders/checks/adapters.py. Jest 27 and newer.
//
//     supervisor --- jest: this reporter (the token) --- contexts: the tests, what they test, and the controls below
//
// Jest runs tests, and what they test, in contexts of their own: in workers where it has many, in this process where it has
// few. In here that code gets at Node's modules, so this one keeps what it needs of them from before. It adds this file to
// those that every context loads before a file of tests. There it tries after each test what must fail, and has the test
// fail where that passes.
"use strict";

const { readSync, writeSync } = require("node:fs");

const REPORT = 3;
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
};
const ASSERTIONS = {
  "assert.ok": (assert) => assert.ok(false),
  "assert.equal": (assert) => assert.equal(1, 2),
  "assert.strictEqual": (assert) => assert.strictEqual(1, 2),
  "assert.deepEqual": (assert) => assert.deepEqual([1], [2]),
  "assert.deepStrictEqual": (assert) => assert.deepStrictEqual([1], [2]),
  "assert.throws": (assert) => assert.throws(() => {}),
};

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

// In a context, before a file of tests is loaded.
function watch({ afterEach, expect }) {
  const assert = require("assert");
  afterEach(() => {
    const { assertionCalls, numPassingAsserts } = expect.getState();
    const bent = [
      ...new Set([expect, globalThis.expect || expect].map((subject) => passed(CONTROLS, subject))),
      passed(ASSERTIONS, assert),
    ].filter((names) => names !== "");
    // A test may say how many assertions it makes.
    expect.setState({ assertionCalls, numPassingAsserts });
    if (bent.length > 0) throw new Error(MARK + bent.join(" "));
  });
}

// What a context hands its tests; null in this process, where there is no such module, or one that throws.
function handed() {
  try {
    return typeof jest === "object" ? globalThis : require("@jest/globals");
  } catch {
    return null;
  }
}

const inside = handed();
const token = inside === null ? readLine(0) : "";
const seen = new WeakSet();

class Report {
  // Whatever tests a context is handed, it is handed these settings with them.
  onTestStart({ context }) {
    if (seen.has(context)) return;
    seen.add(context);
    context.config = { ...context.config, setupFilesAfterEnv: [__filename, ...(context.config.setupFilesAfterEnv || [])] };
  }

  onRunComplete(_contexts, results) {
    if (results.wasInterrupted) return;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const messages = results.testResults.flatMap((file) => file.testResults.flatMap((test) => test.failureMessages));
    const marked = messages.filter((message) => message.includes(MARK));
    const bent = new Set(marked.map((message) => message.split(MARK)[1].split("\n")[0]));
    for (const names of bent) writeSync(REPORT, `${token} control ${names}\n`);
    writeSync(REPORT, `${token} done ${results.numPassedTests + failed} ${failed}\n`);
  }

  getLastError() {}
}

// What a context loads may export no function: Jest 30 would call it.
if (inside === null) module.exports = Report;
else watch(inside);
