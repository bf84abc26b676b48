// What becomes of objects where they arrive in the grader's process, and whether they may be called there.

// What the runtime passes to a method that converts an object.
const HINTS = new Set(["number", "string", "default"]);
const KEPT_PARTS = 20_000;
// Of an error, these are not parts that it has besides.
const SAID = new Set(["message", "stack", "constructor"]);

class Arrivals extends Peer {
  // The objects whose data is asked for, within each other.
  replacing = [];

  /** @type {Answers} */ answers;

  constructor(contract) {
    super(1, -1, -1);
    // What is known of each stand-in; exports of modules; the text of the tests; containers that hold themselves.
    this.contract = contract;
    this.facts = new Map();
    this.exported = [];
    this.said = "";
    this.unread = [];
  }

  /** @returns {any} */ replaced(_facts, _at) {}
  /** @returns {any} */ calledBack(_facts, _at) {}
  /** @returns {any} */ spoil(_error) {}
  /** @returns {any} */ limit(_what) {}

  object(number, at) {
    const found = super.object(number);
    // A function of the tests could tell the text of a failure.
    if (this.isServed && isFailure(found)) return new Error("an assertion failed");
    const facts = this.facts.get(found);
    return facts ? this.arrived(facts, at) : found;
  }

  // What an object is where it arrives: itself, or what stands in for it where the reference gave data.
  arrived(facts, at) {
    if (!at) return facts.self;
    if (at instanceof OfLibrary && typeof facts.target === "function" && this.isForLibrary(at))
      return this.calledBack(facts, at);
    if (!this.contract.takes(at, Boolean(facts.at))) return this.replaced(facts, at);
    this.contract.note(at, facts.kind === "array" ? "object" : facts.kind);
    facts.at ??= new Place([]);
    if (this.contract.isRecording && facts.at.leadsTo(at)) return facts.self;
    const isAll = facts.at.add(this.contract.taken(at));
    // A method has the path of the object from which it is read besides.
    return isAll || this.contract.isRecording || typeof facts.target === "function"
      ? facts.self
      : this.replaced(facts, at);
  }

  // Whether the library alone calls a function that is passed to it there, unlike the reference's.
  isForLibrary(at) {
    const { contract } = this;
    return !this.isRecording && !(contract.isKnown && contract.takes(at, false) && contract.has(at, "call"));
  }

  get isRecording() {
    return this.contract.isRecording;
  }

  placeIn(at, key, isMember) {
    return isMember ? at.member(key) : this.contract.item(at, key);
  }

  // Where the reference's expression has no state, tests use it without one.
  arrivedValue(value, at) {
    if (!util.types.isRegExp(value) || !/[gy]/.test(value.flags)) return value;
    this.contract.note(at, "operator lastIndex");
    return this.contract.has(at, "operator lastIndex") ? value : new RegExp(value, value.flags.replace(/[gy]/g, ""));
  }

  // What has no tag of an object, an error or a symbol is data; `undefined` is nothing.
  arrivedTree(tree, at) {
    const isData = !Array.isArray(tree) || !("oxey".includes(tree[0]) || tree[1] === "undefined");
    if (isData) this.contract.note(at, "data");
  }

  // A container that was sent before: what is in it arrives here, too.
  again(entry, at) {
    const place = new Place(entry.at?.paths ?? []);
    if (at) place.add(at.paths);
    if (!at || place.paths.length === entry.at?.paths.length) return entry.value;
    entry.at = place;
    // It is being read, and holds itself.
    if (!entry.before) this.unread.push([entry.value, at]);
    return this.fitting(entry.value, at);
  }

  parse(bytes) {
    const outer = this.unread;
    this.unread = [];
    try {
      const found = super.parse(bytes);
      for (const [value, at] of this.unread)
        must(this.fitting(value, at) === value, "it holds itself where it may not");
      return found;
    } finally {
      this.unread = outer;
    }
  }

  // A container if all that is in it may arrive here, otherwise a copy with what stands for that which may not.
  fitting(value, at) {
    const made = Object.assign(new Map(), { isOther: false });
    const found = this.copied(value, at, made);
    return made.isOther ? found : value;
  }

  copied(value, at, made) {
    if (this.facts.has(value)) {
      const found = this.arrived(this.facts.get(value), at);
      made.isOther ||= found !== value;
      return found;
    }
    const tag = isObject(value) ? tagOf(value) : "";
    if (tag === "" || !"lrds".includes(tag) || made.has(value)) return made.get(value) ?? value;
    const parts = partsOf(value, tag);
    if (!this.isRecording && !parts.some(isObject)) return value;
    made.set(value, EMPTY[tag](parts[0]));
    const now = this.placesIn(tag, parts, at).map(([part, place, isKey]) => {
      if (!isKey && !this.facts.has(part)) this.contract.note(place, "data");
      return this.copied(part, place, made);
    });
    now.unshift(parts[0]);
    const before = [...now];
    this.arrivedKeys(tag, now, at);
    made.isOther ||= now.some((part, i) => !Object.is(part, before[i]));
    fill(made.get(value), tag, now);
    return made.get(value);
  }

  placesIn(tag, [, ...parts], at) {
    const keyOf = keysIn(tag);
    return parts.map((part, i) => {
      const { key, isKey, isMember } = keyOf(parts[i - 1]);
      if (isMember) this.arrivedMember(key, part);
      return [part, this.placeIn(at, key, isMember), isKey];
    });
  }

  // A function that is a part of a copy is asked as the method of that name is, whatever other names it has.
  arrivedMember(key, value) {
    const facts = this.facts.get(value);
    if (typeof value !== "function" || !facts) return;
    if (!CONVERSIONS.has(key)) facts.isMethod = true;
    if (!CONVERSIONS.has(facts.member)) facts.member = key;
  }

  // A record, or a list with keys, that has functions is used as an object is. Where the reference gave data alone, the
  // functions are opaque.
  arrivedKeys(tag, parts, at) {
    if (tag === "l" && parts.includes(HOLE)) {
      this.contract.note(at, "hole");
      // Loops skip holes, so where the reference has none, there are items.
      if (!this.contract.has(at, "hole")) parts.forEach((part, i) => (parts[i] = part === HOLE ? undefined : part));
    }
    const start = tag === "r" ? 0 : tag === "l" ? parts.indexOf(KEYS) : -1;
    if (!at || start < 0 || !parts.slice(start).some((part) => this.facts.has(part))) return;
    const isObjectHere = this.contract.takes(at, false);
    const entries = parts.slice(start + 1).flatMap((key, i, all) => (i % 2 ? [] : [[key, all[i + 1]]]));
    // A candidate of ours keeps it. What is exported, or all that an object has, is a record in any case.
    const isOwn = at.paths.every(({ steps }) => steps.length > 1 && !steps.includes("="));
    if (this.contract.isKnown && isObjectHere && isOwn && !this.replacing.length && isSized(tag, entries))
      throw this.spoil(this.limit("an object got its methods or its size after it was passed"));
    for (const word of ["object", "operator in", "operator keys"]) this.contract.note(at, word);
    for (let i = start + 2; i < parts.length; i += 2) {
      const isMethod = typeof parts[i] === "function" && this.facts.has(parts[i]);
      this.contract.note(at, asked(isMethod ? "method" : "get", parts[i - 1]));
      if (isMethod && !isObjectHere) parts[i] = this.replaced(this.facts.get(parts[i]), at);
    }
  }

  blankError({ base }) {
    must(ERRORS.includes(base), "it is not an error");
    return base === "AggregateError" ? new AggregateError([]) : new globalThis[base]();
  }

  // What it says is text, whatever it has besides.
  fillError(made, prototype, [message, stack, ...own], { hidden }, at) {
    const isError = (message === undefined || isText(message)) && isText(stack) && isTexts(hidden);
    must(isError && own.length % 2 === 0, "it is not an error");
    if (message !== undefined) define(made, "message", message, false);
    define(made, "stack", TOLD.exact ? untraced(stack) : stack, false);
    const unseen = TOLD.exact ? placesOfBun(stack, own) : [];
    for (const key of ["message", "stack"]) this.answers.watch(made, key);
    for (let i = 0; i < own.length; i += 2) {
      const [key, value] = own.slice(i, i + 2);
      must(isText(key) || typeof key === "symbol", "it is not an error");
      must(!SAID.has(key) && (key !== "name" || isText(value)), "an error says what is not text");
      if (key !== "__proto__")
        define(made, key, unseen.includes(key) ? undefined : value, !hidden.includes(String(key)));
      this.answers.watch(made, key);
    }
    if (prototype !== null) {
      const facts = this.facts.get(prototype);
      must(facts, "it is of no class");
      facts.isOfError = true;
      if (at) (facts.at ??= new Place([])).add(at.step(".constructor").paths);
      Object.setPrototypeOf(made, prototype);
    }
    return made;
  }

  // Forget the largest containers, as soon as all have many parts.
  tidy() {
    const all = [...this.shared.values()];
    let count = all.reduce((sum, { before }) => sum + before.length + 1, 0);
    if (count <= KEPT_PARTS) return;
    for (const { value, before } of all.sort((a, b) => b.before.length - a.before.length)) {
      if (count <= KEPT_PARTS) return;
      if (before.some((part) => typeof part === "function")) continue;
      count -= before.length + 1;
      this.release(value);
    }
  }

  // What nothing but the submission compares

  // What the submission says of several objects of its own, it may say of any.
  judged(about, found) {
    if (this.theirsIn(about).size < 2) return found;
    if (/^(bool|num|big)/.test(typeof found)) this.answers.judged.add(about).add(found);
    const waiting = this.unsettled.get(found);
    if (waiting) {
      const { resolve } = waiting;
      waiting.resolve = (value) => resolve(this.judged(about, value));
    }
    return found;
  }

  theirsIn(value, found = new Set(), depth = 4) {
    const tag = depth && isObject(value) && tagOf(value);
    if (this.facts.has(value)) found.add(value);
    else if (tag) for (const part of partsOf(value, tag)) this.theirsIn(part, found, depth - 1);
    return found;
  }

  // What has no data may equal anything.
  listed({ self }, keys) {
    if (!keys.length) this.answers.judged.add(self);
    return keys;
  }

  // What may be asked

  refusal({ at }, what) {
    const why = this.isOpen ? "the tests do not name its class" : "the reference gave no such object";
    // A test that expects an exception would take this for it.
    return this.spoil(new TypeError(`${what} is not asked of ${at ? `what came as ${at}` : "this object"}: ${why}`));
  }

  get isOpen() {
    return !this.contract.isKnown && !this.contract.isRecording;
  }

  mayCall({ at, owner, member, isMethod }, that, args) {
    // What the reference lacked tells nothing of the tests if it is called without a value: `close?.()`, and the end of
    // an iterator.
    const isOptional = this.contract.isKnown && that !== NEW && args.every((value) => value === undefined);
    if (!this.isOpen) return this.contract.has(at, "call", ...(isOptional ? ["undefined"] : []));
    const isHint = CONVERSIONS.has(member) && !isMethod && args.length === 1 && HINTS.has(args[0]);
    if (isHint || that === NEW || args.every((value) => value === undefined)) return true;
    // What is exported may come as a method of a record as well, which is copied, here or by a test.
    const isExport = util.types.isModuleNamespaceObject(that) || this.exported.some(([, value]) => value === that);
    const isOfCopy = isMethod && isObject(that) && !isExport;
    const subject = isObject(that) ? that : owner;
    return this.facts.has(subject) ? this.isNamed(subject) : !isOfCopy && member === undefined;
  }

  // Whether the tests make or know an object by the name of a class that a module exports; or whether it is the class.
  isNamed(subject) {
    const chain = [];
    for (let place = subject; place; place = this.facts.get(place)?.prototype) chain.push(place);
    return this.exported.some(([name, value, specifier]) => {
      const facts = this.facts.get(value);
      if (facts?.kind !== "class" || !this.says(name, specifier)) return false;
      facts.ofInstances ??= this.ask(undefined, "get", value, "prototype");
      return chain.includes(value) || chain.includes(facts.ofInstances);
    });
  }

  // Whether the tests use an export as a class, by its name or the one that they give it.
  says(name, specifier) {
    const [own, from] = [name, specifier].map((text) => text.replace(/\W/g, "\\$&"));
    const renamed = [`\\b${own}\\s*(?:\\bas\\b|:)\\s*(\\w+)`];
    if (name === "default")
      renamed.push(`\\bimport\\s+(\\w+)\\b[^;"']*["']${from}["']`, `\\b(\\w+)\\s*=[^=;"']*["']${from}["']`);
    const found = renamed.flatMap((pattern) => [...this.said.matchAll(new RegExp(pattern, "g"))]);
    return [own, ...found.map((match) => match[1])].some((word) =>
      new RegExp(`\\b(new|instanceof)\\s+(\\w+\\.)*${word}\\b|\\b${word}\\.\\w`).test(this.said),
    );
  }
}
