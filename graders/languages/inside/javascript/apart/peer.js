// One of two processes that use each other's objects: requests, answers, and which objects are whose.
//
//     grader                                             candidate
//     f([1, 2])          [0, [], ["apply", f, ...]] -->  f runs, changes its argument, returns an object
//                        <--  [1, [[7, 3, 1, 2, 3]], ["x", -5, ...]]
//
// One of the two runs at a time: whoever waits for an answer serves requests, so functions that are passed are called
// back. The candidate's timers and promises run while it is asked to `run` for a moment, which the grader does whenever
// it has nothing else to do. So a call is synchronous, as it is in one process.
//
// Numbers of the grader's objects are positive, those of the candidate's are negative.

const KEPT_PARTS = 20_000;

class Peer {
  constructor(side, reading, writing) {
    Object.assign(this, { side, reading, writing, nodes: 0, last: 0, input: [], isLost: false });
    // Containers that both have, by number; objects of this side's and stand-ins for the other one's, and their numbers.
    this.shared = new Map();
    this.ours = new Map();
    this.theirs = new Map();
    this.numbers = new WeakMap();
    this.symbols = new Map();
    this.unsettled = new Map();
    this.dropped = [];
  }

  // Messages

  ask(...request) {
    this.send(0, request);
    for (;;) {
      const { kind, value } = this.receive();
      if (kind === 0) this.answer(value);
      else if (kind === 1) return value[0];
      else throw value[0];
    }
  }

  answer(request) {
    try {
      this.send(1, [this.perform(...request)]);
    } catch (error) {
      if (this.isLost) throw error;
      this.fail(error);
    }
  }

  fail(error) {
    try {
      this.send(2, [error]);
    } catch {
      this.send(2, [new RangeError("an error that cannot be passed between two processes")]);
    }
  }

  // Nothing is sent if a value cannot be.
  send(kind, values) {
    const known = this.last;
    this.nodes = 0;
    let text;
    try {
      const changes = this.changes();
      text = JSON.stringify([kind, changes, this.dropped, ...values.map((value) => encode(this, value))]);
      if (text.length > MESSAGE_BYTES) throw new RangeError(`more than ${MESSAGE_BYTES >> 20} MiB cannot be passed between two processes`);
    } catch (error) {
      for (let number = this.last; number !== known; number -= this.side) this.forget(number);
      throw error;
    }
    this.dropped = [];
    const body = Buffer.from(text);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    this.write(Buffer.concat([head, body]));
  }

  write(data) {
    for (let at = 0; at < data.length; ) {
      try {
        at += fs.writeSync(this.writing, data, at);
      } catch (error) {
        if (error.code !== "EAGAIN") throw this.lost();
      }
    }
  }

  read(count) {
    const parts = Buffer.alloc(count);
    for (let at = 0; at < count; ) {
      let done = 0;
      try {
        done = fs.readSync(this.reading, parts, at, count - at, null);
      } catch (error) {
        if (error.code === "EAGAIN") continue;
      }
      if (done === 0) throw this.lost();
      at += done;
    }
    return parts;
  }

  receive() {
    const length = this.read(4).readUInt32BE();
    must(length <= MESSAGE_BYTES * 4, "it is too long");
    return this.parse(this.read(length).toString("utf8"));
  }

  parse(text) {
    this.nodes = 0;
    try {
      const message = JSON.parse(text);
      must(Array.isArray(message) && message.length > 3, "it is no message");
      const [kind, changes, dropped, ...values] = message;
      must([0, 1, 2].includes(kind) && Array.isArray(changes) && Array.isArray(dropped), "it is no message");
      for (const change of changes) this.change(change);
      for (const number of dropped) this.forget(number);
      return { kind, value: values.map((value) => decode(this, value)) };
    } catch (error) {
      throw error instanceof Malformed ? error : new Malformed(String(error?.message));
    }
  }

  // Containers that both sides hold

  isOurs(number) {
    return number * this.side > 0;
  }

  // Whether an object came from the other side.
  isTheirs(value) {
    const number = this.numbers.get(value);
    return number !== undefined && !this.isOurs(number);
  }

  next() {
    this.last += this.side;
    return this.last;
  }

  share(value, tag) {
    const number = this.next();
    this.shared.set(number, { value, tag, before: partsOf(value, tag), usedAt: this.clock });
    this.numbers.set(value, number);
    return number;
  }

  know(number, value, tag) {
    must(Number.isSafeInteger(number) && !this.isOurs(number) && !this.shared.has(number), "it gives two containers one number");
    this.shared.set(number, { value, tag, before: [] });
    this.numbers.set(value, number);
  }

  remember(number) {
    const entry = this.shared.get(number);
    entry.before = partsOf(entry.value, entry.tag);
  }

  forget(number) {
    const entry = this.shared.get(number) ?? { value: this.ours.get(number) };
    this.shared.delete(number);
    this.ours.delete(number);
    if (typeof entry.value === "symbol") this.symbols.delete(entry.value);
    else if (entry.value !== undefined) this.numbers.delete(entry.value);
  }

  changes() {
    const found = [];
    for (const [number, entry] of this.shared) {
      const now = partsOf(entry.value, entry.tag);
      if (now.length === entry.before.length && now.every((part, i) => Object.is(part, entry.before[i]))) continue;
      entry.before = now;
      found.push([number, ...now.map((part) => encode(this, part, 1))]);
    }
    return found;
  }

  change(tree) {
    must(Array.isArray(tree) && this.shared.has(tree[0]), "it names a container that was not sent");
    const [number, ...parts] = tree;
    const { value, tag } = this.shared.get(number);
    const now = this.guarded(tag, parts.map((part) => decode(this, part, 1)));
    if (!Object.isFrozen(value)) fill(value, tag, now);
    this.remember(number);
  }

  // Forget containers that were not sent for long, as soon as there are many.
  tidy() {
    let count = 0;
    for (const { before } of this.shared.values()) count += before.length + 1;
    for (const [number, { before }] of this.shared) {
      if (count <= KEPT_PARTS) return;
      if (before.some((part) => typeof part === "function")) continue;
      count -= before.length + 1;
      this.forget(number);
      this.dropped.push(number);
    }
  }

  // Other objects

  export(value) {
    const number = this.next();
    this.ours.set(number, value);
    if (typeof value !== "symbol") this.numbers.set(value, number);
    return number;
  }

  object(number) {
    const found = this.isOurs(number) ? this.ours.get(number) : this.theirs.get(number);
    must(found !== undefined, "it names an object that was not sent");
    return found;
  }

  // Say what an object is, the first time that it is passed.
  describe(value, depth) {
    const put = (part) => encode(this, part, depth + 1);
    const number = this.export(value);
    if (util.types.isPromise(value)) {
      value.then((found) => this.settle(number, true, found), (error) => this.settle(number, false, error));
      return ["p", number];
    }
    if (util.types.isNativeError(value)) return ["e", number, ...this.errorParts(value).map(put)];
    const kind = typeof value === "function" ? (isConstructor(value) ? "class" : "function") : Array.isArray(value) ? "array" : "object";
    return ["x", number, kind, ...this.about(value, kind).map(put)];
  }

  settle(number, isFulfilled, value) {
    if (this.isLost) return;
    try {
      this.ask("settle", number, isFulfilled, value);
    } catch (error) {
      if (!this.isLost) this.ask("settle", number, false, error);
    }
  }

  // A promise of the other side's is done.
  settled(number, isFulfilled, value) {
    const waiting = this.unsettled.get(number);
    must(waiting, "it names no promise");
    this.unsettled.delete(number);
    (isFulfilled ? waiting.resolve : waiting.reject)(value);
  }

  standIn(tag, number, parts, depth) {
    must(Number.isSafeInteger(number) && !this.isOurs(number) && !this.theirs.has(number), "it gives two objects one number");
    const keep = (made) => {
      this.theirs.set(number, made);
      this.numbers.set(made, number);
      return made;
    };
    if (tag === "p") {
      return keep(new Promise((resolve, reject) => {
        this.unsettled.set(number, { resolve, reject });
        this.awaited();
      }));
    }
    if (tag === "e") return keep(this.error(number, parts.map((part) => decode(this, part, depth + 1))));
    must(tag === "x" && ["class", "function", "array", "object"].includes(parts[0]), "it is no value");
    const [kind, ...about] = parts;
    const made = keep(this.proxy(number, kind));
    this.learn(made, kind, about.map((part) => decode(this, part, depth + 1)));
    return made;
  }

  awaited() {}

  guarded(_, parts) {
    return parts;
  }

  learn() {}
}

function isConstructor(value) {
  try {
    Reflect.construct(Object, [], value);
    return true;
  } catch {
    return false;
  }
}

// Errors: which built-in one it is derived from, what it says, and its own properties.
const KINDS = "AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError Error".split(" ");

const kindOfError = (error) => KINDS.find((name) => error instanceof common.get(name)) ?? "Error";
