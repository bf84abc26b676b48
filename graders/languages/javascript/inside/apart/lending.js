// What the candidate may do to the objects that it was given: it calls functions, and reads public attributes that files
// of the case define.

// What tests replace in both processes.
const REPLACED = [
  ..."log info warn error debug table dir".split(" ").map((key) => `console.${key}`),
  ..."Math.random Date Date.now performance.now fetch setTimeout clearTimeout setInterval clearInterval".split(" "),
  ..."setImmediate clearImmediate".split(" "),
  ..."setTimeout clearTimeout setInterval clearInterval setImmediate".split(" ").map((key) => `node:timers#${key}`),
  ..."setTimeout setInterval setImmediate".split(" ").map((key) => `node:timers/promises#${key}`),
];
// The same of the time that Bun's `setSystemTime` sets, which leaves these functions as they are.
const CLOCK = {
  Date: function () {
    return new Date();
  },
  "Date.now": () => Date.now(),
};
// An assertion, also by a name of `node:assert` alone.
const ASSERTING = /\b(assert|expect)\b|\b(\w+E|e)qual\(|\b(throws|rejects)\(|(?<!\.)\bok\(/;
// The requests, and how many values may follow the subject.
const MOST_VALUES = { __proto__: null, call: Infinity, get: 1, has: 1, keys: 0, settle: 2 };

class Lending extends Callbacks {
  // What was lent: kinds and places of objects, by their numbers.
  lent = new Map();
  methods = new WeakMap();
  bound = new WeakSet();
  // Whether what is built in may have been changed since it was kept.
  isDirty = false;
  before = REPLACED.map(inLibrary);
  plain = [...this.before];
  builtins = new Set();
  names = undefined;
  sources = new Sources((text) => this.said.includes(text));
  // The tests are about to make an assertion of this name: while the submission is served, it has led to it.
  asserts = (name) => void (this.serving && this.answers.asserted.add(name));

  check(what, subject, ...values) {
    must(Array.isArray(subject) && subject[0] === "o" && subject.length === 2, "it names no object");
    const [key] = values;
    const named = Array.isArray(key) && key[0] === "k" ? CONSTANTS.get(key[1]) : key;
    must(permits(what, this.lentUnder(subject[1]).kind, named), "it may not be asked");
    must(values.length <= (MOST_VALUES[what] ?? -1), "it is not a request");
  }

  // What is known of a lent object; a promise of the candidate's own is lent while it is open.
  lentUnder(number) {
    const waiting = this.unsettled.get(this.theirs.get(number));
    return waiting ? { kind: "promise", at: waiting.at } : (this.lent.get(number) ?? {});
  }

  placeOf([, number]) {
    return this.lentUnder(number).at;
  }

  perform(what, subject, ...rest) {
    if (what === "settle") return void this.settled(subject, ...rest);
    // What functions of the tests do may be what changes an object, but not while it is converted.
    if (this.isOpen && !this.isConverting) this.seen.clear();
    if (!this.isDirty) INTRINSICS.keep();
    this.isDirty = true;
    const { at, asserting } = this.lent.get(this.numbers.get(subject));
    const place = at && new Place(at.paths);
    this.serving += 1;
    try {
      const found = this.done(what, subject, ...rest);
      this.lentAt = what === "call" ? place?.step("()") : place;
      if (asserting && what === "call") {
        // A call counts when it has come to its end.
        const count = () => this.answers.asserted.add(asserting);
        if (util.types.isPromise(found)) found.then(count, () => {});
        else count();
      }
      return found;
    } catch (error) {
      this.lentAt = place;
      this.failNow(error, at);
      throw error;
    } finally {
      this.serving -= 1;
    }
  }

  done(what, subject, ...rest) {
    if (what === "call") return called(subject, ...rest);
    if (what === "keys") return Object.keys(subject).filter((name) => permits("get", "object", name));
    const [key] = rest;
    const { isLibrary, place } = this.owner(subject, key);
    const isThere = place && (!isLibrary || LISTED.has(isText(key) ? key : CONSTANT_NAMES.get(key)));
    if (place && !isThere && what === "get") this.limit(`\`${wordOf(key)}\` of an object of the library`);
    if (what === "has") return Boolean(isThere);
    const found = isThere ? Reflect.get(subject, key) : undefined;
    return isLibrary && typeof found === "function" ? this.methodOf(subject, found) : found;
  }

  // A method of the library's is called here: the candidate's own of that name would look into its stand-in.
  methodOf(subject, found) {
    const all = this.methods.get(subject) ?? new Map();
    this.methods.set(subject, all);
    if (!all.has(found)) all.set(found, found.bind(subject));
    this.bound.add(all.get(found));
    return all.get(found);
  }

  // Where an attribute of an object lies, and whether that is a class of the library.
  owner(subject, key) {
    for (let place = subject; place; place = Object.getPrototypeOf(place)) {
      if (Object.hasOwn(place, key)) return { place, isLibrary: place !== subject && this.isPlaceOfLibrary(place) };
      if (place === Function.prototype || place === Object.prototype) break;
    }
    return {};
  }

  // Functions, classes and objects of the library, with the names by which the candidate finds its own.
  get library() {
    return (this.names ??= namesOfLibrary(this.plain, this.builtins));
  }

  isPlaceOfLibrary(place) {
    return this.library.has(place) || this.sources.isPlaceOfLibrary(place);
  }

  // What is the library's and has no name stays here, whatever function of the tests finds it.
  nameOf(value, tag) {
    if (tag && (tag !== "r" || !Object.values(value).some((part) => typeof part === "function"))) return undefined;
    if (isError(value) || util.types.isPromise(value)) return undefined;
    const name = this.library.get(value) ?? (this.sources.isClosed(value) ? "" : undefined);
    if (name === "") throw this.limit("functions and prototypes of the library that have no name are not passed");
    return name;
  }

  about(value, kind) {
    const isFunction = kind === "class" || kind === "function";
    if (value instanceof AbortSignal)
      value.addEventListener("abort", () => this.isLost || this.ask(undefined, "abort", value, value.reason));
    const prototype = isFunction ? null : Object.getPrototypeOf(value);
    const isLibrary = prototype && prototype !== Object.prototype && this.isPlaceOfLibrary(prototype);
    const text = isFunction ? Function.prototype.toString.call(value) : "";
    const isClass = /^class\b/.test(text);
    const lent = isLibrary ? "library" : isClass ? "class" : isFunction ? "function" : "object";
    const at = this.bound.has(value) ? new OfLibrary(this.lentAt?.paths ?? []) : this.lentAt;
    const asserting = at && ASSERTING.test(text) && `${value.name}#${text.length}`;
    this.lent.set(this.last, { kind: lent, at, asserting });
    const of = this.lentClassOf(isClass ? Object.getPrototypeOf(value.prototype ?? {}) : prototype);
    return { prototype: null, about: { lent, base: BASE_NAMES.get(baseOf(prototype)) ?? "", ...of } };
  }

  // The first class of an object, from a prototype on, that was lent, too.
  lentClassOf(place) {
    for (; place && !BASE_NAMES.has(place); place = Object.getPrototypeOf(place)) {
      const of = this.numbers.get(descriptorOf(place, "constructor")?.value);
      if (this.lent.has(of)) return { of };
    }
    return {};
  }
}
