// Containers of which both sides hold a copy: every message says how they have changed.

const MOST_PLACES = 30;
const isSame = (now, before) => now.length === before.length && now.every((part, i) => Object.is(part, before[i]));

// Whether a record is as before; it is quick to see.
function hasFields({ value, tag, before }) {
  if (tag !== "r" || (before[0] !== "bare" && closedness(value) !== before[0])) return false;
  let i = 1;
  for (const key in value) {
    if (before[i] !== key || !Object.is(value[key], before[i + 1])) return false;
    i += 2;
  }
  return i === before.length;
}

class Sharing {
  // The last number that this side has given.
  last = 0;
  // Containers that both have, by number; objects of this side's; stand-ins for the other one's; numbers of all.
  shared = new Map();
  ours = new Map();
  theirs = new Map();
  numbers = new Map();
  // What tests have in place of an object or a container, while that goes on: its number and the parts of the copy.
  copies = new WeakMap();
  // Containers that this side has forgotten since the last message.
  released = [];
  lentAt;

  // `side` is 1 for the grader, whose objects have positive numbers, and -1 for the candidate.
  constructor(side) {
    this.side = side;
  }

  // Whether an object came from the other side.
  isTheirs(value) {
    return this.numbers.get(value) * this.side < 0;
  }

  share(value, tag) {
    const number = (this.last += this.side);
    this.shared.set(number, { value, tag, at: this.lentAt, lent: [], before: partsOf(value, tag) });
    this.numbers.set(value, number);
    this.lends(number);
    return number;
  }

  // Take note of where a container is lent, the last place at the end.
  lends(number) {
    const entry = this.shared.get(number);
    if (!this.lentAt || !entry) return;
    const others = entry.lent.filter((place) => String(place) !== String(this.lentAt));
    entry.lent = [...others.slice(-MOST_PLACES), this.lentAt];
  }

  // The number of an object of which tests have a copy that they have not changed.
  numberOf(value) {
    const { number, parts } = this.copies.get(value) ?? {};
    const isKnown = this.shared.has(number) || this.theirs.has(number);
    return isKnown && isSame(partsOf(value, tagOf(value)), parts) ? number : undefined;
  }

  // One that came; it is being read, until `remember`.
  know(number, value, tag, at) {
    this.mustBeNew(number);
    this.shared.set(number, { value, tag, at, lent: [], before: undefined });
    this.numbers.set(value, number);
  }

  remember(number) {
    const entry = this.shared.get(number);
    entry.before = partsOf(entry.value, entry.tag);
  }

  mustBeNew(number) {
    const isNew = Number.isSafeInteger(number) && number * this.side < 0;
    must(isNew && !this.shared.has(number) && !this.theirs.has(number), "its number is not new");
  }

  forget(number) {
    const value = this.shared.get(number)?.value ?? this.ours.get(number);
    this.shared.delete(number);
    this.ours.delete(number);
    this.numbers.delete(value);
  }

  // Both sides go on with copies of their own.
  release(value) {
    const number = this.numbers.get(value);
    if (!this.shared.has(number)) return;
    this.forget(number);
    this.released.push(number);
  }

  changes() {
    const { lentAt } = this;
    const found = [];
    for (const [number, entry] of this.shared) {
      if (!entry.before || hasFields(entry)) continue;
      const now = partsOf(entry.value, entry.tag);
      if (isSame(now, entry.before)) continue;
      entry.before = now;
      // What was put into it is lent where it is.
      this.lentAt = entry.lent.at(-1) ?? (entry.at && new Place(entry.at.paths).step("<"));
      found.push(encodeContainer(this, number, entry.tag, now, 1));
    }
    this.lentAt = lentAt;
    return found;
  }

  change(trees) {
    const found = trees.map((tree) => {
      must(Array.isArray(tree) && this.shared.get(tree[1])?.tag === tree[0], "it was not sent");
      const [tag, number, ...rest] = tree;
      return { number, parts: decodeParts(this, tag, rest, this.shared.get(number).at, 1) };
    });
    const twins = this.twins(found.map(({ number }) => this.shared.get(number)));
    for (const { number, parts } of found) {
      const { value, tag } = this.shared.get(number);
      if (!Object.isFrozen(value))
        fill(
          value,
          tag,
          parts.map((part) => twins.get(part) ?? part),
        );
      this.remember(number);
    }
  }

  // What takes the place of containers that may not change.
  twins(_entries) {
    return new Map();
  }
}
