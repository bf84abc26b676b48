// Runs one item, or many that share a process:
// `node --no-warnings --experimental-vm-modules --input-type=module -e SOURCE`. The protocol is described in
// graders/languages/item_protocol.py. Node.js 18 and newer.
//
// The parts of a program are one ES module, whose imports are looked up from the workspace; `require` is there too. In a
// shared process every item is a module, with the setup of all in front of it: what one item leaves for the next is in
// globalThis, or in the modules that both import. After an item that ended well, the ways in which it may have compared
// are tried on what must fail.
//
// The variables of this module are out of the candidate's reach; what it calls, and what it makes of the parts, it has
// before the candidate's code is loaded. From then on nothing that decides goes through a method, an iteration or a
// global name that could have been replaced: only operators, own properties and functions that were kept.

import fs from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import util, { inspect } from "node:util";
import vm from "node:vm";

const { SourceTextModule, SyntheticModule } = vm;
const { evaluate, link: linkAll } = SourceTextModule.prototype;
const { setExport } = SyntheticModule.prototype;
const { readFileSync, writeSync } = fs;
const { apply } = Reflect;
const { keys } = Object;
const { get, has, set } = WeakMap.prototype;
const { Error: KnownError, RangeError: KnownRangeError, TypeError: KnownTypeError, URL } = globalThis;
const { get: hrefOf } = Object.getOwnPropertyDescriptor(URL.prototype, "href");
const exit = process.reallyExit.bind(process);
const workspace = pathToFileURL(`${process.cwd()}/`).href;
const workspacePath = fileURLToPath(workspace);
const require = createRequire(workspace);
const REPORT = 3;

// `await` asks a promise for its constructor, and what is not made by this one for its `then`.
const { prototype } = Promise;
Object.defineProperty(prototype, "constructor", {
  get: () => Promise,
  set(value) {
    if (this !== prototype) Object.defineProperty(this, "constructor", { value, writable: true, configurable: true });
  },
  configurable: false,
});

function readParts() {
  const input = readFileSync(0);
  const parts = [];
  for (let position = 0; position < input.length; ) {
    const lineEnd = input.indexOf(10, position);
    const [name, length] = input.toString("utf8", position, lineEnd).split(" ");
    position = lineEnd + 1 + Number(length);
    parts.push({ name, source: input.toString("utf8", lineEnd + 1, position) });
    position += 1;
  }
  return parts;
}

// One line for the judge: less than a pipe takes at once.
function report(line) {
  for (;;) {
    try {
      writeSync(REPORT, line + "\n");
      return;
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

function complain(text) {
  const bytes = Buffer.from(`${text}\n`);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(2, bytes, done);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

// What is printed is written at once, not when there is time for it: there is none after the end.
for (const stream of [process.stdout, process.stderr]) stream._handle?.setBlocking?.(true);

// "/a", "./a", "../a", "." and ".."
function isLocal(name) {
  const rest = name[0] !== "." ? 0 : name[1] !== "." ? 1 : 2;
  return name[rest] === "/" || (rest > 0 && name.length === rest);
}

async function load(specifier) {
  // A bare name is looked up from here, which is the workspace too.
  return import(isLocal(specifier) ? apply(hrefOf, new URL(specifier, workspace), []) : specifier);
}

// A module of the candidate's or of Node's, as the item's module sees it.
const loaded = new WeakMap();

async function link(specifier) {
  const namespace = await load(specifier);
  if (!apply(has, loaded, [namespace])) {
    const names = keys(namespace);
    const fill = () => {
      for (let i = 0; i < names.length; i += 1) apply(setExport, module, [names[i], namespace[names[i]]]);
    };
    const module = new SyntheticModule(names, fill, { identifier: specifier });
    apply(set, loaded, [namespace, module]);
  }
  return apply(get, loaded, [namespace]);
}

// What must be false, and throw, after whatever was loaded: an item that compares with these would pass otherwise.
const comparisons = {
  "Object.is(1, 2)": () => Object.is(1, 2),
  "JSON.stringify([1]) === JSON.stringify([2])": () => JSON.stringify([1]) === JSON.stringify([2]),
  "String(1) === String(2)": () => String(1) === String(2),
  "Math.abs(1 - 9) < 1": () => Math.abs(1 - 9) < 1,
  "[1, 2].every((x) => x === 1)": () => [1, 2].every((x) => x === 1),
  "[1].includes(2)": () => [1].includes(2),
  "[1].some((x) => x === 2)": () => [1].some((x) => x === 2),
  "[1].indexOf(2) === 0": () => [1].indexOf(2) === 0,
  "[1].join() === [2].join()": () => [1].join() === [2].join(),
  '"a".includes("b")': () => "a".includes("b"),
  '"a".startsWith("b")': () => "a".startsWith("b"),
  '/a/.test("b")': () => /a/.test("b"),
  "Array.isArray(1)": () => Array.isArray(1),
  "new Error() instanceof RangeError": () => new KnownError() instanceof KnownRangeError,
  "new Error() instanceof TypeError": () => new KnownError() instanceof KnownTypeError,
  "isDeepStrictEqual([1], [2])": () => util.isDeepStrictEqual([1], [2]),
};
const assertions = {
  // A module that is a function would be read for names that it does not have, which throws too.
  "assert(false)": (assert) => assert.default(false),
  "assert.ok(false)": (assert) => assert.ok(false),
  "assert.equal(1, 2)": (assert) => assert.equal(1, 2),
  "assert.notEqual(1, 1)": (assert) => assert.notEqual(1, 1),
  "assert.strictEqual(1, 2)": (assert) => assert.strictEqual(1, 2),
  "assert.notStrictEqual(1, 1)": (assert) => assert.notStrictEqual(1, 1),
  "assert.deepEqual([1], [2])": (assert) => assert.deepEqual([1], [2]),
  "assert.notDeepEqual([1], [1])": (assert) => assert.notDeepEqual([1], [1]),
  "assert.deepStrictEqual([1], [2])": (assert) => assert.deepStrictEqual([1], [2]),
  "assert.notDeepStrictEqual([1], [1])": (assert) => assert.notDeepStrictEqual([1], [1]),
  'assert.match("a", /b/)': (assert) => assert.match("a", /b/),
  'assert.doesNotMatch("a", /a/)': (assert) => assert.doesNotMatch("a", /a/),
  "assert.throws(() => {})": (assert) => assert.throws(() => {}),
  "assert.doesNotThrow(fail)": (assert) => assert.doesNotThrow(() => assert.fail("control")),
  "assert.ifError(1)": (assert) => assert.ifError(1),
  "assert.fail()": (assert) => assert.fail("control"),
  // What only a promise tells must be what it was.
  "assert.rejects()": ({ rejects, doesNotReject }) => {
    if (isKnown(rejects) && isKnown(doesNotReject)) throw new KnownError();
  },
};

// The functions of the modules of assertions that return promises, as they were.
const ofPromises = [];

function isKnown(called) {
  for (let i = 0; i < ofPromises.length; i += 1) if (ofPromises[i] === called) return true;
  return called === undefined;
}

const ofComparisons = keys(comparisons);
const ofAssertions = keys(assertions);

function passes(control, subject) {
  try {
    return control(subject) !== false;
  } catch {
    return false;
  }
}

// The first control that passes; undefined where all fail, as they must.
function bent(asserts) {
  for (let i = 0; i < ofComparisons.length; i += 1) {
    if (passes(comparisons[ofComparisons[i]])) return ofComparisons[i];
  }
  for (let i = 0; i < asserts.length; i += 1) {
    for (let j = 0; j < ofAssertions.length; j += 1) {
      if (passes(assertions[ofAssertions[j]], asserts[i])) return ofAssertions[j];
    }
  }
  return undefined;
}

// What went wrong, in terms of parts, without the frames of this file and of Node.
function describe(error, label, identifier, parts) {
  const places = parts.flatMap(({ name, source }) => source.split("\n").map((_, index) => `${name}:${index + 1}`));
  const text = String((error instanceof Error && error.stack) || `Uncaught ${inspect(error)}`);
  const head = `${identifier}:`;
  let placed = false;
  const lines = [];
  for (const line of text.split("\n")) {
    if (/^\s+at .*(\[eval1\]|node:)/.test(line)) continue;
    const at = line.indexOf(head);
    const [number] = /^\d+/.exec(at < 0 ? "" : line.slice(at + head.length)) ?? [""];
    const place = places[number - 1];
    placed ||= place !== undefined;
    lines.push(place ? line.slice(0, at) + place + line.slice(at + head.length + number.length) : line);
  }
  const message = lines.join("\n").replace(/ imported from \S*\[eval1\]/, "");
  return placed ? message : `${label}: ${message}`;
}

async function run({ text, label, identifier, parts }) {
  try {
    const module = new SourceTextModule(text, {
      identifier,
      initializeImportMeta(meta) {
        meta.url = identifier;
        meta.dirname = workspacePath;
      },
      importModuleDynamically: load,
    });
    await apply(linkAll, module, [link]);
    await apply(evaluate, module, []);
    return true;
  } catch (error) {
    let message = `${label}: an error that cannot be printed.`;
    try {
      message = describe(error, label, identifier, parts);
    } catch {}
    complain(message);
    return false;
  }
}

// An import that is a name becomes a line: `node:assert/strict` is known as assert, `@scope/some-package` as some_package.
function importLine(token, source, number) {
  const specifier = /^import\b/.test(source) ? /["']([^"']+)["']\s*;?\s*$/.exec(source)?.[1] : source.trim();
  if (specifier === undefined) return source;
  // Only looked for, so that nothing of a package says of itself that it is not there. `require` knows no addresses.
  if (!isLocal(specifier) && /^(node:|[^:]*$)/.test(specifier)) {
    try {
      require.resolve(specifier);
    } catch (error) {
      if (["MODULE_NOT_FOUND", "ERR_UNKNOWN_BUILTIN_MODULE"].includes(error.code)) {
        complain(`missing import: ${specifier}`);
        report(`${token} missing ${specifier}`);
        exit(90);
      }
    }
  }
  if (specifier !== source.trim()) return source;
  const [root] = /^(@[^/]*\/)?[^/]*/.exec(specifier);
  const name = root.replace(/^(node:|@.*\/)/, "").replace(/[^A-Za-z0-9_$]/g, "_");
  const all = `gradebox_import_${number}`;
  return `import * as ${all} from ${JSON.stringify(specifier)}; const ${name} = "default" in ${all} ? ${all}.default : ${all};`;
}

const parts = readParts();
const token = parts.shift().source;
const groups = [[]];
const tokens = [];
for (const [number, { name, source }] of parts.entries()) {
  if (name === "import") groups[0].push({ name, source: importLine(token, source, number) });
  else if (name === "next" || name === "end") {
    tokens.push(source);
    groups.push([]);
  } else if (name !== "shared") {
    const which = tokens.at(-1) ? ` ${tokens.length}` : "";
    groups.at(-1).push({ name: name === "item" ? name + which : name + (which && ` of item${which}`), source });
  }
}
const last = groups.length - 1;
const programs = groups.map((group, number) => {
  const own = number ? [...groups[0], ...group] : group;
  const label = 0 < number && number < last ? `item ${number}` : "program";
  const text = own.map(({ source }) => source).join("\n");
  const identifier = new URL(`gradebox-${label.replaceAll(" ", "-")}`, workspace).href;
  return { text, label, identifier, parts: own, named: /assert/.test(text) };
});
// The functions themselves, and what the modules export by now: both can be replaced.
const named = programs.some((program) => program.named);
const asserts = [];
for (const specifier of named ? ["node:assert", "node:assert/strict"] : []) {
  const module = await import(specifier);
  asserts.push(module, module.default);
  ofPromises.push(module.rejects, module.doesNotReject);
}
globalThis.require = require;

// Whatever ends the program early says that it failed, or went out of its way to say something else.
process.on("exit", (status) => {
  if (status !== 0) return;
  complain("The program exited before its end, with status 0.");
  process.exitCode = 1;
});

for (let number = 0; number <= last; number += 1) {
  const shared = 0 < number && number < last;
  const program = programs[number];
  const passed = await run(program);
  const control = passed && (shared || last === 0) ? bent(program.named ? asserts : []) : undefined;
  if (control !== undefined) {
    report((shared ? tokens[number - 1] : token) + " control " + control);
    complain(`${program.label}: what must fail passed after the item: ${control}`);
    if (shared) continue;
    exit(1);
  }
  if (!passed && !shared) exit(1);
  if (passed && shared) report(tokens[number - 1]);
}
report(token);
exit(0);
