// The grader's stand-ins for objects of the candidate's: what is done to one is asked there, as far as the contract
// says that it was asked of the reference. An object that arrives where the reference gave data is opaque: it is
// replaced by its data, or can be read once. Without a contract, only objects of classes that the tests name are given
// values of the tests.

// What the runtime and assertions look for in any object: there is none where it is not to be asked.
const PROBES = new Set(
  "then toJSON constructor listener asymmetricMatch inspect nodeType $$typeof @@__IMMUTABLE_ITERABLE__@@".split(" "),
);
// The getters of a DOMException are for one alone.
const baseOfError = (name) => (name !== "DOMException" && BASES.get(name)) || Error.prototype;
const OTHER_ITERATOR = new Map([
  [Symbol.iterator, Symbol.asyncIterator],
  [Symbol.asyncIterator, Symbol.iterator],
]);
const AWAITING = new Set(["then", "catch", "finally"]);
const chosen = (key) => [asked("get", key), asked("method", key), ...(isText(key) ? ["operator keys"] : [])];

// How many objects within each other are replaced by their data.
const DEEPEST_DATA = 4;

class StandIns extends Constants {
  // How objects arrive

  proxy(facts, keep, at) {
    must(facts.prototype === null || this.facts.has(facts.prototype), "it is of no class");
    facts.self = keep(this.made(facts));
    if (facts.prototype) this.facts.get(facts.prototype).isPrototype = true;
    this.facts.set(facts.self, facts);
    return this.arrived(facts, at);
  }

  made(facts) {
    facts.target = targetOf(facts.kind, facts.about, () => this.shown(facts));
    const traps = { ...this.readTraps(facts), ...this.changeTraps(facts), ...this.callTraps(facts) };
    return new Proxy(facts.target, traps);
  }

  // The data of an object, or what can be read once in its place.
  replaced(facts, at) {
    const isData = this.contract.isKnown && this.contract.has(at, "data") && this.replacing.length < DEEPEST_DATA;
    const isFirst = !this.replacing.length && (facts.kind === "object" || facts.kind === "array");
    if ((isFirst || isData) && !this.replacing.includes(facts)) {
      this.replacing.push(facts);
      try {
        const data = this.ask(at, "data", facts.self);
        if (data !== facts.opaque && data !== undefined) return this.copyOf(facts, this.withGetters(data, facts, at));
      } finally {
        this.replacing.pop();
      }
    }
    // The contract has no word there, so nothing is asked of it.
    return (facts.opaque ??= this.other({ ...facts, at, isOpaque: true }));
  }

  // The same data of one object is one copy, which stands for the object where tests pass it back.
  copyOf(facts, data) {
    const tag = isObject(data) ? tagOf(data) : "";
    if (!tag) return data;
    this.release(data);
    const parts = partsOf(data, tag);
    const isKnown = facts.data && tagOf(facts.data) === tag && isSame(this.copies.get(facts.data).parts, parts);
    if (isKnown && isSame(partsOf(facts.data, tag), parts)) return facts.data;
    this.copies.set(data, { number: facts.number, parts });
    return (facts.data = data);
  }

  calledBack(facts, at) {
    return (facts.callback ??= this.other({ ...facts, at, isCallback: true }));
  }

  // What stands for an object besides.
  other(facts) {
    const made = this.made(facts);
    this.numbers.set(made, facts.number);
    return made;
  }

  // The getters of its classes that the reference has as values, beside its own fields.
  withGetters(data, facts, at) {
    if (!this.contract.isKnown || tagOf(Object(data)) !== "r") return data;
    const found = this.ask(at, "getters", facts.self);
    must(tagOf(Object(found)) === "r", "these are not getters");
    for (const part of [found, data]) this.release(part);
    for (const [key, value] of Object.entries(found))
      if (!Object.hasOwn(data, key) && this.contract.has(at.member(key), "data")) define(data, key, value);
    return data;
  }

  shown({ self }) {
    try {
      return String(this.ask(undefined, "show", self));
    } catch {
      return "[object of the submission]";
    }
  }

  // Reading

  readTraps(facts) {
    const { kind, about, target } = facts;
    const isFunction = typeof target === "function";
    const isClosed = () => !Reflect.isExtensible(target);
    return {
      get: (_, key, receiver) => {
        if (isClosed() && descriptorOf(target, key)?.configurable === false) return target[key];
        if (isFunction) {
          if (["call", "apply", Symbol.hasInstance].includes(key)) return Function.prototype[key];
          // Node's own would look for properties.
          if (key === "bind")
            return (that, ...first) =>
              (...args) =>
                this.call(facts, that, [...first, ...args]);
          if (["name", "length"].includes(key) && Object.hasOwn(about, key)) return this.answers.said(about[key]);
        }
        // The library looks for marks of its own.
        if (facts.isCallback) return Function.prototype[key];
        if (facts.isOpaque && key === Symbol.iterator)
          return () => (facts.items ??= this.ask(facts.at, "items", facts.self))[Symbol.iterator]();
        return this.get(facts, key, receiver !== facts.self && this.isTheirs(receiver) ? [receiver] : []);
      },
      has: (_, key) => {
        if (this.isOpen ? !this.isNamed(facts.self) : !this.contract.has(facts.at, "operator in"))
          throw this.refusal(facts, "in");
        this.contract.note(facts.at, "operator in");
        const found = Boolean(this.ask(undefined, "has", facts.self, key));
        return this.steady(facts.at, facts.self, `in ${wordOf(key)}`, found);
      },
      ownKeys: () => this.listed(facts, isClosed() ? Reflect.ownKeys(target) : [...this.fields(facts).keys()]),
      getOwnPropertyDescriptor: (_, key) => {
        if (isClosed()) return descriptorOf(target, key);
        const found = this.fields(facts).get(key);
        const isLength = kind === "array" && key === "length";
        if (isLength) return { ...found, writable: true, enumerable: false, configurable: false };
        return found && { ...found, configurable: true };
      },
      getPrototypeOf: () => this.prototypeOf(facts),
      isExtensible: () => {
        if (!isClosed() && !facts.isOpaque && !this.fields(facts, true).isExtensible) this.close(facts);
        return !isClosed();
      },
    };
  }

  prototypeOf({ prototype, about, target, isOpaque }) {
    if (isOpaque) return null;
    return prototype ?? BASES.get(about.base) ?? (typeof target === "function" ? Function.prototype : null);
  }

  get(facts, key, receiver) {
    const { at, self } = facts;
    const isAwaited = AWAITING.has(key) && this.contract.has(at?.step("@"), ...ARRIVALS);
    const place = at && this.placeOfMember(at, key);
    if (!isAwaited && !this.contract.has(at, ...chosen(key), ...chosen(OTHER_ITERATOR.get(key) ?? key))) {
      if (this.isWritten(facts) && this.fields(facts).has(key)) return this.fields(facts).get(key).value;
      if (facts.isOfError) return Reflect.get(baseOfError(facts.about.base), key);
      if (!isText(key) || PROBES.has(key)) return undefined;
      throw this.refusal(facts, `.${key}`);
    }
    const pin = receiver.length ? undefined : facts.pins?.get(key);
    const ask = () => (pin ? this.recall(pin, place, facts, key) : this.ask(place, "get", self, key, ...receiver));
    const value = CONVERSIONS.has(key) ? this.merely(ask, true) : ask();
    this.steady(at, receiver[0] ?? self, key, value);
    const found = this.facts.get(value);
    if (CONVERSIONS.has(key)) this.arrivedMember(key, value);
    else if (found) found.isMethod = true;
    if (found) Object.assign(found, { owner: self, readAs: key });
    // All objects of a class share a method, so the paths of one are not those of another.
    if (found && at) (found.readAt ??= new WeakMap()).set(self, place);
    this.contract.note(at, asked(typeof value === "function" ? "method" : "get", key));
    if (value === undefined) this.contract.note(place, "undefined");
    this.watch(facts, place, key, value);
    if (typeof value !== "function" || !at) return value;
    // A reference without it is written by its fields.
    if (key === "toJSON" && !found) return () => this.written(place.step("()"), receiver[0] ?? self);
    return key === "then" || (isAwaited && this.contract.isKnown) ? this.awaiting(facts, key, value) : value;
  }

  // An iterator of one kind may take the place of one of the other.
  placeOfMember(at, key) {
    const other = OTHER_ITERATOR.get(key);
    const isOther = other && this.contract.isKnown && !this.contract.has(at.member(key), "call");
    return at.member(isOther ? other : key);
  }

  // Whether JSON takes its fields, since it lacks the method that the reference has for that.
  isWritten({ at, self }) {
    const seen = this.seenOf(self);
    return this.contract.isKnown && this.contract.has(at, "method toJSON") && seen.has("toJSON") && !seen.get("toJSON");
  }

  // What can be awaited is a promise of the candidate's, unless its `then` is for something else.
  awaiting({ at, self }, key, method) {
    return (...args) => {
      if (args.length && !args.some((value) => typeof value === "function")) return Reflect.apply(method, self, args);
      const promise = this.ask(at, "promise", self);
      must(util.types.isPromise(promise), "it is not a promise");
      return promise[key](...args);
    };
  }

  // All that an object has of its own, asked for at once: what a test looks for is not told.
  fields(facts, isOpen = false) {
    const mayBe =
      isOpen ||
      (facts.isPrototype && !facts.at) ||
      this.isWritten(facts) ||
      this.contract.has(facts.at, "operator keys");
    if (!mayBe) throw this.refusal(facts, "Object.keys()");
    if (!isOpen) this.contract.note(facts.at, "operator keys");
    const seen = this.seenOf(facts.self);
    if (seen.has(FIELDS)) return seen.get(FIELDS);
    const found = this.ask(facts.at?.step("="), "fields", facts.self);
    const [isExtensible, values, keys] = found;
    must(tagOf(Object(values)) === "r", "these are not fields");
    const all = Object.assign(new Map(), { isExtensible });
    for (const [key, can, value, get, set] of keys)
      all.set(key, { ...can, ...("writable" in can ? { value: isText(key) ? values[key] : value } : { get, set }) });
    for (const part of [found, values, keys, ...keys, ...keys.map(([, can]) => can)]) this.release(part);
    seen.set(FIELDS, all);
    return all;
  }

  // What cannot be extended any more is the same here as there from now on.
  close(facts) {
    const { target } = facts;
    delete target[INSPECT];
    for (const [key, found] of this.fields(facts, true)) Reflect.defineProperty(target, key, found);
    Reflect.setPrototypeOf(target, this.prototypeOf(facts));
    Object.preventExtensions(target);
  }

  // Changing

  changeTraps(facts) {
    const change = (what, ...values) => {
      if (this.contract.isKnown && (!facts.at || facts.isOpaque)) throw this.refusal(facts, what);
      // An object that is set is lent there.
      const [key, value] = values;
      facts.pins?.delete(key);
      const at = isObject(value) ? facts.at?.member(key).step("<") : undefined;
      return this.ask(at, what, facts.self, ...values) === true;
    };
    return {
      set: (_, key, value, receiver) =>
        receiver === facts.self ? change("set", key, value) : Boolean(define(receiver, key, value)),
      deleteProperty: (_, key) => change("deleteProperty", key),
      defineProperty: (_, key, found) => change("defineProperty", key, { ...found, configurable: true }),
      setPrototypeOf: (_, prototype) => change("setPrototypeOf", prototype),
      preventExtensions: () => {
        change("preventExtensions");
        this.close(facts);
        return true;
      },
    };
  }

  // Calling

  callTraps(facts) {
    if (typeof facts.target !== "function") return {};
    return {
      apply: (_, that, args) => this.call(facts, that, args),
      construct: (_, args, made) => {
        if (made !== facts.self) throw this.limit("a class of the tests cannot extend one of the submission");
        return Object(this.call(facts, NEW, args));
      },
    };
  }

  call(facts, that, args) {
    const { at, member, self } = facts;
    const from = !facts.isOpaque && isObject(that) ? (facts.readAt?.get(that) ?? at) : at;
    const isThere = this.contract.isKnown && this.contract.has(from, "call");
    // JSON passes a name: it is written there, since parts may have such a method as well.
    const isJson = isText(args[0]) && this.numbers.has(that) && (member ?? facts.readAs) === "toJSON";
    if (!isThere && !facts.isCallback && !isJson && !this.mayCall(facts, that, args))
      throw this.refusal(facts, member ? `.${wordOf(member)}()` : "A call");
    this.contract.note(at, "call");
    this.contract.note(from, "call");
    const known = that === NEW || this.numbers.has(that) ? that : undefined;
    const place = from && this.placeOfResult(from, this.facts.get(that));
    if (isJson) return this.written(place, that);
    const ask = () =>
      this.judged([this.facts.has(known) && known, ...args], this.ask(place, "call", self, known, ...args));
    if (!CONVERSIONS.has(member))
      return args.some((value) => value !== undefined) ? ask() : this.given(facts, that, ask);
    return this.steady(from, Object(that), `${wordOf(member)} ${args.map(String)}`, this.merely(ask, true));
  }

  // What an iterator returns has an item as its value.
  placeOfResult(at, iterator) {
    const place = at.step("()");
    if (!iterator || !at.paths.every(({ steps }) => steps.at(-1) === ".next")) return place;
    iterator.taken = (iterator.taken ?? -1) + 1;
    const { taken } = iterator;
    return new Turn(place, (found) => this.contract.item(found, taken));
  }
}
