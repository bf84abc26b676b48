// Runs one item, or many that share a process, in TypeScript or JavaScript: `bun -e SOURCE`. The protocol is described
// in graders/languages/item_protocol.py.
//
// The parts of a program are one ES module, whose imports are looked up from the workspace; `require` is there too. In a
// shared process every item is a module, with the setup of all in front of it: what one item leaves for the next is in
// globalThis, or in the modules that both import. After an item that ended well, the ways in which it may have compared
// are tried on what must fail.
//
// The variables of this module are out of the candidate's reach; what it calls, and what it makes of the parts, it has
// before the candidate's code is loaded. From then on nothing that decides goes through a method, an iteration, an import
// or a global name that could have been replaced: only operators, own properties and functions that were kept.

type Part = { name: string; source: string };
type Program = { text: string; problem: unknown; label: string; parts: Part[]; asserts: any[]; expect: any };

const { resolveSync } = Bun;
const transpiler = new Bun.Transpiler({ loader: "ts", target: "bun", trimUnusedImports: true });
const workspace = process.cwd();
const require = createRequire(`${workspace}/`);
const OWN_FRAME = /\[eval\]|\bunknown\b|\(:0\)|\bnative\b|node:|internal:/;

const streams = [process.stdout, process.stderr].map((stream) => ({ stream, end: stream.end.bind(stream) }));
let ended = false;

// Bun prints when it has time; there is none after the end.
async function finish(status: number, line?: string): Promise<void> {
  ended = true;
  for (let i = 0; i < streams.length; i += 1) {
    const { stream, end } = streams[i];
    if (!stream.destroyed && !stream.writableEnded) await new Promise<void>((resolve) => end("", () => resolve()));
  }
  if (line !== undefined) report(line);
  exit(status);
}

async function load(specifier: string): Promise<Record<string, unknown>> {
  return import(resolveSync(specifier, workspace));
}

type Controls = Record<string, (subject?: any) => unknown>;
const expectations: Controls = {
  "expect(1).toBe(2)": (expect) => expect(1).toBe(2),
  "expect([1]).toEqual([2])": (expect) => expect([1]).toEqual([2]),
  "expect([1]).toStrictEqual([2])": (expect) => expect([1]).toStrictEqual([2]),
  "expect(0).toBeTruthy()": (expect) => expect(0).toBeTruthy(),
  "expect(1).not.toBe(1)": (expect) => expect(1).not.toBe(1),
  "expect(() => {}).toThrow()": (expect) => expect(() => {}).toThrow(),
};

const ofExpectations = keys(expectations);

// The first control that passes; undefined where all fail, as they must.
function bent({ asserts, expect }: Program): string | undefined {
  let found = passing(comparisons, ofComparisons);
  if (expect !== undefined) found ??= passing(expectations, ofExpectations, expect);
  for (let i = 0; i < asserts.length; i += 1) found ??= passing(assertions, ofAssertions, asserts[i]);
  return found;
}

// What went wrong, without the frames of this file and of Bun. Bun translates a program before it runs it, so that its
// lines have other numbers then: they are shown as they are.
function describe(error: any, label: string, parts: Part[], lines: string[]): string {
  if (error?.position) {
    const { file, line, lineText } = error.position;
    const where = /^input\.\w+$/.test(file) ? placeOf(parts, line) : `${file}:${line}`;
    return `${where}: ${error.message}: ${lineText.trim()}`;
  }
  if (!(error instanceof Error)) return `${label}: Uncaught ${util.inspect(error)}`;
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

async function run({ text, problem, label, parts }: Program): Promise<boolean> {
  try {
    if (problem !== undefined) throw problem;
    const module = new SourceTextModule(text, {
      identifier: `${workspace}/gradebox.ts`,
      initializeImportMeta(meta: any) {
        meta.url = `file://${workspace}/gradebox.ts`;
        meta.dir = meta.dirname = workspace;
      },
      importModuleDynamically: load as any,
    });
    await apply(linkAll, module, [link]);
    await apply(evaluate, module, []);
    return true;
  } catch (error) {
    let message = `${label}: an error that cannot be printed.`;
    try {
      message = describe(error, label, parts, text.split("\n"));
    } catch {}
    complain(message);
    return false;
  }
}

// An import that is a name becomes a line: `node:assert/strict` is known as assert, `@scope/some-package` as some_package.
function importLine(token: string, source: string, number: number): string {
  const specifier = /^import\b/.test(source) ? /["']([^"']+)["']\s*;?\s*$/.exec(source)?.[1] : source.trim();
  if (specifier === undefined) return source;
  try {
    resolveSync(specifier, workspace);
  } catch {
    complain(`missing import: ${specifier}`);
    report(`${token} missing ${specifier}`);
    exit(90);
  }
  if (specifier !== source.trim()) return source;
  const [root] = /^(@[^/]*\/)?[^/]*/.exec(specifier)!;
  const name = root.replace(/^(\w+:|@.*\/)/, "").replace(/[^A-Za-z0-9_$]/g, "_");
  const all = `gradebox_import_${number}`;
  return `import * as ${all} from ${JSON.stringify(specifier)}; const ${name} = "default" in ${all} ? ${all}.default : ${all};`;
}

const { token, tokens, groups } = readPrograms(importLine);
const last = groups.length - 1;

// The functions themselves, and what the modules export by now: both can be replaced.
async function subjects(source: string): Promise<{ asserts: any[]; expect: any }> {
  const asserts: any[] = [];
  for (const specifier of /assert/.test(source) ? ["node:assert", "node:assert/strict"] : []) {
    const module: any = await load(specifier);
    asserts.push(module, module.default);
    ofPromises.push(module.rejects, module.doesNotReject);
  }
  return { asserts, expect: /\bexpect\b/.test(source) ? (await load("bun:test")).expect : undefined };
}

const programs: Program[] = [];
for (const [number, group] of groups.entries()) {
  const own = number ? [...groups[0], ...group] : group;
  const source = own.map((part) => part.source).join("\n");
  let text = "";
  let problem: unknown;
  try {
    text = transpiler.transformSync(source);
  } catch (error) {
    problem = error;
  }
  const label = 0 < number && number < last ? `item ${number}` : "program";
  programs.push({ text, problem, label, parts: own, ...(await subjects(source)) });
}
(globalThis as any).require = require;

// Whatever ends the program early says that it failed, or went out of its way to say something else.
process.on("exit", (status: number) => {
  if (ended || status !== 0) return;
  complain("The program exited before its end, with status 0.");
  process.exitCode = 1;
});

// Bun reports what nobody catches and goes on; here it ends the program, unless the candidate has seen to it.
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error: unknown) => {
    if (ended || process.listenerCount(event) > 1) return;
    complain(describe(error, "uncaught", [], []));
    finish(1);
  });
}

for (let number = 0; number <= last; number += 1) {
  const shared = 0 < number && number < last;
  const program = programs[number];
  const passed = await run(program);
  const control = passed && (shared || last === 0) ? bent(program) : undefined;
  if (control !== undefined) {
    const line = (shared ? tokens[number - 1] : token) + " control " + control;
    if (shared) report(line);
    complain(`${program.label}: what must fail passed after the item: ${control}`);
    if (!shared) await finish(1, line);
    continue;
  }
  if (!passed && !shared) await finish(1);
  if (passed && shared) report(tokens[number - 1]);
}
await finish(0, token);
