// The candidate's side: loads the submission's modules and does what the grader requests.
//
// Whatever code of the submission does to this process changes what it answers, and nothing else: all that is decided
// is decided in the other process. What it sets on an object of the tests is seen here alone.

const { setTimeout: later, clearTimeout: never, setImmediate: soon, queueMicrotask: next } = globalThis;
const { nextTick } = process;
const isPath = (name) => /^(\.\.?(\/|$)|\/|file:)/.test(name);
// Newer releases of Node.js fail where the directory of a file cannot be entered, or one above it.
function requireOf(parent) {
  let place = path.dirname(parent);
  while (!fs.existsSync(`${place}/.`)) place = path.dirname(place);
  return createRequire(path.join(place, "gradebox.js"));
}
// Requests that are functions of `Reflect`.
const REFLECTED = new Set("get set has deleteProperty defineProperty setPrototypeOf preventExtensions".split(" "));

class Candidate extends Peer {
  constructor(reading, writing) {
    super(-1, reading, writing);
    // What tests have replaced; promises that were done while nobody listened; what ends a moment of running.
    this.originals = new Map();
    this.late = [];
    // The attributes that exported classes and objects had at first.
    this.first = new Map();
    this.finish = () => {};
    this.copied = new WeakSet();
    // Of signals of the tests.
    this.aborts = new WeakMap();
  }

  lost() {
    process.reallyExit(0);
  }

  // Records that the grader asks for are copied, whatever they hold.
  stays(value, depth) {
    const tag = tagOf(value);
    // What is deep is not all asked for.
    if (depth > DEEPEST - 50 && "lrds".includes(tag || "x")) return true;
    if (this.copied.has(value) || (tag !== "r" && !(tag === "l" && !isIndex(Object.keys(value).at(-1) ?? "0"))))
      return false;
    return isSized(
      tag,
      Object.entries(value).filter(([key]) => tag === "r" || !isIndex(key)),
    );
  }

  record(value) {
    if (isObject(value)) this.copied.add(value);
    return value;
  }

  // Serve until the grader wants this process to run, or to load a module: then the loop of events goes on.
  serve() {
    for (;;) {
      const { id, what, values } = this.receive();
      this.isRunning = what === "run" || what === "import";
      if (!this.isRunning) {
        this.answer(id, () => this.perform(what, ...values));
        continue;
      }
      for (const settled of this.late.splice(0)) this.settle(...settled);
      // No timer of the submission comes between the answer and the next request.
      const after = values[0] === 0 ? nextTick : soon;
      const end = (make) => (value) =>
        after(() => {
          this.isRunning = false;
          this.answer(id, () => make(value));
          this.serve();
        });
      const throws = (error) => {
        throw error;
      };
      (what === "run" ? this.run(...values) : this.load(...values)).then(
        end((found) => found),
        end(throws),
      );
      return;
    }
  }

  // Let timers and promises run for some milliseconds, or until one is done that the grader waits for. Return whether
  // there is more to come.
  async run(milliseconds) {
    // Each comes after all microtasks.
    if (milliseconds === 0) for (let i = 0; i < 3; i += 1) await new Promise((resolve) => nextTick(resolve));
    else
      await new Promise((resolve) => {
        const timer = later(resolve, milliseconds);
        this.finish = () => {
          never(timer);
          soon(resolve);
        };
      });
    this.finish = () => {};
    const busy = process.getActiveResourcesInfo?.() ?? ["?"];
    return busy.some((name) => name !== "TTYWrap" && name !== "PipeWrap");
  }

  // What a module exports. Only here is it looked for.
  async load(specifier, parent) {
    if (process.versions.bun) specifier = Bun.resolveSync(specifier, path.dirname(parent));
    else if (isPath(specifier)) specifier = path.resolve(path.dirname(parent), specifier);
    else specifier = requireOf(parent).resolve(specifier);
    if (/\.(json|txt)$/.test(specifier)) return { __proto__: null, text: fs.readFileSync(specifier, "utf8") };
    const found = { __proto__: null, ...(await import(pathToFileURL(specifier).href)) };
    const whole = process.versions.bun && createRequire(parent)(specifier);
    if (whole && !util.types.isModuleNamespaceObject(whole)) found["module.exports"] = whole;
    return this.record(found);
  }

  perform(what, subject, ...rest) {
    if (REFLECTED.has(what)) return Reflect[what](subject, ...rest);
    switch (what) {
      case "call":
        return called(subject, ...rest);
      case "require":
        return requireOf(rest[0])(isPath(subject) ? path.resolve(path.dirname(rest[0]), subject) : subject);
      case "fields":
        return fieldsOf(subject, (values) => this.record(values));
      case "data":
        return this.record(dataOf(subject));
      case "getters":
        return this.record(gettersOf(subject));
      case "abort":
        return this.aborts.get(subject)?.abort(...rest);
      case "promise":
        return Promise.resolve().then(() => subject);
      case "items": {
        const items = [];
        for (const item of subject) if (items.push(item) > 1_000_000) throw new RangeError("it never ends");
        return items;
      }
      case "show":
        return util.inspect(subject).slice(0, 10_000);
      case "settle":
        this.settled(subject, ...rest);
        return this.finish();
      case "around":
        if (process.cwd() !== subject) process.chdir(subject);
        for (const [name, value] of rest[0])
          if (value === undefined) delete process.env[name];
          else process.env[name] = value;
        return undefined;
      case "pin":
        return Reflect.get(subject, rest[0]);
      case "remember":
        return void attempt(() => this.memorize(subject));
      case "same": {
        const first = this.first.get(subject);
        return Boolean(first?.has(rest[0])) && Object.is(first.get(rest[0]), Reflect.get(subject, rest[0]));
      }
      case "replace":
        return this.replace(subject, ...rest);
      default:
        throw new TypeError(`${what} is not a request`);
    }
  }

  // Other getters than those of constants may do something.
  memorize(subject) {
    const found = new Map();
    this.first.set(subject, found);
    for (let place = subject; place && !BASE_NAMES.has(place); place = Object.getPrototypeOf(place))
      for (const key of Reflect.ownKeys(place)) {
        const { get, value } = Object.getOwnPropertyDescriptor(place, key) ?? {};
        if (found.has(key) || (get && !/^[A-Z]/.test(String(key)))) continue;
        const now = get ? attempt(() => Reflect.get(subject, key)) : value;
        found.set(key, now);
        if (typeof now === "function" && !this.first.has(now)) this.memorize(now);
      }
  }

  // What the tests have put in place of a function of the library, such as console.log; the original with nothing.
  replace(name, value) {
    const [, owner, key] = /^(.*[.#])?(.*)$/.exec(name);
    const place = owner ? inLibrary(owner.replace(/\.$/, "")) : globalThis;
    if (!this.originals.has(name)) this.originals.set(name, place[key]);
    const plain = this.originals.get(name);
    place[key] = value && name === "Date" ? dateOf(plain, value) : (value ?? plain);
    if (name.includes("#")) Module.syncBuiltinESMExports?.();
  }

  // The grader waits for requests only while this process runs.
  settle(...what) {
    if (!this.isRunning) return void this.late.push(what);
    super.settle(...what);
    this.finish();
  }

  named(name) {
    return inLibrary(name);
  }

  // Which of its prototypes is the submission's and no object of the tests, and the name of the first that is not.
  about(value) {
    const prototype = Object.getPrototypeOf(value);
    const base = baseOf(prototype);
    const isKnown = base === prototype || this.isTheirs(prototype);
    return { prototype: isKnown ? null : prototype, about: { base: BASE_NAMES.get(base) ?? "" } };
  }

  // What it says, and what it and its classes have besides.
  errorParts(error) {
    const places = [];
    for (let place = error; place && !BASE_NAMES.has(place); place = Object.getPrototypeOf(place)) places.push(place);
    // What one of these says is said by getters of its class.
    if (error instanceof DOMException) places.push(DOMException.prototype);
    const isSaid = places.some((place) => Object.hasOwn(place, "message"));
    /** @type {any[]} */
    const parts = [isSaid ? String(attempt(() => error.message)) : undefined, String(error.stack)];
    /** @type {Set<string | symbol>} */
    const keys = new Set(["stack", "message", "constructor"]);
    const hidden = [];
    for (const place of places) {
      for (const key of Reflect.ownKeys(place)) {
        const { value, get, enumerable } = Object.getOwnPropertyDescriptor(place, key);
        const isOwn = place === error;
        const isRead = get || (!isOwn && typeof value !== "function" && !BASE_NAMES.has(place));
        const found = isRead ? attempt(() => Reflect.get(place, key, error)) : isOwn ? value : undefined;
        if (keys.has(key) || (!isOwn && found === undefined)) continue;
        keys.add(key);
        parts.push(key, key === "name" ? String(found) : found);
        if (!enumerable || !isOwn) hidden.push(String(key));
      }
    }
    return { prototype: this.about(error).prototype, parts, about: { base: kindOfError(error), hidden } };
  }

  // An error of the tests.
  blankError({ base }) {
    return new (globalThis[base] ?? Error)();
  }

  fillError(made, _, [message, name, code]) {
    define(made, "message", message, false);
    define(made, "name", name, false);
    Error.captureStackTrace?.(made);
    if (code !== undefined) made.code = code;
  }

  // The library looks into a signal. So one of this process stands for that of the tests, which tells when it is aborted.
  signal(keep) {
    const made = new AbortController();
    this.aborts.set(keep(made.signal), made);
    if (this.ask(undefined, "get", made.signal, "aborted"))
      made.abort(this.ask(undefined, "get", made.signal, "reason"));
    return made.signal;
  }

  // A stand-in for an object of the tests. It asks for what the table lists.
  proxy({ kind, about }, keep) {
    if (about.lent === "library" && about.base === "AbortSignal") return this.signal(keep);
    const target = targetOf(kind, about, () => "[object of the tests]");
    const of = about.of === undefined ? undefined : this.object(about.of).prototype;
    const from = BASES.get(about.base) ?? (typeof target === "function" ? Function.prototype : null);
    let top = of;
    while (top && Object.getPrototypeOf(top)) top = Object.getPrototypeOf(top);
    if (from && typeof target !== "function" && top && !BASE_NAMES.has(top)) Object.setPrototypeOf(top, from);
    if (kind !== "array") Object.setPrototypeOf(target, typeof target === "function" ? from : (of ?? from));
    const removed = new Set();
    const ask = (...request) => this.ask(undefined, ...request);
    // The length of an array is its target's, too.
    const isOwn = (key) => Object.hasOwn(target, key) && !(kind === "array" && key === "length");
    const isAsked = (what, key) => !isOwn(key) && !removed.has(key) && permits(what, about.lent, key);
    const keysOf = () => (permits("keys", about.lent) ? ask("keys", self).filter((key) => !removed.has(key)) : []);
    const self = new Proxy(target, {
      get(_, key, receiver) {
        const found = isAsked("get", key) ? ask("get", self, key) : undefined;
        return found === undefined ? Reflect.get(target, key, receiver) : found;
      },
      has: (_, key) => Reflect.has(target, key) || (isAsked("has", key) && ask("has", self, key)),
      set: (_, key, value, receiver) => Boolean(define(receiver === self ? target : receiver, key, value)),
      deleteProperty: (_, key) => Boolean(removed.add(key)) && Reflect.deleteProperty(target, key),
      ownKeys: () => [...new Set([...Reflect.ownKeys(target), ...keysOf()])],
      getOwnPropertyDescriptor(_, key) {
        if (Object.hasOwn(target, key) || !isText(key) || !keysOf().includes(key))
          return Reflect.getOwnPropertyDescriptor(target, key);
        return { value: ask("get", self, key), enumerable: true, writable: true, configurable: true };
      },
      apply: (_, that, args) => ask("call", self, this.numbers.has(that) ? that : undefined, ...args),
      construct: (_, args, made) => {
        if (made === self) return ask("call", self, NEW, ...args);
        throw new TypeError(`${LIMIT}a class of the submission cannot extend one of the tests`);
      },
    });
    // What is an object of one of the tests' classes says so.
    if (kind === "class")
      define(target, "prototype", Object.create(of ?? null, { constructor: { value: self } }), false);
    return keep(self);
  }
}
