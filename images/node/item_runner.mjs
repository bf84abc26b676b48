// Runs one item, or many that share a process:
// `node --no-warnings --experimental-vm-modules --input-type=module -e SOURCE`. The protocol is described in
// graders/checks/item_protocol.py. Node.js 18 and newer.
//
// The parts of a program are one ES module, whose imports are looked up from the workspace; `require` is there too. The
// variables of this module are out of the candidate's reach, and what it calls was taken before the candidate's code is
// loaded. In a shared process every item is a module, with the setup of all in front of it: what one item leaves for
// the next is in globalThis, or in the modules that both import. After an item that ended well, the ways in which it may
// have compared are tried on what must fail.

import fs from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inspect } from "node:util";
import vm from "node:vm";

const { SourceTextModule, SyntheticModule } = vm;
const { readFileSync, writeSync } = fs;
const exit = process.reallyExit.bind(process);
const workspace = pathToFileURL(`${process.cwd()}/`);
const workspacePath = fileURLToPath(workspace);
const require = createRequire(workspace);
const REPORT = 3;
const MISSING = ["ERR_MODULE_NOT_FOUND", "ERR_UNKNOWN_BUILTIN_MODULE", "MODULE_NOT_FOUND"];

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

function write(descriptor, text) {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

// What is printed is written at once, not when there is time for it: there is none after the end.
for (const stream of [process.stdout, process.stderr]) stream._handle?.setBlocking?.(true);

// A module of the candidate's or of Node's, as the item's module sees it.
const loaded = new Map();

async function load(specifier) {
  // A bare name is looked up from here, which is the workspace too.
  const local = /^(\.{0,2}\/|\.{1,2}$)/.test(specifier);
  return import(local ? new URL(specifier, workspace).href : specifier);
}

async function link(specifier) {
  const namespace = await load(specifier);
  if (!loaded.has(namespace)) {
    const names = Object.keys(namespace);
    const fill = function () {
      for (const name of names) this.setExport(name, namespace[name]);
    };
    loaded.set(namespace, new SyntheticModule(names, fill, { identifier: specifier }));
  }
  return loaded.get(namespace);
}

// The lines of a program, and of which part each is.
function joined(parts) {
  const lines = [];
  const places = [];
  for (const { name, source } of parts) {
    source.split("\n").forEach((line, index) => {
      lines.push(line);
      places.push(`${name}:${index + 1}`);
    });
  }
  return { text: lines.join("\n"), places };
}

// What must be false, and throw, after whatever was loaded: an item that compares with these would pass otherwise.
const comparisons = {
  "Object.is(1, 2)": () => Object.is(1, 2),
  "JSON.stringify([1]) === JSON.stringify([2])": () => JSON.stringify([1]) === JSON.stringify([2]),
  "String(1) === String(2)": () => String(1) === String(2),
  "Math.abs(1 - 9) < 1": () => Math.abs(1 - 9) < 1,
  "[1, 2].every((x) => x === 1)": () => [1, 2].every((x) => x === 1),
  "[1].includes(2)": () => [1].includes(2),
  '"a".includes("b")': () => "a".includes("b"),
  '"a".startsWith("b")': () => "a".startsWith("b"),
  '/a/.test("b")': () => /a/.test("b"),
  "Array.isArray(1)": () => Array.isArray(1),
};
const assertions = {
  "assert(false)": (assert) => assert.default(false),
  "assert.ok(false)": (assert) => assert.ok(false),
  "assert.equal(1, 2)": (assert) => assert.equal(1, 2),
  "assert.notEqual(1, 1)": (assert) => assert.notEqual(1, 1),
  "assert.strictEqual(1, 2)": (assert) => assert.strictEqual(1, 2),
  "assert.notStrictEqual(1, 1)": (assert) => assert.notStrictEqual(1, 1),
  "assert.deepEqual([1], [2])": (assert) => assert.deepEqual([1], [2]),
  "assert.deepStrictEqual([1], [2])": (assert) => assert.deepStrictEqual([1], [2]),
  'assert.match("a", /b/)': (assert) => assert.match("a", /b/),
  "assert.throws(() => {})": (assert) => assert.throws(() => {}),
};

// The first control that passes; undefined where all fail, as they must.
async function bent(parts) {
  for (const name in comparisons) {
    try {
      if (comparisons[name]() === true) return name;
    } catch {}
  }
  let named = false;
  for (let i = 0; i < parts.length; i += 1) named ||= /assert/.test(parts[i].source);
  if (!named) return undefined;
  for (const specifier of ["node:assert", "node:assert/strict"]) {
    const module = await load(specifier);
    for (const assert of [module, module.default]) {
      for (const name in assertions) {
        if (name === "assert(false)" && assert !== module) continue;
        try {
          assertions[name](assert);
        } catch {
          continue;
        }
        return name;
      }
    }
  }
  return undefined;
}

// What went wrong, in terms of parts, without the frames of this file and of Node.
function describe(error, label, identifier, places) {
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

async function run(parts, label) {
  const { text, places } = joined(parts);
  const identifier = new URL(`gradebox-${label.replaceAll(" ", "-")}`, workspace).href;
  try {
    const module = new SourceTextModule(text, {
      identifier,
      initializeImportMeta(meta) {
        meta.url = identifier;
        meta.dirname = workspacePath;
      },
      importModuleDynamically: load,
    });
    await module.link(link);
    await module.evaluate();
    return true;
  } catch (error) {
    let message = `${label}: an error that cannot be printed.`;
    try {
      message = describe(error, label, identifier, places);
    } catch {}
    write(2, `${message}\n`);
    return false;
  }
}

// An import that is a name becomes a line: `node:assert/strict` is known as assert, `@scope/some-package` as some_package.
async function importLine(token, source) {
  const specifier = /^import\b/.test(source) ? /["']([^"']+)["']\s*;?\s*$/.exec(source)?.[1] : source.trim();
  const [root] = /^(@[^/]*\/)?[^/]*/.exec(specifier ?? "");
  let namespace = {};
  try {
    namespace = specifier === undefined ? {} : await load(specifier);
  } catch (error) {
    // Not a module that this one would need.
    const itself = String(error?.message).includes(`'${root}'`) || error?.code === "ERR_UNKNOWN_BUILTIN_MODULE";
    if (MISSING.includes(error?.code) && itself) {
      write(2, `missing import: ${specifier}\n`);
      write(REPORT, `${token} missing ${specifier}\n`);
      exit(90);
    }
    // The line itself will fail in the same way, with its text.
  }
  if (specifier !== source.trim()) return source;
  const name = root.replace(/^(node:|@.*\/)/, "").replace(/[^A-Za-z0-9_$]/g, "_");
  return `import ${"default" in namespace ? "" : "* as "}${name} from ${JSON.stringify(specifier)};`;
}

const parts = readParts();
const token = parts.shift().source;
const groups = [[]];
const tokens = [];
globalThis.require = require;
for (const { name, source } of parts) {
  if (name === "import") groups[0].push({ name, source: await importLine(token, source) });
  else if (name === "next" || name === "end") {
    tokens.push(source);
    groups.push([]);
  } else if (name !== "shared") {
    const number = tokens.at(-1) ? ` ${tokens.length}` : "";
    groups.at(-1).push({ name: name === "item" ? name + number : name + (number && ` of item${number}`), source });
  }
}

// Whatever ends the program early says that it failed, or went out of its way to say something else.
process.on("exit", (status) => {
  if (status !== 0) return;
  write(2, "The program exited before its end, with status 0.\n");
  process.exitCode = 1;
});

const last = groups.length - 1;
for (const [number, group] of groups.entries()) {
  const shared = 0 < number && number < last;
  const label = shared ? `item ${number}` : "program";
  const passed = await run(number ? [...groups[0], ...group] : group, label);
  const control = passed && (shared || last === 0) ? await bent([...groups[0], ...group]) : undefined;
  if (control !== undefined) {
    write(2, `${label}: what must fail passed after the item: ${control}\n`);
    write(REPORT, `${shared ? tokens[number - 1] : token} control ${control}\n`);
    if (shared) continue;
    exit(1);
  }
  if (!passed && !shared) exit(1);
  if (passed && shared) write(REPORT, `${tokens[number - 1]}\n`);
}
write(REPORT, `${token}\n`);
exit(0);
