// Containers of which both sides hold a copy: every message says how they have changed.

class Sharing {
  // The last number that this side has given.
  last = 0;
  // Containers that both have, by number; objects of this side's; stand-ins for the other one's; numbers of all.
  shared = new Map();
  ours = new Map();
  theirs = new Map();
  numbers = new Map();
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
    this.shared.set(number, { value, tag, at: this.lentAt, before: partsOf(value, tag) });
    this.numbers.set(value, number);
    return number;
  }

  // One that came; it is being read, until `remember`.
  know(number, value, tag, at) {
    this.mustBeNew(number);
    this.shared.set(number, { value, tag, at, before: undefined });
    this.numbers.set(value, number);
  }

  remember(number) {
    const entry = this.shared.get(number);
    entry.before = partsOf(entry.value, entry.tag);
  }

  mustBeNew(number) {
    const isNew = Number.isSafeInteger(number) && number * this.side < 0;
    must(isNew && !this.shared.has(number) && !this.theirs.has(number), "it gives two objects one number");
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
    const found = [];
    for (const [number, entry] of this.shared) {
      if (!entry.before) continue;
      const now = partsOf(entry.value, entry.tag);
      if (now.length === entry.before.length && now.every((part, i) => Object.is(part, entry.before[i]))) continue;
      entry.before = now;
      found.push(encodeContainer(this, number, entry.tag, now, 1));
    }
    return found;
  }

  change(tree) {
    must(Array.isArray(tree) && this.shared.get(tree[1])?.tag === tree[0], "it names a container that was not sent");
    const [tag, number, ...rest] = tree;
    const { value, at } = this.shared.get(number);
    const now = decodeParts(this, tag, rest, at, 1);
    if (!Object.isFrozen(value)) fill(value, tag, now);
    this.remember(number);
  }
}
