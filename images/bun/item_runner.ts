// Runs one item, or many that share a process, in TypeScript or JavaScript: `bun -e SOURCE`. The protocol is described
// in graders/checks/item_protocol.py.
//
// The parts of a program are one ES module, whose imports are looked up from the workspace; `require` is there too. The
// variables of this module are out of the candidate's reach, and what it calls was taken before the candidate's code is
// loaded. In a shared process every item is a module, with the setup of all in front of it: what one item leaves for
// the next is in globalThis, or in the modules that both import.

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
  const passed = await run(number ? [...groups[0], ...group] : group, shared ? `item ${number}` : "program");
  if (!passed && !shared) await finish(1);
  if (passed && shared) write(REPORT, `${tokens[number - 1]}\n`);
}
await finish(0, `${token}\n`);
