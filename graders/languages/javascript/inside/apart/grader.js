// The grader's process: starts the candidate's, and uses what is in it.
//
// A change of what is built in, while the candidate has a function called, ends the test.

class CandidateDied extends Error {}

// What the host says of this process: docs/explanation/boundary.md. Without it, files of root's or our own are the
// case's.
const TOLD = process.env.GRADEBOX_APART?.startsWith("/")
  ? JSON.parse(fs.readFileSync(process.env.GRADEBOX_APART, "utf8"))
  : {};
const WORKSPACE = TOLD.files ? path.resolve(process.env.GRADEBOX_APART, "../..") : process.cwd();
delete process.env.GRADEBOX_APART;
// It takes long to load, and the candidate's process has no use for it.
const childProcess = () => createRequire("/")("node:child_process");

class Grader extends Lending {
  // `source` is the text of this module; `report` takes lines for the host.
  constructor(source, report) {
    super(new Contract(TOLD));
    this.source = source;
    this.report = report;
    this.modules = new Map();
    // What is done with errors of the loader.
    /** @type {(does: any) => any} */ this.noting = (does) => does;
    this.depth = 0;
    /** @type {(file: string) => boolean} */ this.isOfCase = () => false;
    CODE.mayMake = (texts, caller) => this.mayMake(texts, caller);
    this.answers = new Answers(this.contract, TOLD.exact && !TOLD.record, (what) => this.limit(what));
    this.files = new Files(this);
    /** @type {(outcomes: [string, string][]) => any} */ this.summed = (outcomes) => outcomes;
    this.directory = process.cwd();
    this.env = { ...process.env };
  }

  // Tell the host what crossed; return why what is left fails for its answers, if so.
  end(status = 0) {
    // Nobody knows what a test would have read after it has failed.
    if (TOLD.reword && status) this.answers.reads = [];
    try {
      this.raise({});
      this.raiseLate();
    } catch {
      this.isLost = true;
    }
    const why = this.answers.end("", !this.isLost, true);
    if (why) this.spoil(new Error(why));
    if (this.contract.words) this.report?.(`answers ${JSON.stringify(this.summed(this.answers.outcomes))}`);
    if (this.contract.isRecording) this.report?.(`contract ${this.contract}`);
    this.contract.found.clear();
    if (!this.spoiled) return why;
    this.isLost = true;
    writeAll(2, Buffer.from(`${this.spoiled}\n`));
    this.spoiled = undefined;
    return why;
  }

  // Whether a text may become code: the case has it, or a package of the image or the runtime's loader has made it.
  mayMake(texts, caller) {
    const by = (pattern) => pattern.test(caller) && !caller.includes(`${WORKSPACE}/`);
    // Node.js makes a little of its own, whenever it needs that first.
    if (by(/node:internal\/(?!modules\/)/)) return;
    const isOfImage = by(/\/node_modules\/|node:internal\/modules\//);
    if (!this.serving && (isOfImage || texts.every((text) => this.said.includes(text)))) return;
    throw this.spoil(this.limit("tests make code of no text that is not in a file of the case"));
  }

  // Files of the case have this text.
  hasText(text) {
    this.said += text;
    // It takes long to load.
    if (text.includes("assert")) watchAssert(createRequire("/")("assert"), this.asserts);
    if (IS_BUN && OF_BUN.test(text)) this.files.looks();
  }

  // Tests use a file of the case that no submission can read: with a contract, no more often than with the reference,
  // and without one, by no name of the submission's.
  uses(verb, file, specifier = "") {
    if (!this.isOfCase(file) || !this.files.isClosed(file)) return;
    const name = path.relative(WORKSPACE, file);
    if (verb !== "open" && this.isOpen && (this.files.said.has(specifier) || this.files.isSaid(file)))
      throw this.spoil(this.limit(`the submission leads to ${file}, which it cannot read itself`));
    if (this.contract.uses(verb, name, this.serving > 0 && verb !== "import")) return;
    throw this.spoil(this.limit(`tests use ${name} more often than with the reference`));
  }

  // What is not a file is a module only if the case has its text.
  addresses(name) {
    if (this.serving || !this.said.includes(name))
      throw this.spoil(this.limit("tests import no address that is not in a file of the case"));
  }

  limit(what) {
    this.report?.(`limit ${what}`);
    return new TypeError(LIMIT + what);
  }

  ask(at, what, ...request) {
    if (this.isLost) throw this.lost();
    if (this.reading < 0) this.files.uncounted(() => this.start());
    this.asks(what);
    const isOutermost = this.depth === 0;
    if (isOutermost && !WITHIN.has(what)) this.forgo();
    if (isOutermost && what !== "replace" && what !== "around") this.keepInStep();
    const { lentAt } = this;
    this.lentAt = what === "settle" ? at : at?.step("<");
    this.depth += 1;
    try {
      let found, thrown;
      try {
        this.isPausing = what === "run";
        if (isOutermost) this.isRunning = this.isPausing;
        found = super.ask(at, what, ...request);
        if (util.types.isPromise(found)) this.returned.add(found);
      } catch (error) {
        thrown = { error };
      }
      if (thrown?.error instanceof Malformed) throw this.lost(`sent what cannot be read: ${thrown.error.message}`);
      // A promise may come to it.
      if (isOutermost && !WITHIN.has(what) && !util.types.isPromise(found)) this.raise(thrown);
      if (thrown) throw thrown.error;
      return found;
    } finally {
      this.depth -= 1;
      this.lentAt = lentAt;
      if (isOutermost && this.isDirty) this.mustBeIntact();
      if (isOutermost && !this.isLost) {
        this.tidy();
        if (what !== "run") this.isBusy = undefined;
        if (what !== "run") this.pump();
        if (what !== "run") this.drain();
      }
    }
  }

  // What a message says of answers. A candidate of ours never fails to run.
  came(message) {
    must(message[0] !== "!" || !["run", "settle", "abort"].includes(this.open.at(-1).what), "it failed to run");
    if (message[0] !== "?" && this.open.at(-1).what === "pin") return void (this.tree = message[4]);
    const called = message[0] === "?" ? this.ours.get(message[5]?.[1]) : undefined;
    this.answers.hear(readable(message, called), this.open);
  }

  send(sign, id, values, words) {
    const { last } = this;
    super.send(sign, id, values, words);
    this.answers.gives(last, this.last, isRunning(this.open));
  }

  lends(number) {
    this.answers.here.add(number);
    super.lends(number);
  }

  heard(text) {
    this.files.hears(text);
  }

  told(text) {
    this.files.tells(text);
  }

  write(data) {
    // Nobody waits for what it does while it merely runs, and the tests may be about to open a file.
    if (!this.isPausing || this.unsettled.size) this.files.give();
    this.isPausing = false;
    super.write(data);
  }

  lost(why = "ended, in the middle of a call") {
    if (!this.isLost && this.writing >= 0) for (const end of [this.writing, this.reading]) fs.closeSync(end);
    this.isLost = true;
    const died = new CandidateDied(`the process of the submission ${why}`);
    for (const { reject } of this.unsettled.values()) reject(died);
    this.unsettled.clear();
    return died;
  }

  mustBeIntact() {
    this.isDirty = false;
    if (INTRINSICS.isIntact()) return;
    INTRINSICS.restore();
    throw this.lost("had built-in objects of the tests changed");
  }

  // The candidate's process, and what surrounds it

  // Start it, with two pipes between it and this one.
  start() {
    const place = fs.mkdtempSync(path.join(path.dirname(this.files.top), "apart-"));
    const files = ["asked", "answered"].map((name) => path.join(place, name));
    this.files.isHanding = true;
    const made = childProcess().spawnSync("mkfifo", ["-m", "600", ...files]);
    this.files.isHanding = false;
    if (made.status !== 0) throw this.limit(`the image needs \`mkfifo\`: ${made.error ?? made.stderr}`);
    const [asked, answered] = files.map((file) => {
      // One end alone would wait for the other to be opened.
      const both = fs.openSync(file, "r+");
      const ends = { reading: fs.openSync(file, "r"), writing: fs.openSync(file, "w") };
      fs.closeSync(both);
      return ends;
    });
    fs.rmSync(place, { recursive: true });
    const { GRADEBOX_CANDIDATE, NODE_TEST_CONTEXT, NODE_OPTIONS, NODE_V8_COVERAGE, ...env } = process.env;
    const source = `${this.source.slice(0, this.source.indexOf("/* The grader's side"))}new Candidate(4, 3).serve();`;
    const snapshot = process.execArgv[0] === "--snapshot-blob" ? process.execArgv.slice(0, 2) : [];
    const options = IS_BUN ? ["-e"] : [...snapshot, "--no-warnings", "--input-type=module", "-e"];
    // Its stdin is empty, and its stdout is its stderr: what it prints is not a report of the tests.
    const shell = ["sh", "-c", 'exec 4<&0 3>&1 </dev/null 1>&2; exec "$@"', "sh"];
    // The program that starts items is Bun, and has compiled what a candidate runs.
    const isSame = IS_BUN && Bun.which("bun") === process.execPath;
    const program = isSame ? fs.readlinkSync("/proc/self/exe") : process.execPath;
    const words = [...CANDIDATE_WORDS, ...shell, program, ...options, source];
    const child = childProcess().spawn(CANDIDATE, words, { env, stdio: [asked.reading, answered.writing, 2] });
    child.on("error", () => {}).unref();
    fs.closeSync(asked.reading);
    fs.closeSync(answered.writing);
    this.writing = asked.writing;
    this.reading = answered.reading;
  }

  // Have the candidate find what tests have changed around it.
  keepInStep() {
    const [directory, env] = [process.cwd(), { ...process.env }];
    const changed = Object.keys({ ...env, ...this.env }).filter((name) => env[name] !== this.env[name]);
    if (changed.length || directory !== this.directory) {
      this.directory = directory;
      this.env = env;
      const pairs = changed.map((name) => [name, env[name]]);
      this.ask(undefined, "around", directory, pairs);
    }
    // Bun sets the time without another `Date`.
    const isSet = IS_BUN && Math.abs(Date.now() - performance.timeOrigin - performance.now()) > 999;
    for (const [i, name] of REPLACED.entries()) {
      const now = (isSet && CLOCK[name]) || inLibrary(name);
      if (now === this.before[i]) continue;
      this.before[i] = now;
      const isPlain = now === this.plain[i] || typeof now !== "function";
      const value = isPlain ? undefined : name === "Date" ? () => Number(new now()) : now;
      this.ask(OfLibrary.of(name), "replace", name, value);
    }
  }

  // Let the candidate run for a moment, whenever there is nothing else to do here.
  pump() {
    if (this.isLost) return;
    if (this.timer !== undefined) return this.awaited();
    const run = () => {
      this.timer = undefined;
      if (this.isLost) return;
      try {
        this.isBusy = this.ask(undefined, "run", this.unsettled.size ? 10 : 4) === true;
      } catch {}
      this.pump();
    };
    this.timer = this.unsettled.size && this.isBusy !== false ? soon(run) : later(run, 1);
    this.awaited();
  }

  // What the submission does before anything else, it does before the tests do what follows.
  drain() {
    if (this.isDraining) return;
    this.isDraining = true;
    next(() => {
      this.isDraining = false;
      if (this.isLost) return;
      try {
        this.ask(undefined, "run", 0);
      } catch {}
    });
  }

  // What the candidate still has to do keeps this process alive, as it would in one process. Bun does not say it.
  awaited() {
    if (this.isBusy !== false && (this.unsettled.size || !IS_BUN)) this.timer?.ref?.();
    else this.timer?.unref?.();
  }

  // What a module of the submission exports, as a record; what it has as `module.exports`, if it is required.
  module(specifier, parent, isRequired) {
    const isFile = isPath(specifier);
    const file = isFile ? path.resolve(path.dirname(parent), specifier.replace(/^file:\/\//, "")) : specifier;
    const key = `${isRequired ? "require" : "import"} ${file}`;
    if (!this.modules.has(key)) {
      const at = Place.of(path.relative(WORKSPACE, file).replace(/\.\w+$/, ""));
      const found = this.ask(at, isRequired ? "require" : "import", specifier, parent);
      const isRecord = tagOf(Object(found)) === "r";
      must(isRequired || isRecord, "it has no exports");
      const exported = [["default", found], ...Object.entries(isRecord ? found : {})];
      this.exported.push(...exported.map(([name, value]) => [name, value, specifier]));
      // An export is not a method.
      for (const [, value] of exported) if (this.facts.has(value)) this.facts.get(value).member = undefined;
      if (!isRequired) this.release(found);
      this.modules.set(key, found);
      if (isRecord) this.pinAll(found, at);
      else this.pin(found);
    }
    return this.modules.get(key);
  }
}
