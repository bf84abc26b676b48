// Runs one item, or many that share a process, while the submission runs in another: `node ... -e SOURCE` or `bun -e
// SOURCE`. graders/languages/item_protocol.py describes the protocol. Nothing of the submission is in this process, so
// a token needs no hiding, and nothing that decides needs to be looked at.
//
// The parts of a program are one ES module, whose imports are looked up from the workspace; `require` is there too. In
// a shared process every item is a module, with the setup of all in front of it.

const PROGRAM = `${WORKSPACE}/gradebox.js`;
const complain = (text) => writeAll(2, Buffer.from(`${text}\n`));
const report = (line) => writeAll(3, Buffer.from(`${line}\n`));

class Items {
  constructor(grader) {
    this.grader = grader;
    this.loader = new Loader(grader);
    this.linked = new Map();
    this.label = "program";
    this.transpiler = IS_BUN && new Bun.Transpiler({ loader: "ts", target: "bun", trimUnusedImports: true });
  }

  async link(name) {
    if (!this.linked.has(name)) {
      const found = await this.loader.exports(name, PROGRAM);
      const names = Object.keys(found);
      const fill = () => names.forEach((key) => module.setExport(key, found[key]));
      const module = new vm.SyntheticModule(names, fill, { identifier: name });
      this.linked.set(name, module);
    }
    return this.linked.get(name);
  }

  async run(parts, label) {
    this.label = label;
    this.grader.spoiled = undefined;
    const text = parts.map(({ source }) => source).join("\n");
    const item = parts.flatMap(({ name, source }) => (/^item\b/.test(name) ? [source] : [])).join("\n");
    const about = { url: pathToFileURL(`${WORKSPACE}/gradebox`).href, dirname: WORKSPACE, dir: WORKSPACE };
    try {
      const module = new vm.SourceTextModule(IS_BUN ? this.transpiler.transformSync(text) : text, {
        identifier: `${WORKSPACE}/gradebox-${label.replaceAll(" ", "-")}${IS_BUN ? ".ts" : ".mjs"}`,
        initializeImportMeta: (meta) => Object.assign(meta, about),
        importModuleDynamically: async (name) => ({ ...(await this.loader.exports(name, PROGRAM)) }),
      });
      await module.link((name) => this.link(name));
      await module.evaluate();
      this.grader.raise();
      this.grader.raiseLate();
      if (this.grader.spoiled) throw this.grader.spoiled;
      const why = this.grader.isLost ? "the process of the submission ended." : this.grader.answers.end(item);
      if (!why) return true;
      complain(`${label}: ${why}`);
      if (!this.grader.isLost) return false;
    } catch (error) {
      complain(this.described(error, parts));
    }
    this.grader.answers.end(item, false);
    return false;
  }

  // What went wrong, in terms of parts, without the frames of this program.
  described(error, parts) {
    const lines = parts.flatMap(({ name, source }) =>
      source.split("\n").map((text, index) => ({ place: `${name}:${index + 1}`, text })),
    );
    const at = error?.position;
    if (at) return `${lines[at.line - 1]?.place ?? this.label}: ${error.message}: ${at.lineText.trim()}`;
    if (!(error instanceof Error)) return `${this.label}: Uncaught ${util.inspect(error)}`;
    const said = [`${this.label}: ${error.name}: ${error.message}`];
    for (const frame of String(error.stack)
      .split("\n")
      .filter((line) => /^\s*at /.test(line))) {
      const line = lines[Number(/gradebox-[\w-]+(?:\.\w+)?:(\d+)/.exec(frame)?.[1]) - 1];
      // Bun translates a program before it runs it, so that its lines have other numbers.
      if (line) said.push(`    at ${IS_BUN ? "" : `${line.place}: `}${line.text.trim()}`);
      else if (frame.includes(WORKSPACE)) said.push(frame);
    }
    return said.join("\n");
  }

  async runAll() {
    const { token, tokens, groups } = readPrograms(fs.readFileSync(0), (name) => {
      const { image } = this.loader.finder.find(name, PROGRAM);
      if (image) this.loader.image(image);
    });
    const sources = groups.flat().map(({ source }) => source);
    this.grader.hasText(sources.join("\n"));
    this.grader.summed = counted;
    this.grader.report = (line) => report(`${token} ${line}`);
    /** @type {any} */ (globalThis).require = (name) => this.loader.require(name, PROGRAM);
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
    if (this.grader.end()) return 1;
    report(token);
    return 0;
  }
}

const words = fs.readFileSync("/proc/self/cmdline", "utf8").split("\0");
const items = new Items(new Grader(words.find((word) => word.includes("new Candidate(4, 3)"))));
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => {
    complain(items.described(error, []));
    process.reallyExit(1);
  });
}
const status = await items.runAll();
// Output of the tests themselves is written when there is time for it. To make a stream takes long, too.
const isWriting = IS_BUN || /** @type {any} */ (process)._getActiveRequests().length > 0;
for (const stream of isWriting ? [process.stdout, process.stderr] : []) {
  if (!stream.destroyed && !stream.writableEnded) await new Promise((resolve) => stream.write("", resolve));
}
process.reallyExit(status);
