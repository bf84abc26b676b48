// A reporter of `jest` that tells when the run is over: `--reporters FILE`, FILE being this one. The protocol is described in
// graders/runners/adapter.py. Jest 27 and newer.
//
//     supervisor --- jest: this reporter (the token) --- contexts: the tests, what they test, and controls.js
//
// Jest runs tests, and what they test, in contexts of their own: in workers where it has many, in this process where it has
// few. In here that code gets at Node's modules, so this one keeps what it needs of them from before. It adds this file to
// those that every context loads before a file of tests. There it tries after each test what must fail, and has the test
// fail where that passes.

const { readFileSync, readSync, statSync, writeSync } = require("node:fs");

// In a context, before a file of tests is loaded.
function watch({ afterEach, expect }) {
  const assert = require("assert");
  const asserts = [assert, assert.strict];
  afterEach(() => refuse(expect, asserts));
  guard(expect);
  if (isOthers(expect.getState().testPath)) watchDefinitions(afterEach);
}

// Only jest-circus keeps lists of tests, in a state that it tells its listeners, and older releases have below a symbol.
function watchDefinitions(afterEach) {
  const symbols = Object.getOwnPropertySymbols(globalThis);
  let state = globalThis[symbols.find(({ description }) => description === "JEST_STATE_SYMBOL")];
  const listeners = globalThis[Symbol.for("EVENT_HANDLERS")];
  listeners?.push((_event, found) => (state = found));
  afterEach(() => {});
  listeners?.pop();
  let isFocused = false;
  // A refused test has chosen itself before.
  const refused = () => (state.hasFocusedTests = isFocused);
  const admitted = () => (isFocused = state.hasFocusedTests);
  if (state) watchList(state.rootDescribeBlock.children, __filename, admitted, refused);
}

// What a context gives its tests; null in this process, where there is no such module, or one that throws.
function testGlobals() {
  try {
    return typeof jest === "object" ? globalThis : require("@jest/globals");
  } catch {
    return null;
  }
}

const inside = testGlobals();
const token = inside === null ? readLine(0) : "";
const seen = new WeakSet();

class Report {
  // Whatever tests a context gets, it gets these settings with them.
  onTestStart({ context }) {
    if (seen.has(context)) return;
    seen.add(context);
    context.config = {
      ...context.config,
      setupFilesAfterEnv: [__filename, ...(context.config.setupFilesAfterEnv || [])],
    };
  }

  onRunComplete(_contexts, results) {
    if (results.wasInterrupted) return;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const unloaded = results.testResults.filter((file) => file.testExecError && file.testResults.length === 0);
    for (const file of unloaded.slice(0, 5)) {
      const what = `${file.testFilePath}: ${file.testExecError.message ?? ""}`.replace(/\p{Cc}+/gu, " ");
      writeSync(REPORT, `${token} unloaded ${what.slice(0, 300)}\n`);
    }
    const messages = results.testResults.flatMap((file) => file.testResults.flatMap((test) => test.failureMessages));
    for (const names of told(messages)) writeSync(REPORT, `${token} control ${names}\n`);
    writeSync(REPORT, `${token} done ${results.numPassedTests + failed} ${failed}\n`);
  }

  getLastError() {}
}

// What a context loads may export no function: Jest 30 would call it.
if (inside === null) module.exports = Report;
else watch(inside);
