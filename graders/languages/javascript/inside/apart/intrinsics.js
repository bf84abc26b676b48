// What is built in: the objects of the language, which a submission must not change by what it passes to a function of
// the tests, and the names of functions, classes and objects of the library.

const GLOBALS = Reflect.ownKeys(globalThis).filter(isText);

class Intrinsics {
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
        const [now, was] = [Object.getOwnPropertyDescriptor(object, key), own[key]];
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
  const names = new WeakMap([...INTRINSICS.objects].map((object) => [object, ""]));
  names.set(globalThis, "globalThis");
  const replaced = new Set(REPLACED.map(inLibrary).filter((value) => !plain.includes(value)));
  const add = (value, name, depth) => {
    if (!isObject(value) || util.types.isProxy(value) || names.get(value) || replaced.has(value)) return;
    names.set(value, name);
    for (const key of depth ? Reflect.ownKeys(value) : []) {
      if (typeof key !== "string" || key === "constructor") continue;
      const found = Object.getOwnPropertyDescriptor(value, key).value;
      if (isObject(found)) add(found, name.endsWith("#") ? name + key : `${name}.${key}`, depth - 1);
    }
  };
  for (const [i, name] of REPLACED.entries()) add(plain[i], name, 1);
  for (const key of ["console", "Math", "Date", "performance", ...GLOBALS]) {
    add(Object.getOwnPropertyDescriptor(globalThis, key)?.value, key, 3);
  }
  for (const name of ["stdout", "stderr", "stdin"]) add(process[name], `process.${name}`, 0);
  const { moduleLoadList: ofNode } = /** @type {any} */ (process);
  const loaded = ofNode?.map((name) => name.split("NativeModule ")[1] ?? "") ?? builtins;
  for (const name of loaded) if (Module.isBuiltin(name)) add(createRequire("/")(name), `${name}#`, 3);
  return names;
}
