// A reporter of `node --test` that tells whether every file came to its own end: `--test-reporter FILE`, FILE being this one.
// The protocol is described in graders/runners/adapter.py. Node.js 18 and newer.
//
//     supervisor --- node --test: this reporter (the token) --- one process a file: the preload (a word of its own)
//
// Node runs every file in a process of its own, and takes one that exits with 0 for passed, however early it did so. This
// process runs none of the candidate's code. It gives every other one a preload, node_test_preload.cjs, and a pipe, through
// which that says that the file ran out of things to do, and not that something ended it. A test file may end itself by
// `process.exit()`.
//
// Where the author chose no reporter, this one prints what Node's own would have.

import { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, readSync, writeSync } from "node:fs";
import { relative, resolve } from "node:path";
import { Readable } from "node:stream";
import * as reporters from "node:test/reporters";
import { fileURLToPath } from "node:url";

const PIPE = 3;
const PASSED = "passed ";
const RETRACTED = "retracted ";
const ANSWERS = "answers ";
// Node.js itself ends a process with this status where what handles an error throws it again.
const RETHROWN = 7;

const token = readLine(0);
const preload = fileURLToPath(new URL("node_test_preload.cjs", import.meta.url));
// In its place if the submission runs in another process, so that nothing in that of a test file has to be guarded.
const apart = fileURLToPath(new URL("node_test_apart.mjs", import.meta.url));
const told = process.env.GRADEBOX_APART;
const isApart = Boolean(told);
const preloads = isApart ? ["--import", apart] : ["--require", preload];

// Whether a file is the case's, or a directory of such files, where the submission is in another process.
const { files: ofCase } = isApart ? JSON.parse(readFileSync(told, "utf8")) : {};
const inWorkspace = (path) => relative(resolve(told, "../.."), path);
const isListed = (path) => !ofCase || Object.hasOwn(ofCase, inWorkspace(path));
const isKnown = (path) =>
  isListed(path) || Object.keys(ofCase).some((each) => each.startsWith(`${inWorkspace(path)}/`));
// Node takes a file without tests for one.
const isOfCase = ({ file, name }) => isListed(file?.startsWith("file:") ? fileURLToPath(file) : resolve(file ?? name));

// The files that run, or ran: what each reported, and whether its process ended well.
const files = [];
/** @type {any} */ const { prototype } = ChildProcess;
const { spawn } = prototype;
prototype.spawn = function (options) {
  const stdio = Array.isArray(options.stdio) ? [...options.stdio] : Array(3).fill(options.stdio ?? "pipe");
  const isFile = stdio.length === PIPE && options.envPairs?.some((pair) => pair.startsWith("NODE_TEST_CONTEXT="));
  if (!isFile) return spawn.call(this, options);
  const { args, cwd = "." } = options;
  // Whatever a file is called, its name is no option.
  const path = resolve(cwd, args.at(-1));
  // A process that runs nothing stands for a file that is not the case's.
  if (!isKnown(path)) return spawn.call(this, { ...options, args: [args[0], "--eval", ""] });
  const words = [args[0], ...preloads, ...args.slice(1, -1), path];
  const status = spawn.call(this, { ...options, args: words, stdio: [...stdio, "pipe"] });
  const pipe = this.stdio?.[PIPE];
  if (status !== 0 || !pipe) return status;
  const file = { word: randomBytes(16).toString("hex"), path, output: "", status: undefined, closed: undefined };
  files.push(file);
  pipe.setEncoding("utf8");
  pipe.on("error", () => {});
  pipe.on("data", (data) => {
    if (file.output.length < 1 << 24) file.output += data;
  });
  file.closed = new Promise((done) => pipe.on("end", done).on("close", done));
  this.on("exit", (code) => {
    file.status = code;
  });
  pipe.write(`${file.word}\n`);
  return status;
};

let ran = 0;
let failed = 0;
// The names of tests that passed, by what the files report on a stdout that what they test can write to as well.
const reported = [];
// How many tests of a name have failed.
const failures = new Map();
async function* observed(source) {
  for await (const event of source) {
    const { data } = event;
    const counts = data?.details?.type !== "suite" && data?.skip === undefined && data?.todo === undefined;
    if ((event.type === "test:pass" || event.type === "test:fail") && counts && isOfCase(data)) ran += 1;
    if (event.type === "test:pass" && counts) reported.push(data.name);
    if (event.type === "test:fail" && data?.todo === undefined) failed += 1;
    if (event.type === "test:fail") failures.set(data.name, (failures.get(data.name) ?? 0) + 1);
    yield event;
  }
}

// How many tests passed with which answers, with those of one more file. What is in no test is the file's.
function counted(answers = { same: 0, other: 0, unknown: 0, tests: [] }, outcomes, file, status) {
  for (const [name, outcome] of outcomes) {
    const failed = name ? (failures.get(name) ?? 0) : status;
    if (name && failed) failures.set(name, failed - 1);
    if (failed || !outcome) continue;
    answers[outcome] += 1;
    const place = relative(process.cwd(), file);
    if (outcome === "other" && answers.tests.length < 20) answers.tests.push(name ? `${place}: ${name}` : place);
  }
  return answers;
}

async function tell() {
  // Something that still runs may have a pipe open.
  await Promise.race([
    Promise.all(files.map((file) => file.closed)),
    new Promise((resolve) => setTimeout(resolve, 1000).unref()),
  ]);
  let complete = true;
  let unloaded = 0;
  // The files that something ended in another way than by process.exit(), which honest scripts call, too.
  let cut = 0;
  const passed = new Map();
  let answers;
  for (const { word, path, output, status } of files) {
    // A process that is ended may leave half a line.
    const whole = output.split("\n").slice(0, -1);
    const lines = whole.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
    for (const line of new Set(lines))
      if (/^(control|contract|limit) /.test(line)) writeSync(REPORT, `${token} ${line}\n`);
    // What ended the process is said by that one itself: anybody can print it.
    const ended = status === RETHROWN ? /^(?:error|thrown) (.*)/ : /^error (.*)/;
    const [, error] = (status !== 0 && lines.map((line) => ended.exec(line)).findLast(Boolean)) || [];
    if (error && (unloaded += 1) <= 5) {
      const what = `${path}: ${JSON.parse(error)}`.replace(/\p{Cc}+/gu, " ");
      writeSync(REPORT, `${token} unloaded ${what.slice(0, 300)}\n`);
    }
    const told = lines.findLast((line) => line.startsWith(ANSWERS));
    if (told) answers = counted(answers, JSON.parse(told.slice(ANSWERS.length)), path, status);
    if (status === 0 && !lines.includes("end")) {
      complete = false;
      if (!lines.includes("exited")) cut += 1;
    }
    const names = (kind) =>
      lines.filter((line) => line.startsWith(kind)).map((line) => JSON.parse(line.slice(kind.length)));
    // A file without tests of node:test is one itself.
    for (const name of [...names(PASSED), ...(status === 0 ? [path] : [])])
      passed.set(name, (passed.get(name) ?? 0) + 1);
    for (const name of names(RETRACTED)) passed.set(name, (passed.get(name) ?? 0) - 1);
  }
  // Where one failed, a report of passes may be worth something: no more than there were.
  const failing = files.some(({ status }) => status !== 0);
  // Node.js passes a file whose process has failed after its tests.
  if (isApart && failing) process.exitCode = 1;
  for (const name of failing && !isApart ? reported : []) {
    const key = passed.has(name) ? name : resolve(name);
    const left = passed.get(key) ?? 0;
    if (left < 1) complete = false;
    passed.set(key, left - 1);
  }
  if (answers) writeSync(REPORT, `${token} answers ${JSON.stringify(answers)}\n`);
  if (complete) writeSync(REPORT, `${token} done ${ran} ${failed}\n`);
  else if (cut === 0 && !failing) writeSync(REPORT, `${token} exited\n`);
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
