// What the tests read of an object stays the same until they do something else than read. Otherwise an object could have
// one length for a comparison, and another for the loop that follows. Where the reference gave something else, an object
// may do so, too.

// These requests change nothing.
const CHANGING_NOTHING = new Set(["get", "has", "fields", "getters", "data", "show"]);
// Methods that give all items of an object.
const GIVING = new Set([Symbol.iterator, Symbol.asyncIterator, "entries", "keys", "values"]);
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
  // By iterators, whatever they are: whose items they give, and how many they have given.
  counting = new WeakMap();
  // While objects are converted, or give their items; while they are converted.
  isReading = false;
  isConverting = false;

  asks(what) {
    if (!CHANGING_NOTHING.has(what) && !this.isMerelyReading) this.seen.clear();
  }

  // What tests have changed may change others, unless the submission made them do so while they read.
  changes() {
    const found = super.changes();
    if (found.length && !(this.isMerelyReading && this.open[0]?.id)) this.seen.clear();
    return found;
  }

  // Whether the outermost request, if there is one, changes nothing.
  get isMerelyReading() {
    return this.isReading || CHANGING_NOTHING.has(this.open[0]?.what);
  }

  // Whether the reference changed a container there, too, or gave an object. Without one, an iterator may change any: a
  // generator that is passed a list adds to it.
  mayChange({ value, at, lent }) {
    if (this.isOpen) return !this.isConverting && !CHANGING_NOTHING.has(this.open[0]?.what);
    // What functions return may be a part of an object as well.
    const places = [...lent, ...lent.map((place) => place.step("()")), at];
    const words = this.isMerelyReading ? ["other change"] : ["change", ...ARRIVALS.slice(1)];
    if (this.isTheirs(value)) this.contract.note(at, words[0]);
    this.contract.note(lent.at(-1), words[0]);
    return places.some((place) => this.contract.has(place, ...words));
  }

  // Tests keep containers that change where the reference changed none, and those that hold them. What goes on with their
  // numbers are twins.
  twins(entries) {
    const twins = new Map();
    const all = [...this.shared.entries()].filter(([, { before }]) => before);
    const hasTwins = ({ before }) => before.some((part) => twins.has(part));
    for (let found = entries; found.length;) {
      found = found.filter((entry) => !this.mayChange(entry) || (found !== entries && Object.isFrozen(entry.value)));
      for (const { value, tag, before } of found) twins.set(value, EMPTY[tag](before[0], before.slice(1)));
      found = found.length
        ? all.map(([, entry]) => entry).filter((each) => !twins.has(each.value) && hasTwins(each))
        : [];
    }
    if (twins.size === 0) return twins;
    for (const [number, entry] of all) {
      const { value, tag, before } = entry;
      const twin = twins.get(value);
      if (twin) {
        this.copies.set(value, { number, parts: before });
        this.numbers.delete(value);
        this.numbers.set(twin, number);
        entry.value = twin;
      } else if (!hasTwins(entry)) continue;
      if (entries.includes(entry)) continue;
      fill(
        entry.value,
        tag,
        before.map((part) => twins.get(part) ?? part),
      );
      entry.before = partsOf(entry.value, tag);
    }
    return twins;
  }

  merely(make, isConverting = this.isConverting) {
    const before = [this.isReading, this.isConverting];
    [this.isReading, this.isConverting] = [true, isConverting];
    try {
      return make();
    } finally {
      [this.isReading, this.isConverting] = before;
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

  // What JSON makes of an object where that is.
  written(at, subject) {
    const found = this.ask(at, "call", JSON.stringify, undefined, subject);
    return found && JSON.parse(found);
  }

  // What a call without values gives. The items of an object are counted.
  given({ readAs, self }, that, ask) {
    const [before, isObjectOfTheirs] = [this.counting.get(that), this.facts.has(that)];
    const isStart = isObjectOfTheirs && GIVING.has(readAs);
    if (!isStart && !(before && (isObjectOfTheirs ? readAs === "next" : that.next === self))) return ask();
    const found = this.merely(ask);
    if (!isStart && util.types.isPromise(found)) found.then((each) => this.took(that, each)).catch(() => {});
    else if (!isStart) this.took(that, found);
    else if (isObject(found)) {
      // An iterator may give another one of the same items.
      const begun = { subject: that, count: 0, lengths: new Map(this.seenOf(that)) };
      this.counting.set(found, before && before.subject !== that ? before : begun);
      const { length, size = length } = isText(readAs) && "lsd".includes(tagOf(found) || "x") ? found : {};
      if (size !== undefined) this.counted(that, size);
    }
    return found;
  }

  // An iterator has given an item, or its end.
  took(iterator, result) {
    const counting = this.counting.get(iterator);
    if (!counting || !isObject(result)) return;
    if (!result.done) counting.count += 1;
    else {
      this.counting.delete(iterator);
      // While items are awaited, other things are asked.
      const seen = this.seenOf(counting.subject);
      for (const key of LENGTHS)
        if (!seen.has(key) && counting.lengths.has(key)) seen.set(key, counting.lengths.get(key));
      this.counted(counting.subject, counting.count);
    }
  }

  // An object has given all of its items.
  counted(subject, count) {
    const { at } = this.facts.get(subject);
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

const messageOf = (error) => descriptorOf(error, "message")?.value;
