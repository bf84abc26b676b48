// Runs one item, or many that share a process, in TypeScript or JavaScript: `bun -e SOURCE`. The protocol is described
// in graders/languages/item_protocol.py.
//
// The parts of a program are one ES module, whose imports are looked up from the workspace; `require` is there too. In a
// shared process every item is a module, with the setup of all in front of it: what one item leaves for the next is in
// globalThis, or in the modules that both import. After an item that ended well, the ways in which it may have compared
// are tried on what must fail.
//
// Bun loads an item that is alone as a module of its own, before any code of the candidate's: its name and its last export
// are nobody's to guess. Later ones could be replaced by a plugin of the candidate's, so node:vm makes modules of those.
// Bun's modules for files, streams and inspection take longer to load than Bun to start, so they are loaded if needed.
//
// The variables of this module are out of the candidate's reach; what it calls, and what it makes of the parts, it has
// before the candidate's code is loaded. From then on nothing that decides goes through a method, an iteration, an import
// or a global name that could have been replaced: only operators, own properties and functions that were kept.

type Part = { name: string; source: string };
type Program = { text: string; problem: unknown; label: string; parts: Part[]; asserts: any[]; expect: any };

const { resolveSync } = Bun;
const { error: print } = console;
const { text: readText } = Blob.prototype;
const { getBuiltinModule } = process;
const workspace = process.cwd();
const require = createRequire(`${workspace}/`);
const OWN_FRAME = /\[eval\]|\bunknown\b|\(:0\)|\bnative\b|node:|internal:/;
const complain = (text: string) => apply(print, console, [text]);

const sink = Bun.file(3).writer();
const { write, flush } = Object.getPrototypeOf(sink);
function report(line: string): void {
  apply(write, sink, [`${line}\n`]);
  apply(flush, sink, []);
}

const outputs = [1, 2].map((descriptor) => Bun.file(`/proc/self/fdinfo/${descriptor}`));
let ended = false;

// What is printed through the streams of Node.js is written when Bun has time; there is none after the end. They are
// costly to make, and whoever made one has changed the flags of its descriptor.
async function finish(status: number, line?: string): Promise<void> {
  ended = true;
  for (let i = 0; i < outputs.length; i += 1) {
    const flags = /flags:\s*(\d+)/.exec(await apply(readText, outputs[i], []));
    if (flags && !(parseInt(flags[1], 8) & 0o4000)) continue;
    const stream = i ? process.stderr : process.stdout;
    if (!stream.destroyed && !stream.writableEnded)
      await new Promise<void>((resolve) => stream.end("", () => resolve()));
  }
  if (line !== undefined) report(line);
  await apply(flush, sink, []);
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
  const position = error?.position ?? error?.errors?.[0]?.position;
  if (position) {
    const { file, line, lineText } = position;
    const where = /^input\.\w+$/.test(file) || file === alone ? placeOf(parts, line) : `${file}:${line}`;
    return `${where}: ${(error.position ? error : error.errors[0]).message}: ${lineText.trim()}`;
  }
  if (!(error instanceof Error)) return `${label}: Uncaught ${getBuiltinModule("node:util").inspect(error)}`;
  const shown = [`${label}: ${error.name}: ${error.message}`];
  for (const frame of String(error.stack ?? "").split("\n")) {
    const own = /\bunknown:(\d+):\d+/.exec(frame);
    const line = own && lines[Number(own[1]) - 1];
    if (line) shown.push(`    at ${line.trim()}`);
    else if (frame.includes(alone))
      shown.push(frame.replace(/\S*?gradebox-\w+\.ts:(\d+):\d+/, (_, number) => placeOf(parts, Number(number))));
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
    await evaluate(text);
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

const { token, tokens, groups } = readPrograms(Buffer.from(await Bun.stdin.bytes()), (specifier: string) =>
  resolveSync(specifier, workspace),
);
const last = groups.length - 1;
const random = crypto.randomUUID().replaceAll("-", "");
const alone = `${workspace}/gradebox-${random}.ts`;
const transpiler = last ? new Bun.Transpiler({ loader: "ts", target: "bun", trimUnusedImports: true }) : undefined;
const evaluate = last ? evaluateMade(evaluator(getBuiltinModule("node:vm"))) : evaluateAlone;

function evaluateMade(inner: (text: string, options: object) => Promise<void>) {
  const initializeImportMeta = (meta: any) => {
    meta.url = `file://${workspace}/gradebox.ts`;
    meta.dir = meta.dirname = workspace;
  };
  return (text: string) => inner(text, { identifier: `${workspace}/gradebox.ts`, initializeImportMeta });
}

async function evaluateAlone(source: string): Promise<void> {
  const end = `gradebox_${random}`;
  let contents: string | undefined = `${source}\n;export const ${end} = true;`;
  Bun.plugin({
    name: "gradebox",
    setup(build) {
      build.module(alone, () => {
        const once = contents;
        contents = undefined;
        return { contents: once ?? "throw new Error()", loader: "ts" };
      });
    },
  });
  const namespace = await import(alone);
  if (namespace[end] !== true) throw new KnownError("The program was not run.");
}

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
    text = transpiler ? transpiler.transformSync(source) : source;
  } catch (error) {
    problem = error;
  }
  const label = 0 < number && number < last ? `item ${number}` : "program";
  programs.push({ text, problem, label, parts: own, ...(await subjects(source)) });
}
const util = programs.some(({ parts }) => parts.some(({ source }) => /\butil\b|\bisDeepStrictEqual\b/.test(source)))
  ? getBuiltinModule("node:util")
  : undefined;
(globalThis as any).require = require;

// Whatever ends the program early says that it failed, or went out of its way to say something else.
process.on("exit", (status: number) => {
  if (status !== 0) return;
  if (!ended) complain("The program exited before its end, with status 0.");
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
