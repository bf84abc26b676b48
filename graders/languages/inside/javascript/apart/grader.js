// The grader's side: starts the candidate's process, and uses what is in it.
//
// What is above this line is all that the candidate's process runs.
//
// It gives of its own objects only what was passed to the candidate: functions to be called, and attributes of objects
// that are theirs or their class's, of these no private one and nothing that leads to other code.

class CandidateDied extends Error {}

const WORKSPACE = process.cwd();
const OWN = new Set(["constructor", "__proto__", "prototype", "caller", "callee", "arguments"]);
const ENDS = new Set([Object.prototype, Function.prototype]);
// What tests replace in both processes.
const REPLACED = [
  ..."log info warn error debug table dir".split(" ").map((key) => ["console", key]),
  ["Math", "random"], ["Date", "now"], ["performance", "now"],
  ..."fetch setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate".split(" ").map((key) => ["", key]),
];

// Whether a file is the case's or was made here: it belongs to root or to us, under this name alone.
function isCaseFile(file) {
  try {
    const { uid, nlink } = fs.lstatSync(file);
    return (uid === 0 || uid === process.geteuid()) && nlink === 1 && fs.realpathSync(file) === path.resolve(file);
  } catch {
    return false;
  }
}

const isInside = (file) => file.startsWith(`${WORKSPACE}/`) || file.startsWith(`${fs.realpathSync(WORKSPACE)}/`);

const isSubmitted = (file) => path.isAbsolute(file) && isInside(file) && !isCaseFile(file);

const LENT = process.env.TMPDIR || "/tmp";

// Let the candidate use a file or directory that was made here, and all that is in it, or the place where one is to be made.
function lend(file) {
  let place = path.resolve(file);
  if (!fs.existsSync(place)) place = path.dirname(place);
  for (const each of [".", ...(fs.statSync(place).isDirectory() ? fs.readdirSync(place, { recursive: true }) : [])]) open(path.join(place, each), 0o777);
  while ((place = path.dirname(place)).startsWith(LENT)) open(place, 0o711);
}

function open(file, mode) {
  let opened;
  try {
    // What lies there may be exchanged at any time.
    opened = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    const found = fs.fstatSync(opened);
    const wanted = (found.mode & 0o7777) | (found.isDirectory() || found.mode & 0o100 ? mode : mode & 0o666);
    if (found.uid === process.geteuid() && (found.mode & 0o7777) !== wanted) fs.fchmodSync(opened, wanted);
  } catch {
    // It is not ours, or gone.
  } finally {
    if (opened !== undefined) fs.closeSync(opened);
  }
}

class Grader extends Peer {
  // `source` is the text of this module; `said` is that of the tests, as far as it is known.
  constructor(source, said = "") {
    super(1, -1, -1);
    Object.assign(this, { source, said, prototypes: new WeakMap(), instances: new WeakMap(), exported: [], modules: new Map() });
    Object.assign(this, { directory: process.cwd(), env: { ...process.env } });
    this.before = REPLACED.map(([owner, key]) => (owner ? globalThis[owner] : globalThis)[key]);
    this.plain = [...this.before];
    this.depth = 0;
    this.primitives = new Map();
  }

  start() {
    // It takes long to load, and the candidate's process has no use for it.
    const childProcess = createRequire("/")("node:child_process");
    // What tests make in a directory that they lend is the candidate's to change, too.
    process.umask(0);
    const place = fs.mkdtempSync(path.join(process.env.TMPDIR || "/tmp", "apart-"));
    const [asked, answered] = ["asked", "answered"].map((name) => path.join(place, name));
    const made = childProcess.spawnSync("mkfifo", ["-m", "600", asked, answered]);
    if (made.status !== 0) throw new CandidateDied(`the image has no \`mkfifo\`, which \`isolation: apart\` needs: ${made.error ?? made.stderr}`);
    // A pipe opens as soon as it has another end.
    const ends = [asked, answered].map((file) => {
      const first = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
      const writing = fs.openSync(file, fs.constants.O_WRONLY);
      const reading = fs.openSync(file, fs.constants.O_RDONLY);
      fs.closeSync(first);
      return { reading, writing };
    });
    fs.rmSync(place, { recursive: true });
    const [program, ...words] = (process.env.GRADEBOX_CANDIDATE ?? "candidate").split(" ");
    const env = { ...process.env };
    for (const name of ["GRADEBOX_CANDIDATE", "NODE_TEST_CONTEXT", "NODE_OPTIONS", "NODE_V8_COVERAGE"]) delete env[name];
    const source = `${this.source.slice(0, this.source.indexOf("// The grader's side"))}new Candidate(4, 3).serve();`;
    const start = process.execArgv[0] === "--snapshot-blob" ? process.execArgv.slice(0, 2) : [];
    const options = process.versions.bun ? ["-e"] : [...start, "--no-warnings", "--input-type=module", "-e"];
    // Its stdin is empty, and its stdout is its stderr: what it prints is no report of the tests.
    const line = 'exec 4<&0 3>&1 </dev/null 1>&2; exec "$@"';
    const child = childProcess.spawn(program, [...words, "sh", "-c", line, "sh", process.execPath, ...options, source], {
      env, stdio: [ends[0].reading, ends[1].writing, 2],
    });
    child.on("error", () => {});
    child.unref();
    fs.closeSync(ends[0].reading);
    fs.closeSync(ends[1].writing);
    [this.writing, this.reading] = [ends[0].writing, ends[1].reading];
  }

  ask(what, ...request) {
    if (this.isLost) throw this.lost();
    if (this.reading < 0) this.start();
    if (this.depth === 0 && !this.isConverting) this.primitives.clear();
    if (this.depth === 0 && what !== "replace" && what !== "around") this.keepInStep();
    if (what === "apply" || what === "new") for (const value of request) if (isText(value) && value.startsWith(`${LENT}/`)) lend(value);
    this.depth += 1;
    try {
      return super.ask(what, ...request);
    } catch (error) {
      if (error instanceof Malformed) {
        this.lost();
        throw new CandidateDied(`the process of the submission sent what cannot be read: ${error.message}`);
      }
      throw error;
    } finally {
      this.depth -= 1;
      if (this.depth === 0 && !this.isLost) {
        this.tidy();
        if (what !== "run") this.isBusy = undefined;
        if (what !== "run") this.pump();
      }
    }
  }

  lost() {
    this.isLost = true;
    for (const { reject } of this.unsettled.values()) reject(new CandidateDied("the process of the submission ended"));
    this.unsettled.clear();
    return new CandidateDied("the process of the submission ended, in the middle of a call");
  }

  // Have the candidate find what tests have changed around it.
  keepInStep() {
    const [directory, env] = [process.cwd(), { ...process.env }];
    const changed = Object.keys({ ...env, ...this.env }).filter((name) => env[name] !== this.env[name]);
    if (changed.length || directory !== this.directory) {
      Object.assign(this, { directory, env });
      this.ask("around", directory, changed.map((name) => [name, env[name]]));
    }
    for (const [i, [owner, key]] of REPLACED.entries()) {
      const now = (owner ? globalThis[owner] : globalThis)[key];
      if (now === this.before[i]) continue;
      this.before[i] = now;
      this.ask("replace", owner, key, now === this.plain[i] || typeof now !== "function" ? undefined : now);
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
        this.isBusy = this.ask("run", this.unsettled.size ? 10 : 4) === true;
      } catch {}
      this.pump();
    };
    this.timer = this.unsettled.size && this.isBusy !== false ? soon(run) : later(run, 1);
    this.awaited();
  }

  // A promise of the candidate's keeps this process alive as long as something can settle it.
  awaited() {
    if (this.unsettled.size && this.isBusy !== false) this.timer?.ref?.();
    else this.timer?.unref?.();
  }

  // The exports of a module of the submission, as pairs.
  module(file, isRequired) {
    const key = `${isRequired ? "require" : "import"} ${file}`;
    if (!this.modules.has(key)) {
      this.isLoading = true;
      let found;
      try {
        found = isRequired ? this.ask("require", file) : this.ask("import", pathToFileURL(file).href);
      } finally {
        this.isLoading = false;
      }
      const pairs = isRequired ? [["default", found], ...Object.entries(tagOf(Object(found)) === "o" ? found : {})] : found;
      must(Array.isArray(pairs) && pairs.every((pair) => Array.isArray(pair) && isText(pair[0])), "it has no exports");
      this.exported.push(...pairs);
      this.modules.set(key, found);
    }
    return this.modules.get(key);
  }

  // What the candidate may do to the objects that it was given

  perform(what, subject, ...rest) {
    if (what === "settle") return void this.settled(subject, ...rest);
    const number = this.numbers.get(subject);
    if (!this.ours.has(number)) throw new TypeError("this is no object of the tests");
    const [key] = rest;
    switch (what) {
      case "apply":
        return Reflect.apply(subject, commonNames.has(rest[0]) ? undefined : rest[0], rest.slice(1));
      case "new":
        return Reflect.construct(subject, rest);
      case "get":
        return this.owner(subject, key) ? Reflect.get(subject, key) : undefined;
      case "has":
        return Boolean(this.owner(subject, key));
      case "keys":
        return typeof subject === "function" ? [] : Object.keys(subject).filter((name) => this.owner(subject, name));
      case "describe":
        if (!Object.hasOwn(subject, key) || !this.owner(subject, key)) return undefined;
        return [Reflect.get(subject, key), undefined, undefined, true, true, true];
      case "set": {
        const found = this.owner(subject, key) === subject && Object.getOwnPropertyDescriptor(subject, key);
        if (!found || typeof found.value === "function" || typeof rest[1] === "function") return false;
        return Reflect.set(subject, key, rest[1]);
      }
      case "isExtensible":
        return true;
      default:
        throw new TypeError("an object of the tests cannot be changed so");
    }
  }

  // Where an attribute of an object lies that is the candidate's to use; undefined if there is none.
  owner(subject, key) {
    if (typeof subject === "function" || OWN.has(key) || (isText(key) && key.startsWith("_"))) return undefined;
    for (let place = subject; place && !ENDS.has(place); place = Object.getPrototypeOf(place)) if (Object.hasOwn(place, key)) return place;
    return undefined;
  }

  about(value) {
    const prototype = Object.getPrototypeOf(value);
    return commonNames.has(prototype) ? [prototype] : [];
  }

  // An error of the tests: what an assert expected is not for the candidate to read.
  errorParts(error) {
    const isAssert = "expected" in error || "matcherResult" in error || error.name === "AssertionError";
    return isAssert ? ["Error", "an assertion failed", undefined] : [kindOfError(error), String(error.message), isText(error.code) ? error.code : undefined];
  }

  error(number, [kind, message, hasMessage, stack, prototype, own]) {
    must(KINDS.includes(kind) && isText(message) && isText(stack) && Array.isArray(own), "it is no error");
    const made = kind === "AggregateError" ? new AggregateError([]) : new (common.get(kind))();
    if (hasMessage) define(made, "message", message, false);
    define(made, "stack", stack, false);
    for (const pair of own) {
      must(Array.isArray(pair) && (isText(pair[0]) || typeof pair[0] === "symbol"), "it is no error");
      if (pair[0] !== "__proto__") define(made, pair[0], pair[1], Boolean(pair[2]));
    }
    if (prototype && prototype !== common.get(`${kind}.prototype`)) Object.setPrototypeOf(made, prototype);
    return made;
  }

  learn(made, kind, [prototype, ofInstances]) {
    if (prototype !== null && typeof prototype === "object" || typeof prototype === "function") this.prototypes.set(made, prototype);
    if (kind === "class") this.instances.set(made, ofInstances);
  }

  // A method that would give away what tests expect: nothing but a class or an object that they import may have one.
  look(subject, key) {
    if (isText(key) && JUDGES.has(key) && !this.isKnown(subject)) this.refuse(key);
  }

  isKnown(subject) {
    const chain = [];
    for (let place = subject; place; place = this.prototypes.get(place)) chain.push(place);
    const isKnown = ([name, value]) => value === subject || (chain.includes(this.instances.get(Object(value))) && this.says(name));
    return this.exported.some(isKnown);
  }

  // What makes a number or a text of an object whose class the tests do not import.
  converting(subject) {
    return this.isKnown(subject) ? undefined : (hint) => this.steady(subject, hint, () => this.converted(subject, hint));
  }

  // The same number or text in all comparisons in a row, until something else is requested.
  steady(subject, hint, make) {
    const made = this.primitives.get(subject) ?? new Map();
    this.primitives.set(subject, made);
    if (made.has(hint)) return made.get(hint);
    this.isConverting = true;
    try {
      return made.set(hint, make()).get(hint);
    } finally {
      this.isConverting = false;
    }
  }

  converted(subject, hint) {
    const own = this.ask("get", subject, Symbol.toPrimitive);
    const ways = own ? [own] : (hint === "string" ? ["toString", "valueOf"] : ["valueOf", "toString"]).map((key) => this.ask("get", subject, key));
    for (const way of ways) {
      const made = typeof way === "function" ? Reflect.apply(way, subject, [hint]) : subject;
      if (Object(made) !== made) return made;
    }
    throw new TypeError("Cannot convert object to primitive value");
  }

  refuse(key) {
    throw new TypeError(`${key}() is not asked of an object of the submission's whose class the tests do not import`);
  }

  guarded(tag, parts) {
    if (this.isLoading || (tag !== "o" && tag !== "a")) return parts;
    return parts.map((part, i) => {
      const key = parts[i - 1];
      if (typeof part !== "function" || !this.isTheirs(part)) return part;
      if (JUDGES.has(key)) return () => this.refuse(key);
      if (key !== "valueOf" && key !== "toString") return part;
      const peer = this;
      return function (...args) {
        // Tests may have changed the object, which is a copy here.
        const state = Object.values(this ?? []).filter((value) => Object(value) !== value).map(String).join();
        return peer.steady(this, `${key} ${state}`, () => Reflect.apply(part, this, args));
      };
    });
  }

  // Whether tests make or know objects by the name of a class that a module exports.
  says(name) {
    const word = name === "default" ? "\\w+" : name.replace(/[^\w]/g, "\\$&");
    return new RegExp(`\\b(new|instanceof)\\s+(\\w+\\.)*${word}\\b|\\b${name === "default" ? "(?!)" : word}\\.\\w`).test(this.said);
  }

  shown(subject) {
    try {
      return String(this.ask("show", subject));
    } catch {
      return "[object of the submission]";
    }
  }
}
