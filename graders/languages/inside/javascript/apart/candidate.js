// The candidate's side: loads the submission's modules and does what the grader requests.
//
// Whatever code of the submission does to this process changes what it answers, and nothing else: all that is decided is
// decided in the other process.

class Candidate extends Peer {
  constructor(reading, writing) {
    super(-1, reading, writing);
    this.prototypes = new WeakMap();
    this.originals = new Map();
    this.finish = () => {};
  }

  lost() {
    process.reallyExit(0);
  }

  // Serve until the grader wants this process to run, or to load a module: then the loop of events goes on.
  serve() {
    for (;;) {
      const { value: [what, ...rest] } = this.receive();
      if (what === "run") {
        const end = () => {
          never(timer);
          this.finish = () => {};
          const busy = process.getActiveResourcesInfo?.() ?? ["?"];
          this.send(1, [busy.some((name) => name !== "TTYWrap" && name !== "PipeWrap")]);
          this.serve();
        };
        const timer = later(end, rest[0]);
        this.finish = () => {
          this.finish = () => {};
          never(timer);
          soon(end);
        };
        return;
      }
      if (what === "import") {
        this.load(...rest).then((found) => this.send(1, [found])).catch((error) => this.fail(error)).then(() => soon(() => this.serve()));
        return;
      }
      this.answer([what, ...rest]);
    }
  }

  async load(url) {
    const found = await import(url);
    return Reflect.ownKeys(found).filter((key) => typeof key === "string").map((key) => [key, found[key]]);
  }

  perform(what, subject, ...rest) {
    switch (what) {
      case "require":
        return createRequire(subject)(subject);
      case "get":
        return Reflect.get(subject, rest[0], rest.length > 1 ? rest[1] : subject);
      case "set":
        return Reflect.set(subject, ...rest);
      case "has":
        return rest[0] in subject;
      case "delete":
        return Reflect.deleteProperty(subject, rest[0]);
      case "keys":
        return Reflect.ownKeys(subject);
      case "describe": {
        const found = Reflect.getOwnPropertyDescriptor(subject, rest[0]);
        return found && [found.value, found.get, found.set, found.enumerable, found.writable, found.configurable];
      }
      case "define": {
        const [key, value, get, set, enumerable, writable] = rest;
        const common = { enumerable: Boolean(enumerable), configurable: true };
        return Reflect.defineProperty(subject, key, get || set ? { get, set, ...common } : { value, writable: Boolean(writable), ...common });
      }
      case "inherit":
        return Reflect.setPrototypeOf(subject, rest[0]);
      case "isExtensible":
        return Reflect.isExtensible(subject);
      case "close":
        return Reflect.preventExtensions(subject);
      case "apply":
        return Reflect.apply(subject, rest[0], rest.slice(1));
      case "new":
        return Reflect.construct(subject, rest);
      case "show":
        return util.inspect(subject).slice(0, 10_000);
      case "settle":
        this.settled(subject, ...rest);
        return undefined;
      case "around":
        if (process.cwd() !== subject) process.chdir(subject);
        for (const [name, value] of rest[0]) value === undefined ? delete process.env[name] : (process.env[name] = value);
        return undefined;
      case "replace":
        return this.replace(subject, ...rest);
      default:
        throw new TypeError(`${what} is no request`);
    }
  }

  // What the tests have put in place of a function of the library, such as console.log; the original with nothing.
  replace(owner, key, value) {
    const place = owner ? globalThis[owner] : globalThis;
    const name = `${owner}.${key}`;
    if (!this.originals.has(name)) this.originals.set(name, place[key]);
    place[key] = value ?? this.originals.get(name);
  }

  settle(...what) {
    super.settle(...what);
    this.finish();
  }

  errorParts(error) {
    const own = [];
    for (const key of Reflect.ownKeys(error)) {
      const { value, enumerable, get } = Object.getOwnPropertyDescriptor(error, key);
      if (key !== "stack" && key !== "message" && !get) own.push([key, value, enumerable]);
    }
    const prototype = Object.getPrototypeOf(error);
    return [kindOfError(error), String(error.message), Object.hasOwn(error, "message"), String(error.stack), prototype, own];
  }

  about(value, kind) {
    const prototype = Object.getPrototypeOf(value);
    return kind === "class" ? [prototype, value.prototype] : [prototype];
  }

  // An error of the tests.
  error(number, [kind, message, code]) {
    const made = new (common.get(kind) ?? Error)(message);
    if (code !== undefined) made.code = code;
    return made;
  }

  look() {}

  converting() {}

  shown() {
    return "[object of the tests]";
  }
}
