// Runs one item, or many that share a process, while the submission runs in another: `node ... -e SOURCE` or
// `bun -e SOURCE`. graders/languages/item_protocol.py describes the protocol. Nothing of the submission is in this process,
// so a token needs no hiding, and nothing that decides needs to be looked at.
//
// The parts of a program are one ES module, whose imports are looked up from the workspace; `require` is there too. In a
// shared process every item is a module, with the setup of all in front of it.

const isBun = Boolean(process.versions.bun);

function readParts() {
  const input = fs.readFileSync(0);
  const parts = [];
  for (let position = 0; position < input.length; ) {
    const end = input.indexOf(10, position);
    const [name, length] = input.toString("utf8", position, end).split(" ");
    position = end + 1 + Number(length);
    parts.push({ name, source: input.toString("utf8", end + 1, position) });
    position += 1;
  }
  return parts;
}

function writeAll(descriptor, text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(descriptor, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

const complain = (text) => writeAll(2, `${text}\n`);
const report = (line) => writeAll(3, `${line}\n`);

class Items {
  constructor(grader) {
    this.grader = grader;
    this.require = createRequire(`${WORKSPACE}/gradebox.js`);
    this.linked = new Map();
    this.label = "program";
    this.transpiler = isBun && new Bun.Transpiler({ loader: "ts", target: "bun", trimUnusedImports: true });
  }

  // The file that a name means, or the name itself: of a package, or of what the runtime has.
  place(specifier) {
    if (Module.isBuiltin(specifier) || specifier.startsWith("bun")) return specifier;
    if (isBun) return Bun.resolveSync(specifier, WORKSPACE);
    if (isLocal(specifier) && !/^[#@~]/.test(specifier)) return specifier.startsWith("file:") ? fileURLToPath(specifier) : path.resolve(WORKSPACE, specifier);
    return specifier;
  }

  async load(specifier) {
    const file = this.place(specifier);
    if (isSubmitted(file) && !isData(file)) {
      refuse(specifier, file);
      return { names: this.grader.module(file) };
    }
    if (!Module.isBuiltin(file)) await (this.hooked ??= hook(this.grader));
    return { namespace: await import(path.isAbsolute(file) ? pathToFileURL(file).href : file) };
  }

  async link(specifier) {
    if (!this.linked.has(specifier)) {
      const { names, namespace } = await this.load(specifier);
      const pairs = names ?? Object.keys(namespace).map((name) => [name, namespace[name]]);
      const module = new vm.SyntheticModule(pairs.map(([name]) => name), () => {
        for (const [name, value] of pairs) module.setExport(name, value);
      }, { identifier: specifier });
      this.linked.set(specifier, module);
    }
    return this.linked.get(specifier);
  }

  async import(specifier) {
    const { names, namespace } = await this.load(specifier);
    return namespace ?? Object.fromEntries(names);
  }

  async run(parts, label) {
    this.label = label;
    const text = parts.map(({ source }) => source).join("\n");
    try {
      const module = new vm.SourceTextModule(isBun ? this.transpiler.transformSync(text) : text, {
        identifier: `${WORKSPACE}/gradebox-${label.replaceAll(" ", "-")}${isBun ? ".ts" : ".mjs"}`,
        initializeImportMeta: (meta) => Object.assign(meta, { url: pathToFileURL(`${WORKSPACE}/gradebox`).href, dirname: WORKSPACE, dir: WORKSPACE }),
        importModuleDynamically: (name) => this.import(name),
      });
      await module.link((name) => this.link(name));
      await module.evaluate();
      return true;
    } catch (error) {
      complain(this.described(error, label, parts, text));
      return false;
    }
  }

  // What went wrong, in terms of parts, without the frames of this program.
  described(error, label, parts, text) {
    const places = parts.flatMap(({ name, source }) => source.split("\n").map((_, index) => `${name}:${index + 1}`));
    if (error?.position) return `${places[error.position.line - 1] ?? label}: ${error.message}: ${error.position.lineText.trim()}`;
    if (!(error instanceof Error)) return `${label}: Uncaught ${util.inspect(error)}`;
    const lines = [`${label}: ${error.name}: ${error.message}`];
    for (const line of String(error.stack).split("\n")) {
      const [, number] = /gradebox-[\w-]+(?:\.\w+)?:(\d+)/.exec(line) ?? [];
      if (number && /^\s*at /.test(line)) lines.push(`    at ${isBun ? text.split("\n")[number - 1]?.trim() : `${places[number - 1]}: ${text.split("\n")[number - 1]?.trim()}`}`);
      else if (/^\s+at /.test(line) && line.includes(WORKSPACE)) lines.push(line);
    }
    return lines.join("\n");
  }

  // An import that is a name becomes a line: `node:assert/strict` is known as assert, `@scope/some-package` as some_package.
  importLine(token, source, number) {
    const specifier = /^import\b/.test(source) ? /["']([^"']+)["']\s*;?\s*$/.exec(source)?.[1] : source.trim();
    if (specifier === undefined) return source;
    try {
      if (!isLocal(specifier)) isBun ? Bun.resolveSync(specifier, WORKSPACE) : this.require.resolve(specifier);
    } catch (error) {
      if (isBun || ["MODULE_NOT_FOUND", "ERR_UNKNOWN_BUILTIN_MODULE"].includes(error.code)) {
        complain(`missing import: ${specifier}`);
        report(`${token} missing ${specifier}`);
        process.reallyExit(90);
      }
    }
    if (specifier !== source.trim()) return source;
    const [root] = /^(@[^/]*\/)?[^/]*/.exec(specifier);
    const name = root.replace(/^(\w+:|@.*\/)/, "").replace(/[^A-Za-z0-9_$]/g, "_");
    const all = `gradebox_import_${number}`;
    return `import * as ${all} from ${JSON.stringify(specifier)}; const ${name} = "default" in ${all} ? ${all}.default : ${all};`;
  }

  async runAll(parts) {
    const token = parts.shift().source;
    const groups = [[]];
    const tokens = [];
    for (const [number, { name, source }] of parts.entries()) {
      if (name === "import") groups[0].push({ name, source: this.importLine(token, source, number) });
      else if (name === "next" || name === "end") {
        tokens.push(source);
        groups.push([]);
      } else if (name !== "shared") groups.at(-1).push({ name, source });
    }
    this.grader.said = groups.flat().map(({ source }) => source).join("\n");
    globalThis.require = (name) => {
      const file = Module.isBuiltin(name) ? name : this.require.resolve(name);
      if (!isSubmitted(file) || isData(file)) return this.require(name);
      refuse(name, file);
      return this.grader.module(file, true);
    };
    process.on("exit", (status) => {
      if (status === 0) complain(`${this.label}: the program exited before its end, with status 0.`);
      process.exitCode = status || 1;
    });
    const last = groups.length - 1;
    for (const [number, group] of groups.entries()) {
      const isShared = 0 < number && number < last;
      const passed = await this.run(number ? [...groups[0], ...group] : group, isShared ? `item ${number}` : "program");
      if (passed && isShared) report(tokens[number - 1]);
      else if (!passed && !isShared) return 1;
    }
    report(token);
    return 0;
  }
}

// Output of the tests themselves is written when there is time for it.
async function ended(status) {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.destroyed && !stream.writableEnded) await new Promise((resolve) => stream.write("", () => resolve()));
  }
  process.reallyExit(status);
}

const words = fs.readFileSync("/proc/self/cmdline", "utf8").split("\0");
const items = new Items(new Grader(words.find((word) => word.includes("new Candidate(4, 3)"))));
const parts = readParts();
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => {
    complain(items.described(error, items.label, [], ""));
    process.reallyExit(1);
  });
}
await ended(await items.runAll(parts));
