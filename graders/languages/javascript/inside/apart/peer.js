// One of two processes that use each other's objects: requests, answers, and which objects are whose.
//
//     grader                                                       candidate
//     f([1, 2])          ["?", 1, [], [], "call", f, ...]     -->  f runs, changes its argument, returns an object
//                        <--  ["=", 1, [["l", 7, "", 1, 2, 3]], [], ["x", -5, ...]]
//
// One of the two runs at a time: while one waits for an answer, it serves requests, so functions that are passed are
// called back. The candidate's timers and promises run while it is asked to `run` for a moment, which the grader does
// whenever it has nothing else to do. So a call is as synchronous as in one process.

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

class Peer extends Sharing {
  // The last request of this side, and of the other one.
  asked = 0;
  served = 0;
  parts = 0;
  open = [];
  isLost = false;
  // How many of the other side's requests run; whether a function that it called gets what a message has.
  serving = 0;
  isServed = false;
  // Promises of the other side's.
  unsettled = new Map();
  // Where promises of the tests were passed.
  promisedAt = new WeakMap();

  // `side` is 1 for the grader, whose objects have positive numbers, and -1 for the candidate.
  constructor(side, reading, writing) {
    super(side);
    this.reading = reading;
    this.writing = writing;
  }

  // Messages

  // `at` says where the answer arrives.
  ask(at, wanted, ...values) {
    const request = { id: 0, at, what: wanted, said: undefined };
    this.open.push(request);
    try {
      this.send("?", undefined, values, [wanted]);
      request.id = this.asked;
      for (;;) {
        const { sign, id, what, values: found } = this.receive();
        if (sign === "=") return found[0];
        if (sign === "!") throw found[0];
        this.answer(id, () => this.perform(what, ...found));
      }
    } finally {
      this.open.pop();
    }
  }

  answer(id, make) {
    try {
      this.send("=", id, [make()]);
    } catch (error) {
      if (this.isLost || error instanceof Malformed) throw error;
      try {
        this.send("!", id, [error]);
      } catch {
        this.send("!", id, [new RangeError("an error that cannot be passed between two processes")]);
      }
    }
  }

  // Nothing is sent if a value cannot be. A request gets its number when all of it is written: what was asked meanwhile
  // came before it.
  send(sign, id, values, words = []) {
    const known = this.last;
    this.parts = 0;
    let text;
    try {
      const changes = this.changes();
      const at = words[0] === "call" && this.open.at(-1).at;
      const trees = values.map((value, i) => {
        // Each argument of a call is lent at a place of its own.
        if (at && i > 1) this.lentAt = at.step(`<${Math.min(i - 2, 15)}`);
        return encode(this, value);
      });
      if (sign === "?") this.open.at(-1).said = { parts: [changes, ...words, ...trees], known };
      text = JSON.stringify([sign, id ?? this.asked + 1, changes, this.released, ...words, ...trees]);
      if (text.length > MESSAGE_BYTES) {
        throw new RangeError(`more than ${MESSAGE_BYTES >> 20} MiB cannot be passed between two processes`);
      }
    } catch (error) {
      for (let number = this.last; number !== known; number -= this.side) this.forget(number);
      throw error;
    }
    this.released = [];
    if (sign === "?") this.asked += 1;
    const data = Buffer.from(`    ${text}`);
    data.writeUInt32BE(data.length - 4);
    this.write(data);
  }

  write(data) {
    try {
      writeAll(this.writing, data);
    } catch {
      throw this.lost();
    }
  }

  read(count) {
    const data = Buffer.alloc(count);
    for (let at = 0, done; at < count; at += done) {
      done = fs.readSync(this.reading, data, at, count - at, null);
      if (done === 0) throw this.lost();
    }
    return data;
  }

  receive() {
    const length = this.read(4).readUInt32BE();
    must(length <= MESSAGE_BYTES * 4, "it is too long");
    return this.parse(this.read(length));
  }

  // The checkpoint: every message of the other side's passes it, and what it does not list is refused.
  parse(bytes) {
    this.parts = 0;
    try {
      const message = JSON.parse(UTF8.decode(bytes));
      must(Array.isArray(message), "it is not a message");
      const [sign, id, changes, released, ...rest] = message;
      must(Number.isSafeInteger(id) && Array.isArray(changes) && Array.isArray(released), "it is not a message");
      const open = this.open.at(-1);
      if (sign === "?") {
        must(id === this.served + 1, "it is a request out of order");
        this.served = id;
        this.check(...rest);
      } else must((sign === "=" || sign === "!") && rest.length === 1 && open?.id === id, "it answers no open request");
      this.came(message);
      this.isServed = sign === "?" ? rest[0] !== "settle" : sign === "=" && this.serving > 0;
      this.change(changes);
      for (const number of released) this.forget(number);
      const came = (tree, at) => {
        this.arrivedTree(tree, at);
        return decode(this, tree, at);
      };
      if (sign !== "?") return { sign, values: [came(rest[0], sign === "!" ? open.at?.step("!") : open.at)] };
      const [what, ...trees] = rest;
      const at = this.placeOf(trees[0]);
      const values = trees.map((tree, i) => {
        // A key, whether a promise is fulfilled, or `this`.
        if (i < 2) return decode(this, tree, i ? at?.step("this") : undefined);
        return came(tree, what === "call" && at ? this.placeIn(at, i - 2) : at);
      });
      return { sign, id, what, values };
    } catch (error) {
      if (this.isLost) throw error;
      throw error instanceof Malformed ? error : new Malformed(String(error?.message));
    }
  }

  // Other objects

  export(value) {
    const number = (this.last += this.side);
    this.ours.set(number, value);
    this.numbers.set(value, number);
    return number;
  }

  object(number) {
    const found = this.ours.get(number) ?? this.theirs.get(number);
    must(found !== undefined, "it was not sent");
    return found;
  }

  // Say what an object is, the first time that it is passed: names, nothing more.
  describe(value, depth, isPrototype = false) {
    const number = this.export(value);
    const put = (part) => encode(this, part, depth + 1);
    // One that has methods of its own is an object.
    if (!isPrototype && util.types.isPromise(value) && !Object.keys(value).length) {
      const settle = (...how) => this.settle(value, ...how);
      Promise.prototype.then.call(value, settle.bind(null, true), settle.bind(null, false));
      return ["x", number, "promise", null, {}];
    }
    if (!isPrototype && isError(value)) {
      const { prototype, parts, about } = this.errorParts(value);
      return ["e", number, this.prototypeTree(prototype, depth + 1), parts.map(put), about];
    }
    const isFunction = typeof value === "function";
    const kind = isFunction ? (isConstructor(value) ? "class" : "function") : Array.isArray(value) ? "array" : "object";
    const { prototype, about } = this.about(value, kind);
    for (const key of isFunction && !util.types.isProxy(value) ? ["name", "length"] : []) {
      const found = Object.getOwnPropertyDescriptor(value, key)?.value;
      if (NAMES[key](found)) about[key] = found;
    }
    return ["x", number, kind, this.prototypeTree(prototype, depth + 1), about];
  }

  // A prototype is an object, whatever it would be as a value.
  prototypeTree(value, depth) {
    const number = this.numbers.get(value);
    const isKnown = this.ours.has(number) || this.theirs.has(number);
    return value === null || isKnown ? encode(this, value, depth) : this.describe(value, depth, true);
  }

  settle(promise, isFulfilled, value) {
    if (this.isLost) return;
    try {
      this.ask(this.promisedAt.get(promise), "settle", promise, isFulfilled, value);
    } catch (error) {
      if (!this.isLost) this.ask(undefined, "settle", promise, false, error);
    }
  }

  // A promise of the other side's is done.
  settled(promise, isFulfilled, value) {
    const waiting = this.unsettled.get(promise);
    must(waiting && typeof isFulfilled === "boolean", "it names no promise that is open");
    this.unsettled.delete(promise);
    waiting[isFulfilled ? "resolve" : "reject"](value);
  }

  standIn(tag, number, [kind, from, about, ...more], at, depth) {
    const keep = (made) => {
      this.mustBeNew(number);
      this.theirs.set(number, made);
      this.numbers.set(made, number);
      return made;
    };
    if (tag === "y") {
      must(from === undefined && isText(kind), "it is not a symbol");
      const made = keep(Symbol(kind));
      if (at?.paths[0].steps.length < 3) SYMBOLS.set(made, String(at));
      return made;
    }
    must(isNames(about) && more.length === 0, "it is not an object");
    const get = (part, place) => decode(this, part, place, depth + 1);
    if (tag === "e") {
      must(Array.isArray(from), "it is not an error");
      const prototype = get(kind);
      const made = keep(this.blankError(about));
      this.fillError(made, prototype, decodeEach(this, keysIn("e"), from, at, depth + 1), about, at);
      return made;
    }
    must(KINDS.x.has(kind), "it is not an object");
    if (kind !== "promise") return this.proxy({ number, kind, about, prototype: get(from) }, keep, at);
    let waiting;
    const promise = keep(new Promise((resolve, reject) => (waiting = { resolve, reject, at: at?.step("@") })));
    // The candidate may return one of the tests' as it is: then they see how it fails.
    if (this.side < 0) promise.catch(() => {});
    this.unsettled.set(promise, waiting);
    this.awaited();
    return promise;
  }

  // What one of the two sides does besides

  check(what, ..._rest) {
    must(isText(what), "it is not a request");
  }

  came(_message) {}
  /** @returns {any} */ lost() {}
  /** @returns {any} */ perform(_what, ..._values) {}
  /** @returns {any} */ about(_value, _kind) {}
  /** @returns {any} */ proxy(_facts, _keep, _at) {}
  /** @returns {any} */ errorParts(_error) {}
  /** @returns {any} */ blankError(_about) {}
  fillError(..._parts) {}

  named() {
    throw new Malformed("it names nothing that both sides have");
  }

  nameOf(_value, _tag) {}
  /** @returns {any} */ stays(_value) {}
  /** @returns {any} */ placeOf(_tree) {}
  placeIn(_at, _step) {}
  arrivedTree(_tree, _at) {}
  again({ value }) {
    return value;
  }
  arrivedKeys() {}
  arrivedValue(value) {
    return value;
  }
  arrivedMember() {}
  awaited() {}
}
