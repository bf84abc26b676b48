// Runs one item, or many that share a process, in TypeScript or JavaScript: `bun -e SOURCE`. The protocol is described
// in graders/checks/item_protocol.py.
//
// The parts of a program are one ES module, whose imports are looked up from the workspace; `require` is there too. The
// variables of this module are out of the candidate's reach, and what it calls was taken before the candidate's code is
// loaded. In a shared process every item is a module, with the setup of all in front of it: what one item leaves for
// the next is in globalThis, or in the modules that both import. After an item that ended well, the ways in which it may
// have compared are tried on what must fail.

import { readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { inspect } from "node:util";
import { SourceTextModule, SyntheticModule } from "node:vm";

type Part = { name: string; source: string };

const exit = (process as any).reallyExit.bind(process);
const { resolveSync } = Bun;
const transpiler = new Bun.Transpiler({ loader: "ts", target: "bun", trimUnusedImports: true });
const workspace = process.cwd();
const require = createRequire(`${workspace}/`);
const REPORT = 3;
const OWN_FRAME = /\[eval\]|\bunknown\b|\(:0\)|\bnative\b|node:|internal:/;

function readParts(): Part[] {
  const input = readFileSync(0);
  const parts: Part[] = [];
  for (let position = 0; position < input.length; ) {
    const lineEnd = input.indexOf(10, position);
    const [name, length] = input.toString("utf8", position, lineEnd).split(" ");
    position = lineEnd + 1 + Number(length);
    parts.push({ name, source: input.toString("utf8", lineEnd + 1, position) });
    position += 1;
  }
  return parts;
}

function write(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (error: any) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

const streams = [process.stdout, process.stderr].map((stream) => ({ stream, end: stream.end.bind(stream) }));
let ended = false;

// Bun prints when it has time; there is none after the end.
async function finish(status: number, line = ""): Promise<void> {
  ended = true;
  for (const { stream, end } of streams) {
    if (!stream.destroyed && !stream.writableEnded) await new Promise<void>((resolve) => end("", () => resolve()));
  }
  write(REPORT, line);
  exit(status);
}

// A module of the candidate's or of Bun's, as the item's module sees it.
const loaded = new Map<object, SyntheticModule>();

async function load(specifier: string): Promise<Record<string, unknown>> {
  return import(resolveSync(specifier, workspace));
}

async function link(specifier: string): Promise<SyntheticModule> {
  const namespace = await load(specifier);
  if (!loaded.has(namespace)) {
    const names = Object.keys(namespace);
    const fill = function (this: SyntheticModule) {
      for (const name of names) this.setExport(name, namespace[name]);
    };
    loaded.set(namespace, new SyntheticModule(names, fill, { identifier: specifier }));
  }
  return loaded.get(namespace)!;
}

// What must be false, and throw, after whatever was loaded: an item that compares with these would pass otherwise.
const comparisons: Record<string, () => boolean> = {
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
const assertions: Record<string, (assert: any) => void> = {
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

const expectations: Record<string, (expect: any) => void> = {
  "expect(1).toBe(2)": (expect) => expect(1).toBe(2),
  "expect([1]).toEqual([2])": (expect) => expect([1]).toEqual([2]),
  "expect([1]).toStrictEqual([2])": (expect) => expect([1]).toStrictEqual([2]),
  "expect(0).toBeTruthy()": (expect) => expect(0).toBeTruthy(),
  "expect(1).not.toBe(1)": (expect) => expect(1).not.toBe(1),
  "expect(() => {}).toThrow()": (expect) => expect(() => {}).toThrow(),
};

function passes(control: (subject: any) => void, subject: unknown): boolean {
  try {
    control(subject);
    return true;
  } catch {
    return false;
  }
}

// The first control that passes; undefined where all fail, as they must.
async function bent(parts: Part[]): Promise<string | undefined> {
  for (const name in comparisons) {
    try {
      if (comparisons[name]() === true) return name;
    } catch {}
  }
  let text = "";
  for (let i = 0; i < parts.length; i += 1) text += parts[i].source;
  if (/\bexpect\b/.test(text)) {
    const { expect }: any = await load("bun:test");
    for (const name in expectations) if (passes(expectations[name], expect)) return name;
  }
  if (!/assert/.test(text)) return undefined;
  for (const specifier of ["node:assert", "node:assert/strict"]) {
    const module: any = await load(specifier);
    for (const assert of [module, module.default]) {
      for (const name in assertions) {
        if (name === "assert(false)" && assert !== module) continue;
        if (passes(assertions[name], assert)) return name;
      }
    }
  }
  return undefined;
}

// What went wrong, without the frames of this file and of Bun. Bun translates a program before it runs it, so that its
// lines have other numbers then: they are shown as they are.
function describe(error: any, label: string, parts: Part[], lines: string[]): string {
  if (error?.position) {
    const { file, line, lineText } = error.position;
    const where = /^input\.\w+$/.test(file) ? placeOf(parts, line) : `${file}:${line}`;
    return `${where}: ${error.message}: ${lineText.trim()}`;
  }
  if (!(error instanceof Error)) return `${label}: Uncaught ${inspect(error)}`;
  const shown = [`${label}: ${error.name}: ${error.message}`];
  for (const frame of String(error.stack ?? "").split("\n")) {
    const own = /\bunknown:(\d+):\d+/.exec(frame);
    const line = own && lines[Number(own[1]) - 1];
    if (line) shown.push(`    at ${line.trim()}`);
    else if (/^\s+at /.test(frame) && !OWN_FRAME.test(frame)) shown.push(frame);
  }
  return shown.join("\n");
}

function placeOf(parts: Part[], line: number): string {
  for (const { name, source } of parts) {
    const count = source.split("\n").length;
    if (line <= count) return `${name}:${line}`;
    line -= count;
  }
  return "the end";
}

async function run(parts: Part[], label: string): Promise<boolean> {
  let translated = "";
  try {
    translated = transpiler.transformSync(parts.map((part) => part.source).join("\n"));
    const module = new SourceTextModule(translated, {
      identifier: `${workspace}/gradebox.ts`,
      initializeImportMeta(meta: any) {
        meta.url = `file://${workspace}/gradebox.ts`;
        meta.dir = meta.dirname = workspace;
      },
      importModuleDynamically: load as any,
    });
    await module.link(link);
    await module.evaluate();
    return true;
  } catch (error) {
    let message = `${label}: an error that cannot be printed.`;
    try {
      message = describe(error, label, parts, translated.split("\n"));
    } catch {}
    write(2, `${message}\n`);
    return false;
  }
}

// An import that is a name becomes a line: `node:assert/strict` is known as assert, `@scope/some-package` as some_package.
async function importLine(token: string, source: string): Promise<string> {
  const specifier = /^import\b/.test(source) ? /["']([^"']+)["']\s*;?\s*$/.exec(source)?.[1] : source.trim();
  if (specifier === undefined) return source;
  try {
    resolveSync(specifier, workspace);
  } catch {
    write(2, `missing import: ${specifier}\n`);
    write(REPORT, `${token} missing ${specifier}\n`);
    exit(90);
  }
  if (specifier !== source.trim()) return source;
  const [root] = /^(@[^/]*\/)?[^/]*/.exec(specifier)!;
  const name = root.replace(/^(\w+:|@.*\/)/, "").replace(/[^A-Za-z0-9_$]/g, "_");
  const namespace = await load(specifier).catch(() => ({}));
  return `import ${"default" in namespace ? "" : "* as "}${name} from ${JSON.stringify(specifier)};`;
}

const parts = readParts();
const token = parts.shift()!.source;
const groups: Part[][] = [[]];
const tokens: string[] = [];
(globalThis as any).require = require;
for (const { name, source } of parts) {
  if (name === "import") groups[0].push({ name, source: await importLine(token, source) });
  else if (name === "next" || name === "end") {
    tokens.push(source);
    groups.push([]);
  } else if (name !== "shared") {
    const number = tokens.at(-1) ? ` ${tokens.length}` : "";
    groups.at(-1)!.push({ name: name === "item" ? name + number : name + (number && ` of item${number}`), source });
  }
}

// Whatever ends the program early says that it failed, or went out of its way to say something else.
process.on("exit", (status: number) => {
  if (ended || status !== 0) return;
  write(2, "The program exited before its end, with status 0.\n");
  process.exitCode = 1;
});

// Bun reports what nobody catches and goes on; here it ends the program, unless the candidate has seen to it.
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error: unknown) => {
    if (ended || process.listenerCount(event) > 1) return;
    write(2, `${describe(error, "uncaught", [], [])}\n`);
    finish(1);
  });
}

const last = groups.length - 1;
for (const [number, group] of groups.entries()) {
  const shared = 0 < number && number < last;
  const label = shared ? `item ${number}` : "program";
  const passed = await run(number ? [...groups[0], ...group] : group, label);
  const control = passed && (shared || last === 0) ? await bent([...groups[0], ...group]) : undefined;
  if (control !== undefined) {
    write(2, `${label}: what must fail passed after the item: ${control}\n`);
    const line = `${shared ? tokens[number - 1] : token} control ${control}\n`;
    if (!shared) await finish(1, line);
    write(REPORT, line);
    continue;
  }
  if (!passed && !shared) await finish(1);
  if (passed && shared) write(REPORT, `${tokens[number - 1]}\n`);
}
await finish(0, `${token}\n`);
