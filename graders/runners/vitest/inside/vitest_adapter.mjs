// A reporter of `vitest run` that tells when the run is over: `--reporter FILE`, FILE being this one. The protocol is described
// in graders/runners/adapter.py. Vitest 1 and newer.
//
//     supervisor --- vitest: this reporter (the token) --- workers: the tests, what they test, and controls.js
//
// Vitest runs tests, and what they test, in workers; its main process runs none of that code. It adds this file to those
// that every worker loads before a file of tests. There it tries after each test what must fail, and has the test fail
// where that passes. What a worker says of its tests is taken as it is.

import assert from "node:assert";
import { readSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";

// In a worker, before a file of tests is loaded.
function watch({ afterEach, expect, assert: own }) {
  const asserts = own ? [assert, assert.strict, own] : [assert, assert.strict];
  afterEach(() => refuse(expect, asserts));
  guard(expect);
}

const isWorker = globalThis.__vitest_worker__ !== undefined;
const token = isWorker ? "" : readLine(0);
let isTold = false;

if (isWorker && globalThis.__vitest_index__?.afterEach) watch(globalThis.__vitest_index__);

// Newer releases call only the first of the methods below, older ones the second, and some both.
function tell(results, ran, failed, unloaded) {
  if (isTold) return;
  for (const [name, errors] of unloaded.slice(0, 5)) {
    const what = `${name}: ${errors?.[0]?.message ?? ""}`.replace(/\p{Cc}+/gu, " ");
    writeSync(REPORT, `${token} unloaded ${what.slice(0, 300)}\n`);
  }
  const messages = results.flatMap((result) => result?.errors ?? []).map(({ message }) => message ?? "");
  for (const names of told(messages)) writeSync(REPORT, `${token} control ${names}\n`);
  writeSync(REPORT, `${token} done ${ran} ${failed}\n`);
  isTold = true;
}

// The tests of a file or of a suite, as Vitest 1 and 2 have them.
function tests(tasks) {
  return tasks.flatMap((task) => (task.tasks ? tests(task.tasks) : [task]));
}

export default class Report {
  onInit(vitest) {
    for (const { config } of vitest?.projects ?? []) {
      // Without a snapshot, nothing would be expected.
      if (config.snapshotOptions?.updateSnapshot === "new") config.snapshotOptions.updateSnapshot = "none";
      // A browser has no modules of Node's.
      if (!config.browser?.enabled) config.setupFiles.unshift(fileURLToPath(import.meta.url));
    }
  }

  // Vitest 3 and newer.
  onTestRunEnd(modules, _errors, reason) {
    const results = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result()));
    const states = results.map(({ state }) => state);
    const failed = states.filter((state) => state === "failed").length;
    const empty = modules.filter(
      (module) => module.state?.() === "failed" && [...module.children.allTests()].length === 0,
    );
    const unloaded = empty.map((module) => [module.moduleId, module.errors()]);
    if (reason !== "interrupted")
      tell(results, failed + states.filter((state) => state === "passed").length, failed, unloaded);
  }

  onFinished(files = []) {
    const results = tests(files).map((test) => test.result);
    const states = results.map((result) => result?.state);
    const failed = states.filter((state) => state === "fail").length;
    const empty = files.filter((file) => file.result?.state === "fail" && tests([file]).length === 0);
    const unloaded = empty.map((file) => [file.filepath, file.result.errors]);
    tell(results, failed + states.filter((state) => state === "pass").length, failed, unloaded);
  }
}
