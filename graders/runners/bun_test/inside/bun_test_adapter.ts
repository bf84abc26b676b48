// Runs `bun test` and tells whether it came to its own end: `bun OPTIONS -e SOURCE -- PRELOAD bun test ARGUMENTS`.
// The protocol is described in graders/runners/adapter.py, the preload in bun_test_preload.mjs.
//
//     supervisor --- this process (the token) --- bun test: the preload (a word of its own), tests, candidate's code
//
// Bun runs tests and what they test in one process, and some of that code's timers after the last hook. So nothing that
// happens in there is the end: this process waits for it, and believes an exit status of 0 if the preload's hook was
// reached, nothing called process.exit() or its like, and Bun wrote its JUnit report, after the last line of JavaScript.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";

const INPUT = 0;
const REPORT = 3;

function readLine(descriptor: number): string {
  const byte = Buffer.alloc(1);
  let line = "";
  for (;;) {
    try {
      if (fs.readSync(descriptor, byte, 0, 1, null) === 0 || byte[0] === 10) return line;
    } catch (error: any) {
      if (error.code !== "EAGAIN") throw error;
      continue;
    }
    line += String.fromCharCode(byte[0]);
  }
}

// What Bun reads of .env files for this process is not the other one's.
function environment(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of fs.readFileSync("/proc/self/environ", "utf8").split("\0")) {
    const at = entry.indexOf("=", 1);
    if (at > 0) found[entry.slice(0, at)] = entry.slice(at + 1);
  }
  return found;
}

// Nothing of the same user may look into this process: PR_SET_DUMPABLE is 4.
function hide(): void {
  for (const name of ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`]) {
    try {
      const { dlopen, FFIType } = require("bun:ffi");
      const { symbols } = dlopen(name, { prctl: { args: [FFIType.i32, FFIType.u64], returns: FFIType.i32 } });
      symbols.prctl(4, 0);
      return;
    } catch {}
  }
}

// The value of an option, in both of its spellings; undefined if it is not there.
function option(argv: string[], name: string): string | undefined {
  const at = argv.findIndex((word) => word === name || word.startsWith(`${name}=`));
  return at < 0 ? undefined : argv[at].includes("=") ? argv[at].slice(name.length + 1) : argv[at + 1];
}

// Options of Bun whose value may be the next word.
const VALUED = new RegExp(
  "^(-[cdFlrt]|--(config|console-depth|conditions|coverage-(dir|reporter)|cwd|define|drop|env-file|extension-order|" +
    "feature|filter|import|install|jsx-[a-z-]+|loader|main-fields|max-concurrency|path-ignore-patterns|port|preload|" +
    "reporter(-outfile)?|require|rerun-each|retry|seed|shard|test-name-pattern|timeout|timings|title|tsconfig-override))$",
);
const isTests = (tail: string) =>
  /[._](test|spec)\.[cm]?[jt]sx?$/.test(tail) && !/(^|\/)(\.|node_modules\/)/.test(tail);

// Bun itself would look for tests, load those of a submission, and take a part of their names for something else than a
// file. So where the submission runs in another process, Bun gets the paths of those files of the case that it would find.
function withFiles(words: string[], told: string): string[] {
  const { workspace, files } = JSON.parse(fs.readFileSync(told, "utf8"));
  const end = words.indexOf("--");
  const names = end < 0 ? [] : words.slice(end + 1);
  const options = (end < 0 ? words : words.slice(0, end)).filter((word, i, all) => {
    const isOption = word.startsWith("-") || VALUED.test(all[i - 1] ?? "");
    if (!isOption) names.push(word);
    return isOption;
  });
  const base = resolve(option(words, "--cwd") ?? ".");
  const config = option([...words, ...(env.BUN_OPTIONS ?? "").split(" ")], "--config") ?? "/dev/null";
  const { test } = Bun.TOML.parse(fs.readFileSync(resolve(base, config), "utf8")) as any;
  const arePaths = names.some((name) => /^\.{0,2}\//.test(name));
  const places = arePaths ? names.map((name) => resolve(base, name)) : [resolve(base, test?.root ?? ".")];
  const isMeant = (file: string) => {
    if (arePaths && places.includes(file)) return true;
    const isThere = places.some((place) => file.startsWith(`${place}/`) && isTests(relative(place, file)));
    // A path through a link of the case is one more name of a file.
    if (!isThere || fs.realpathSync(file) !== file) return false;
    return arePaths || !names.length || names.some((name) => relative(base, file).includes(name));
  };
  const all = Object.keys(files).map((name) => join(workspace, name));
  const found = all.filter(isMeant).sort();
  if (found.length) return [...options, ...found];
  fs.writeSync(2, `The following filters did not match any test files:\n${names.join(" ")}\n`);
  process.exit(1);
}

// Where the tests find packages.
const packages = (process.env.NODE_PATH ?? "").split(":").filter(Boolean);
for (let place = process.cwd(); ; place = dirname(place)) {
  packages.push(join(place, "node_modules"));
  if (place === "/") break;
}
const isPackage = (name: string) => packages.some((place) => fs.existsSync(join(place, name)));

// The texts that a tsconfig.json has under its keys, each key as often as it is there. Throws if it is not plain.
function entries(path: string): [string, string[]][] {
  const string = String.raw`"(?:[^"\\]|\\.)*"`;
  const strings = (text: string) => text.match(new RegExp(string, "g"))?.map((each) => JSON.parse(each)) ?? [];
  const comments = new RegExp(`(${string})|//[^\n]*|/\\*[^]*?\\*/`, "g");
  const text = fs.readFileSync(path, "utf8").replace(comments, "$1");
  const rest = text.replace(new RegExp(string, "g"), '""');
  if (!/^[\s{}[\],:"\w.+-]*$/.test(rest) || /\w\s*:/.test(rest)) throw new Error("it is not plain");
  const pairs = new RegExp(`(${string})\\s*:\\s*(${string}|\\[(?:${string}|[^"\\]])*\\])`, "g");
  return [...text.matchAll(pairs)].map(([, key, value]) => [JSON.parse(key), strings(value)]);
}

// What it, or one that it extends, puts other files in place of: what an absolute path leads to, and packages.
function replaced(path: string, depth = 0): string | undefined {
  if (!fs.statSync(path, { throwIfNoEntry: false })?.isFile() || depth > 9) return undefined;
  const isTaken = (name: string) =>
    /^[/*]|[^/#~]\*/.test(name) || isPackage(name.replace(/\/?\*.*/, "")) || isPackage(name.split("/")[0]);
  try {
    for (const [key, values] of entries(path)) {
      const base = key === "baseUrl" ? resolve(dirname(path), values[0]) : "";
      const names =
        base && fs.existsSync(base) ? fs.readdirSync(base).map((name) => name.replace(/\.\w+$/, "")) : [key];
      const places = key === "extends" ? [dirname(path), ...packages] : [];
      const files = places.flatMap((place) => values.flatMap((name) => ends.map((end) => resolve(place, name + end))));
      const found = names.find(isTaken) ?? files.map((file) => replaced(file, depth + 1)).find(Boolean);
      if (found) return found;
    }
  } catch {
    return "what cannot be read";
  }
  return undefined;
}
const ends = ["", ".json", "/tsconfig.json"];

// In one process the submission's is read as well, unless one of them would put something else in place of the tests.
function isHarmless(): boolean {
  for (const name of new Bun.Glob("**/{ts,js}config.json").scanSync({ cwd: process.cwd(), dot: true })) {
    const what = name.includes("node_modules/") ? undefined : replaced(resolve(name));
    if (what === undefined) continue;
    fs.writeSync(2, `${name} is not read: it replaces ${what}\n`);
    return false;
  }
  return true;
}

type Counts = { ran: number; failed: number };

// The candidate could have put anything there; the first element of Bun's own report answers this.
function readReport(path: string): Counts | undefined {
  let descriptor: number;
  try {
    descriptor = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
  try {
    if (!fs.fstatSync(descriptor).isFile()) return undefined;
    const start = Buffer.alloc(4096);
    const [element] =
      /<testsuites [^>]*>/.exec(start.toString("latin1", 0, fs.readSync(descriptor, start, 0, 4096, 0))) ?? [];
    const number = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(element ?? "")?.[1] ?? Number.NaN);
    const counts = { ran: number("tests") - number("skipped"), failed: number("failures") };
    return Number.isNaN(counts.ran + counts.failed) ? undefined : counts;
  } finally {
    fs.closeSync(descriptor);
  }
}

// How many tests passed with which answers. Bun's report has their names and whether they failed, in the same order.
function answers(outcomes: [string, string][]) {
  const found = { same: 0, other: 0, unknown: 0, tests: [] as string[] };
  const plain = (text: string) =>
    text.replace(/&(?:#(\d+)|(lt|gt|amp|quot|apos));/g, (_, number, name) =>
      number ? String.fromCodePoint(number) : { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" }[name as string]!,
    );
  const read = () => fs.readFileSync(report!, "utf8").split("<testcase ").slice(1);
  const cases = report && fs.existsSync(report) ? read().filter((each) => !each.includes("<skipped")) : [];
  const ofTests = outcomes.filter(([file]) => file);
  const areNamed = cases.length === ofTests.length;
  for (const [i, [file, outcome]] of [...ofTests, ...outcomes.filter(([file]) => !file)].entries()) {
    if (!outcome || (areNamed && cases[i]?.includes("<failure"))) continue;
    found[outcome as "same"] += 1;
    const [, name] = (areNamed && / ?name="([^"]*)"/.exec(cases[i] ?? "")) || [];
    if (outcome === "other" && found.tests.length < 20)
      found.tests.push(name ? `${file}: ${plain(name)}` : file || "after the last test");
  }
  return found;
}

const token = readLine(INPUT);
const env = environment();
hide();
const [source, program, command, ...rest] = process.argv.slice(1);
const directory = fs.mkdtempSync(`${tmpdir()}/gradebox-`);
const preload = `${directory}/preload.mjs`;
// A file in a directory of this run, which is read before any of the candidate's code is.
fs.writeFileSync(preload, source);
const added = ["--preload", preload];
// Where the submission runs in another process, the host has chosen the file, by BUN_OPTIONS.
if (!env.GRADEBOX_APART && option(rest, "--tsconfig-override") === undefined && !isHarmless())
  added.push("--tsconfig-override=/dev/null");
const reporter = option(rest, "--reporter");
let report = option(rest, "--reporter-outfile");
// Older releases know no report, and no release writes two.
if (reporter === undefined && report === undefined && Bun.semver.satisfies(Bun.version, ">=1.2.0")) {
  report = `${directory}/report.xml`;
  added.push("--reporter=junit", `--reporter-outfile=${report}`);
} else if (reporter !== "junit") report = undefined;
else if (report !== undefined) report = resolve(option(rest, "--cwd") ?? ".", report);

const word = randomBytes(16).toString("hex");
const words = env.GRADEBOX_APART ? withFiles(rest, env.GRADEBOX_APART) : rest;
const child = spawn(program, [command, ...added, ...words], { env, stdio: ["inherit", "inherit", "inherit", "pipe"] });
child.on("error", (error: Error) => {
  fs.writeSync(2, `${program} cannot be run: ${error.message}\n`);
  process.exit(127);
});
const channel = child.stdio[3] as any;
let reported = "";
channel.on("error", () => {});
channel.on("data", (data: Buffer) => {
  if (reported.length < 1 << 22) reported += data.toString("latin1");
});
channel.write(`${word}\n`);
const closed = new Promise<void>((done) => channel.on("close", done));

child.on("exit", async (status: number | null, signal: NodeJS.Signals | null) => {
  // Something that still runs may have it open.
  await Promise.race([closed, Bun.sleep(1000)]);
  const lines = reported
    .split("\n")
    .filter((line) => line.startsWith(`${word} `))
    .map((line) => line.slice(word.length + 1));
  const counted = lines.findLast((line) => line.startsWith("end "));
  const ran = Number(counted?.slice("end ".length));
  // Bun writes no report about no test.
  const counts = report === undefined || ran === 0 ? { ran, failed: 0 } : readReport(report);
  for (const line of lines) if (/^(control|contract|limit) /.test(line)) fs.writeSync(REPORT, `${token} ${line}\n`);
  const told = lines.findLast((line) => line.startsWith("answers "));
  if (told)
    fs.writeSync(REPORT, `${token} answers ${JSON.stringify(answers(JSON.parse(told.slice("answers ".length))))}\n`);
  // Bun's report leaves out a file that cannot be loaded. Only the preload says so: anybody can print it.
  const unloaded = status === 0 ? [] : lines.filter((each) => each.startsWith("unloaded "));
  for (const line of unloaded.slice(0, 5))
    fs.writeSync(REPORT, `${token} ${line.replace(/\p{Cc}+/gu, " ").slice(0, 300)}\n`);
  const [left, exited] = [lines.includes("left"), lines.includes("exited")];
  if (exited && !left && counted === undefined) fs.writeSync(REPORT, `${token} exited\n`);
  if (!exited && !left && counted !== undefined && counts !== undefined)
    fs.writeSync(REPORT, `${token} done ${counts.ran} ${counts.failed}\n`);
  fs.rmSync(directory, { recursive: true, force: true });
  if (signal !== null) process.kill(process.pid, signal);
  // Bun does not know what was refused after the last hook.
  else process.exit(status === 0 && lines.includes("refused") ? 1 : (status ?? 1));
});
