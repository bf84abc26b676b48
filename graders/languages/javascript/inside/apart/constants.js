// What the contract has of exported classes and objects is read when their module is imported, and not asked for again.
// Otherwise the submission would learn which constant a test expects, and could decide what a constant is after it has
// given what the test compares with it. The contract has the word `changing` where the reference's is not what it was
// then, or is a container, whose changes both sides report.
//
// Constants that the reference keeps apart must be apart, such as the members of an enumeration. Otherwise a test could
// not fail that compares with one: `assert.equal(lamp.state, State.GREEN)`. So the contract has `same PATH`: the path of
// the first constant that is the same. A record without a constant of the reference's fails where it is read.

// A text or a number is a constant if its name, or that of what has it, begins with a capital letter.
const OF_CONSTANT = /\.[A-Z]\w*(\.\w+)?$/;

class Constants extends Reads {
  // The words of constants, by what they are.
  apart = new Map();

  // The last answer to `pin`.
  /** @type {any} */ tree;

  // What a module exports has come, or a record that it exports.
  pinAll(record, at, depth = 0) {
    const entries = Object.entries(record);
    for (const [key, value] of entries) {
      this.pin(value);
      if (depth > 2 || !value || util.types.isProxy(value)) continue;
      const place = at.member(key);
      if (tagOf(Object(value)) === "r") this.pinAll(value, place, depth + 1);
      // Other data lacks them all; a stand-in is asked when it is read.
      const isMissing = (name) => value[name] === undefined && this.sameAs(place.member(name));
      if (!this.contract.members(place).some(isMissing)) continue;
      const get = (_, name) => (isMissing(name) ? this.missing(place.member(name)) : value[name]);
      record[key] = new Proxy(Object(value), { get });
      this.numbers.set(record[key], this.numbers.get(value));
    }
    this.keepApart(entries, at);
  }

  missing(place) {
    throw new TypeError(`${place} is missing`);
  }

  pin(value) {
    const facts = this.facts.get(value);
    if (!facts?.at || facts.pins || this.isOpen) return;
    facts.pins = new Map();
    if (this.isRecording) return void this.ask(undefined, "remember", value);
    for (const key of this.contract.constants(facts.at)) {
      let found;
      try {
        found = this.ask(facts.at.member(key), "pin", value, key);
      } catch (error) {
        if (this.isLost) throw error;
        this.tree = ["k", "undefined"];
      }
      facts.pins.set(key, { found, tree: this.tree });
      this.answers.describe(this.tree);
      if (this.facts.get(found)?.kind === "class") this.pin(found);
    }
    const entries = [...facts.pins].map(([key, { found }]) => [key, found]).filter(([, found]) => found !== undefined);
    this.keepApart(entries, facts.at);
  }

  sameAs(place) {
    return [...(this.contract.wordsAt(String(place)) ?? [])].find((word) => word.startsWith("same "));
  }

  // Record which constants that tests name are one, or refuse them if the reference keeps them apart.
  keepApart(entries, at) {
    if (this.isOpen) return;
    const numbers = entries.map(([, value]) => value).filter(Number.isInteger);
    const isCounted = new Set(numbers).size === numbers.length && numbers.length > 1;
    for (const [key, value] of entries) {
      const place = at.member(key);
      const kind = isObject(value) ? this.facts.get(value)?.kind : typeof value;
      const isThing = /object|class|symbol/.test(kind);
      const isData = OF_CONSTANT.test(place) && ((kind === "string" && value) || (kind === "number" && isCounted));
      const word = this.isRecording ? (isThing || isData) && `same ${place}` : this.sameAs(place);
      if (!word || !this.said.includes(key)) continue;
      // Texts and numbers of other records may be equal.
      const what = isThing || isObject(value) ? value : `${at} ${value}`;
      const before = this.apart.get(what) ?? word;
      this.apart.set(what, before);
      if (this.isRecording) this.contract.note(place, before);
      else if (before !== word) throw this.spoil(new TypeError(`${place} is another constant, too`));
    }
  }

  // What was read then counts as the answer to a request.
  recall({ found, tree }, at, { number }, key) {
    if (this.isLost) throw this.lost();
    if (found === undefined && this.sameAs(at)) this.missing(at);
    const said = { parts: [[], "get", ["o", number], key], known: this.last };
    this.answers.hear(["=", 0, [], [], tree], [...this.open, { what: "get", at, said }]);
    next(() => (this.answers.hasWaited = true));
    return found;
  }

  // Record whether the reference's is what it was.
  watch({ kind, pins, self, at: of }, at, key, value) {
    if (!this.isRecording || !(pins || kind === "class")) return;
    if (of) this.keepApart([[key, value]], of);
    const isLasting = !isObject(value) || this.facts.has(value);
    if (!isLasting || this.ask(undefined, "same", self, key) !== true) this.contract.note(at, "changing");
  }
}
