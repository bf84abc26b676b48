// What the tests read of an object stays the same until they do something else than read. Otherwise an object could have
// one length for a comparison, and another for the loop that follows. Where the reference gave something else, an object
// may do so, too.

// These requests change nothing.
const CHANGING_NOTHING = new Set(["get", "has", "fields", "getters", "data", "show"]);
// How many items an object has, and methods that give all of them.
const LENGTHS = new Set(["length", "size"]);
const GIVING = new Set([Symbol.iterator, "entries", "keys", "values"]);
const [ITEMS, FIELDS] = ["items", "fields"].map(Symbol);

// The parts of a container, as they were.
class Kept {
  parts = [];
  // What both sides had of it, if nothing in it is a container.
  /** @type {any[] | undefined} */ before;
  /** @type {Kept | undefined} */ twin;
}

class Reads extends Arrivals {
  // By objects and what was read of them: until something else is asked, and as long as there is a reference.
  seen = new Map();
  lasting = new WeakMap();
  // While objects are converted, or give their items.
  isReading = false;

  asks(what) {
    if (!CHANGING_NOTHING.has(what) && !this.isReading) this.seen.clear();
  }

  // What tests have changed may change others.
  changes() {
    const found = super.changes();
    if (found.length) this.seen.clear();
    return found;
  }

  merely(make) {
    const before = this.isReading;
    this.isReading = true;
    try {
      return make();
    } finally {
      this.isReading = before;
    }
  }

  seenOf(subject) {
    if (!this.seen.has(subject)) this.seen.set(subject, new Map());
    return this.seen.get(subject);
  }

  // Take note of what an object gave.
  steady(at, subject, what, value) {
    const seen = this.seenOf(subject);
    const before = this.sharedOf(value);
    if (before && seen.get(what) instanceof Kept && seen.get(what).before === before) return value;
    const now = this.kept(value, new Map());
    const isLength = LENGTHS.has(what);
    const known = seen.has(what) || !isLength ? what : ITEMS;
    if (seen.has(known) && !this.agree(seen.get(known), now)) this.differs(at, `other ${wordOf(what)}`);
    seen.set(what, now);
    if (!isLength || this.isOpen || typeof value !== "number") return value;
    const lasting = this.lasting.get(subject) ?? {};
    if (what in lasting && lasting[what] !== value) this.differs(at, `changed ${what}`);
    this.lasting.set(subject, { ...lasting, [what]: value });
    return value;
  }

  // What a call gives. An iterator of an object counts what it gives.
  given({ readAs }, that, ask) {
    const [facts, isStart] = [this.facts.get(that), GIVING.has(readAs)];
    const { counted } = facts ?? {};
    if (!facts || (!isStart && !(readAs === "next" && counted))) return ask();
    const found = this.merely(ask);
    if (isStart && found !== that && this.facts.has(found)) this.facts.get(found).counted = that;
    if (!isStart && tagOf(Object(found)) === "r" && found.done === true) {
      facts.counted = undefined;
      this.counted(this.facts.get(counted).at, counted, facts.taken);
    }
    return found;
  }

  // An object has given all of its items.
  counted(at, subject, count) {
    const known = [...LENGTHS].filter(
      (key) => this.seenOf(subject).has(key) || key in (this.lasting.get(subject) ?? {}),
    );
    for (const key of known) this.steady(at, subject, key, count);
    this.seenOf(subject).set(ITEMS, count);
  }

  differs(at, word) {
    this.contract.note(at, word);
    if (this.isRecording || (this.contract.isKnown && this.contract.has(at, word))) return;
    throw this.spoil(this.limit(`an object may not give one thing and then another where tests only read: ${word}`));
  }

  kept(value, made) {
    const tag = isObject(value) && !this.facts.has(value) ? tagOf(value) : "";
    if (!tag || made.has(value)) return made.get(value) ?? value;
    const kept = new Kept();
    made.set(value, kept);
    kept.parts = [tag, ...partsOf(value, tag).map((part) => this.kept(part, made))];
    if (!kept.parts.some((part) => part instanceof Kept)) kept.before = this.sharedOf(value);
    return kept;
  }

  sharedOf(value) {
    return this.shared.get(this.numbers.get(value))?.before;
  }

  // Whether what was read is what was read before: data that is equal, or an object, of which the same will be read.
  agree(was, now) {
    if (was instanceof Kept && now instanceof Kept) {
      if (was.twin === now) return true;
      was.twin = now;
      return was.parts.length === now.parts.length && was.parts.every((part, i) => this.agree(part, now.parts[i]));
    }
    if (this.facts.has(was) && this.facts.has(now)) {
      const seen = this.seenOf(was);
      if (was !== now && this.seen.has(now) && this.seen.get(now) !== seen) return false;
      this.seen.set(now, seen);
      return true;
    }
    if (isError(was) && isError(now)) return messageOf(was) === messageOf(now);
    const isAlike = [util.types.isRegExp, util.types.isPromise, util.types.isProxy].find((is) => is(was) && is(now));
    return isAlike ? isAlike !== util.types.isRegExp || String(was) === String(now) : Object.is(was, now);
  }
}

const messageOf = (error) => Object.getOwnPropertyDescriptor(error, "message")?.value;
