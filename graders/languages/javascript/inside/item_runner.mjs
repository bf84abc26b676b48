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
import { fileURLToPath, pathToFileURL } from "node:url";
import util from "node:util";
import vm from "node:vm";

const { readFileSync, writeSync } = fs;
const evaluate = evaluator(vm);
const { URL } = globalThis;
const { get: hrefOf } = Object.getOwnPropertyDescriptor(URL.prototype, "href");
const workspace = pathToFileURL(`${process.cwd()}/`).href;
const workspacePath = fileURLToPath(workspace);
const require = createRequire(workspace);

// What is printed is written at once, not when there is time for it: there is none after the end. Node.js makes a stream
// when it is first used, at a price.
for (const name of ["stdout", "stderr"]) {
  const property = Object.getOwnPropertyDescriptor(process, name);
  let stream;
  const get = () => {
    if (stream === undefined) (stream = apply(property.get, process, []))._handle?.setBlocking?.(true);
    return stream;
  };
  defineProperty(process, name, { ...property, get });
}

// One line for the judge: less than a pipe takes at once. The token goes through no function that could be replaced.
function report(line) {
  for (;;) {
    try {
      writeSync(3, line + "\n");
      return;
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

function complain(text) {
  const bytes = Buffer.from(`${text}\n`);
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(2, bytes, done);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

// "/a", "./a", "../a", "." and ".."
function isLocal(name) {
  const rest = name[0] !== "." ? 0 : name[1] !== "." ? 1 : 2;
  return name[rest] === "/" || (rest > 0 && name.length === rest);
}

async function load(specifier) {
  // A bare name is looked up from here, which is the workspace too.
  return import(isLocal(specifier) ? apply(hrefOf, new URL(specifier, workspace), []) : specifier);
}

// The first control that passes; undefined where all fail, as they must.
function bent(asserts) {
  let found = passing(comparisons, ofComparisons);
  for (let i = 0; i < asserts.length; i += 1) found ??= passing(assertions, ofAssertions, asserts[i]);
  return found;
}

// What went wrong, in terms of parts, without the frames of this file and of Node.
function describe(error, label, identifier, parts) {
  const places = parts.flatMap(({ name, source }) => source.split("\n").map((_, index) => `${name}:${index + 1}`));
  const text = String((error instanceof Error && error.stack) || `Uncaught ${util.inspect(error)}`);
  const head = `${identifier}:`;
  let placed = false;
  const lines = [];
  for (const line of text.split("\n")) {
    if (/^\s+at .*(\[eval1\]|node:)/.test(line)) continue;
    const at = line.indexOf(head);
    const [number] = /^\d+/.exec(at < 0 ? "" : line.slice(at + head.length)) ?? [""];
    const place = places[Number(number) - 1];
    placed ||= place !== undefined;
    lines.push(place ? line.slice(0, at) + place + line.slice(at + head.length + number.length) : line);
  }
  const message = lines.join("\n").replace(/ imported from \S*\[eval1\]/, "");
  return placed ? message : `${label}: ${message}`;
}

async function run({ text, label, identifier, parts }) {
  try {
    await evaluate(text, {
      identifier,
      initializeImportMeta(meta) {
        meta.url = identifier;
        meta.dirname = workspacePath;
      },
    });
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

// Only looked for, so that nothing of a package says of itself that it is not there. `require` knows no addresses.
function mustBeThere(specifier) {
  if (isLocal(specifier) || !/^(node:|[^:]*$)/.test(specifier)) return;
  try {
    require.resolve(specifier);
  } catch (error) {
    if (["MODULE_NOT_FOUND", "ERR_UNKNOWN_BUILTIN_MODULE"].includes(error.code)) throw error;
  }
}

const { token, tokens, groups } = readPrograms(readFileSync(0), mustBeThere);
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
