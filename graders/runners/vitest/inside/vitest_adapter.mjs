// A reporter of `vitest run` that tells when the run is over: `--reporter FILE`, FILE being this one. The protocol is described
// in graders/runners/adapter.py. Vitest 1 and newer.
//
//     supervisor --- vitest: this reporter (the token) --- workers: the tests, what they test, and controls.js
//
// Vitest runs tests, and what they test, in workers; its main process runs none of that code. It adds this file to those
// that every worker loads before a file of tests. There it tries after each test what must fail, and has the test fail
// where that passes. What a worker says of its tests is taken as it is.

import assert from "node:assert";
import fs from "node:fs";
import { fileURLToPath } from "node:url";

// Code of the tests can change what is imported by name.
const { readFileSync, readSync, statSync, writeSync } = fs;

// In a worker, before a file of tests is loaded.
function watch({ afterEach, expect, assert: own }) {
  const asserts = own ? [assert, assert.strict, own] : [assert, assert.strict];
  afterEach(() => refuse(expect, asserts));
  guard(expect);
}

const isWorker = globalThis.__vitest_worker__ !== undefined;
const token = isWorker ? "" : readLine(0);
let isTold = false;

if (isWorker && globalThis.__vitest_index__?.afterEach) {
  watch(globalThis.__vitest_index__);
  const { filepath, config } = globalThis.__vitest_worker__;
  if (isOthers(filepath)) {
    const suite = (await import("vitest/suite")).getCurrentSuite();
    watchList(suite.tasks, fileURLToPath(import.meta.url));
    watchHooks(suite, fileURLToPath(import.meta.url), config.setupFiles);
  }
}

// The tests that were to run. Of what was skipped since, Vitest says the same as of other skipped tests.
const chosen = new Set();
const wasSkipped = ({ id, result, file }) =>
  chosen.has(id) && result?.state === "skip" && !WORDS.skip.test(readFileSync(file.filepath, "utf8"));

// The tests of a file or of a suite.
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

  onCollected(files = []) {
    for (const { id, mode } of tests(files)) if (mode === "run") chosen.add(id);
  }

  onTestModuleCollected({ task }) {
    this.onCollected([task]);
  }

  // Newer releases call only this, older ones only the next method, and some both.
  onTestRunEnd(modules, _errors, reason) {
    if (reason !== "interrupted") this.onFinished(modules.map(({ task }) => task));
  }

  onFinished(files = []) {
    if (isTold) return;
    isTold = true;
    const all = tests(files);
    const say = (what) => writeSync(REPORT, `${token} ${what.replace(/\p{Cc}+/gu, " ").slice(0, 300)}\n`);
    const count = (state) => all.filter(({ result }) => result?.state === state).length;
    const empty = files.filter((file) => file.result?.state === "fail" && tests([file]).length === 0);
    for (const { filepath, result } of empty.slice(0, 5))
      say(`unloaded ${filepath}: ${result.errors?.[0]?.message ?? ""}`);
    // A run that fails may leave out tests.
    const skipped = count("fail") || empty.length ? [] : all.filter(wasSkipped);
    for (const { name } of skipped.slice(0, 1)) say(`skipped ${name}`);
    const messages = all.flatMap(({ result }) => result?.errors ?? []).map(({ message }) => message ?? "");
    for (const names of told(messages)) say(`control ${names}`);
    say(`done ${count("pass") + count("fail")} ${count("fail")}`);
  }
}
