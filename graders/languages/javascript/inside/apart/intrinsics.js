// What is built in: the objects of the language, which a submission must not change by what it passes to a function of
// the tests, and the names of functions, classes and objects of the library.

const GLOBALS = Reflect.ownKeys(globalThis).filter(isText);

// What makes code of a text: the constructors of functions, `eval`, and functions of node:vm. The candidate's text is no
// code here, so the text has to be one of the case's, unless a package of the image makes it while nobody is served.
class Code {
  guarded = [];
  plain = [];
  /** @returns {any} */ mayMake = (_texts, _caller) => {};

  constructor() {
    const check = (texts) => this.mayMake(texts.map(String), new Error().stack.split("\n").slice(3)[0] ?? "");
    const guard = (plain) => {
      const made = {
        [plain.name]: function (...texts) {
          check(texts);
          return Reflect.construct(plain, texts, new.target && new.target !== made ? new.target : plain);
        },
      }[plain.name];
      Object.defineProperties(made, Object.getOwnPropertyDescriptors(plain));
      this.guarded.push(made);
      this.plain.push(plain);
      return made;
    };
    const prototypes = [() => {}, function* () {}, async () => {}, async function* () {}].map(Object.getPrototypeOf);
    for (const prototype of prototypes) {
      const found = descriptorOf(prototype, "constructor");
      const value = guard(found.value);
      Object.defineProperty(prototype, "constructor", { ...found, value });
      if (prototype !== Function.prototype)
        for (const each of [value, found.value]) Object.setPrototypeOf(each, this.guarded[0]);
    }
    globalThis.Function = this.guarded[0];
    const run = globalThis.eval;
    this.plain.push(run);
    globalThis.eval = function (text) {
      if (isText(text)) check([text]);
      return run(text);
    };
    for (const name of ["runInThisContext", "runInNewContext", "runInContext", "compileFunction"]) {
      const plain = vm[name];
      vm[name] = {
        [name](text, ...rest) {
          check([text]);
          return Reflect.apply(plain, this, [text, ...rest]);
        },
      }[name];
    }
    vm.Script = class Script extends vm.Script {
      constructor(text, ...rest) {
        check([text]);
        super(text, ...rest);
      }
    };
  }

  // A function of ours.
  function(...texts) {
    return Reflect.construct(this.plain[0], texts);
  }
}
const CODE = new Code();

class Intrinsics {
  // All that is reachable from what is built in, which is never lent.
  all = new Set();

  constructor() {
    const named = ["Math", "JSON", "Reflect", "Proxy", "Intl", "Atomics", ...BASES.keys()];
    const made = [
      function* () {},
      async function* () {},
      async () => {},
      [][Symbol.iterator](),
      new Map().keys(),
      new Set().keys(),
      ""[Symbol.iterator](),
      "".matchAll(/a/g),
      Uint8Array,
    ];
    this.objects = new Set(BASES.values());
    for (const value of [...named.map((name) => globalThis[name]), ...made]) {
      for (let place = value; place; place = Object.getPrototypeOf(place)) {
        this.objects.add(place);
        if (place.prototype) this.objects.add(place.prototype);
      }
    }
    for (const object of [...this.objects, ...CODE.guarded, ...CODE.plain]) this.reach(object);
    // What was made here is nobody's but ours.
    for (const value of made) if (value !== Uint8Array) this.all.delete(value);
  }

  reach(object) {
    if (!isObject(object) || this.all.has(object) || object === globalThis) return;
    this.all.add(object);
    this.reach(Object.getPrototypeOf(object));
    for (const { value, get, set } of Object.values(Object.getOwnPropertyDescriptors(object)))
      for (const part of [value, get, set]) this.reach(part);
    for (const key of Object.getOwnPropertySymbols(object)) {
      const { value, get, set } = descriptorOf(object, key);
      for (const part of [value, get, set]) this.reach(part);
    }
  }

  // Keep what they are like now, unless that is known.
  keep() {
    if (this.kept && this.isIntact()) return;
    const like = (object) => ({ own: Object.getOwnPropertyDescriptors(object), from: Object.getPrototypeOf(object) });
    this.kept = new Map([...this.objects].map((object) => [object, like(object)]));
  }

  isIntact() {
    for (const [object, { own, from }] of this.kept) {
      const keys = Reflect.ownKeys(own);
      if (Object.getPrototypeOf(object) !== from || Reflect.ownKeys(object).length !== keys.length) return false;
      for (const key of keys) {
        const [now, was] = [descriptorOf(object, key), own[key]];
        if (!now || !Object.is(now.value, was.value) || now.get !== was.get || now.set !== was.set) return false;
      }
    }
    return true;
  }

  restore() {
    for (const [object, { own, from }] of this.kept) {
      for (const key of Reflect.ownKeys(object)) if (!Object.hasOwn(own, key)) Reflect.deleteProperty(object, key);
      for (const key of Reflect.ownKeys(own)) Reflect.defineProperty(object, key, own[key]);
      Reflect.setPrototypeOf(object, from);
    }
  }
}
const INTRINSICS = new Intrinsics();

// A name for every function, class and object of the library, such as `Math.max` or `node:fs#promises`. `plain` has
// those that tests replace, as they were; `builtins` the modules that they import, where the runtime does not say it.
function namesOfLibrary(plain, builtins) {
  const names = new WeakMap([...INTRINSICS.all].map((object) => [object, ""]));
  names.set(globalThis, "globalThis");
  const replaced = new Set(REPLACED.map(inLibrary).filter((value) => !plain.includes(value)));
  const add = (value, name, depth) => {
    if (!isObject(value) || util.types.isProxy(value) || names.get(value) || replaced.has(value)) return;
    names.set(value, name);
    for (const key of depth ? Reflect.ownKeys(value) : []) {
      if (typeof key !== "string" || key === "constructor" || (value === process && key === "_events")) continue;
      /** @type {any} */ const own = descriptorOf(value, key);
      const found = own.value ?? own.get?.value;
      if (isObject(found)) add(found, name.endsWith("#") ? name + key : `${name}.${key}`, depth - 1);
    }
  };
  for (const [i, name] of REPLACED.entries()) add(plain[i], name, 1);
  for (const key of ["console", "Math", "Date", "performance", ...GLOBALS]) {
    add(descriptorOf(globalThis, key)?.value, key, 3);
  }
  // In Node.js it is behind a getter.
  add(process, "process", 3);
  for (const name of ["stdout", "stderr", "stdin"]) add(process[name], `process.${name}`, 0);
  const { moduleLoadList: ofNode } = /** @type {any} */ (process);
  const loaded = ofNode?.map((name) => name.split("NativeModule ")[1] ?? "") ?? builtins;
  for (const name of loaded) if (Module.isBuiltin(name)) add(createRequire("/")(name), `${name}#`, 3);
  return names;
}

// Says whether a function is the library's, beside those that have names: the runtime shows no text of it, or one that is
// its own. What was bound, what settles a promise and mocks have no names in such a text.
class Sources {
  /** @type {string[] | undefined} */ found;

  constructor(isSaid) {
    this.isSaid = isSaid;
    this.known = new Map();
  }

  // The texts of Node's own modules.
  get texts() {
    return (this.found ??=
      attempt(() => Object.values(/** @type {any} */ (process).binding("natives")).filter(isText)) ?? []);
  }

  isOfLibrary(value) {
    if (typeof value !== "function" || util.types.isProxy(value)) return false;
    const text = Function.prototype.toString.call(value);
    if (Array.isArray(value.mock?.calls)) return false;
    if (/\{\s*\[native code\]\s*\}$/.test(text))
      return !text.startsWith("function (") && !String(value.name).startsWith("bound ");
    if (text.length < 40 || this.isSaid(text)) return false;
    if (!this.known.has(text))
      this.known.set(
        text,
        this.texts.some((each) => each.includes(text)),
      );
    return this.known.get(text);
  }

  // Functions with which Node's own listen to a stream are passed, but none of its classes.
  isClosed(value) {
    if (!this.isOfLibrary(value)) return false;
    const text = Function.prototype.toString.call(value);
    return /\[native code\]\s*\}$|^class\b/.test(text) || Reflect.ownKeys(value.prototype ?? {}).length > 1;
  }

  // Whether the library defined a prototype: its constructor, or else a method.
  isPlaceOfLibrary(place) {
    const all = Reflect.ownKeys(place).map((key) => descriptorOf(place, key));
    const made = descriptorOf(place, "constructor")?.value;
    if (typeof made === "function") return this.isOfLibrary(made);
    return all.some(({ value, get, set }) => [value, get, set].some((each) => this.isOfLibrary(each)));
  }
}
