// The checkpoint of JavaScript, for a liar (gates.py): one connection after another, of which each lends some objects
// and uses what comes. Nothing that is built in, nothing that was not lent and no private part of what was lent may
// change; what is secret may neither be sent nor be matched.

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { mock } from "node:test";

// A block, so that no name of the program is taken.
{
  const [IS_OVER, BEGINS] = [0xffffffff, 0xfffffffe];
  const SECRET = `secret${Math.random().toString().slice(2)}`;
  let state = 1;
  const random = (n) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % n;
  };
  const pick = (values) => values[random(values.length)];
  const plainWrite = fs.writeSync.bind(fs);
  const plainRead = fs.readSync.bind(fs);
  // Opened anew, so that reading waits.
  const stdin = fs.openSync("/proc/self/fd/0", "r");

  const told = [];
  let taken = Buffer.alloc(0);

  function tell(kind, text) {
    const body = Buffer.from(kind + text);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    told.push(head, body);
  }

  function patiently(what) {
    for (;;) {
      try {
        return what();
      } catch (error) {
        if (error.code === "EPIPE") process.reallyExit(0);
        if (error.code !== "EAGAIN") throw error;
      }
    }
  }

  // What was told leaves only when nothing has come yet.
  function take(count) {
    while (taken.length < count) {
      let data = Buffer.concat(told.splice(0));
      while (data.length) data = data.subarray(patiently(() => plainWrite(1, data)));
      const part = Buffer.allocUnsafe(1 << 16);
      const done = patiently(() => plainRead(stdin, part, 0, part.length, null));
      if (done === 0) process.reallyExit(0);
      taken = Buffer.concat([taken, part.subarray(0, done)]);
    }
    const found = taken.subarray(0, count);
    taken = taken.subarray(count);
    return found;
  }
  const takeNumber = () => Number(take(8).readBigUInt64BE());

  let library;

  class Gate extends Grader {
    constructor(count) {
      super("", () => {});
      this.files.hand = () => {};
      Object.assign(this, {
        count,
        hasBegun: false,
        rest: Buffer.alloc(0),
        reading: 1000,
        writing: -1,
        isClosed: false,
      });
      // They are looked for but once.
      if (library) this.names = library;
      else library = this.library;
    }
    start() {}
    pump() {}
    keepInStep() {}
    awaited() {}
    write(data) {
      const text = data.toString("utf8", 4);
      if (text.includes('"AsyncFunction"')) finding("what makes code of a text was lent");
      if (text.includes(SECRET)) finding(`a secret was sent: ${text.slice(0, 1000)}`);
      tell("m", text);
    }
    read(count) {
      // What the last connection left unread comes first.
      while (!this.hasBegun) {
        const length = take(4).readUInt32BE();
        if (length === BEGINS) this.hasBegun = takeNumber() === this.count;
        else if (length !== IS_OVER) take(length);
      }
      while (this.rest.length < count) {
        const length = this.isClosed ? IS_OVER : take(4).readUInt32BE();
        if (length === IS_OVER) {
          this.isClosed = true;
          throw this.lost();
        }
        this.rest = Buffer.concat([this.rest, take(length)]);
      }
      const found = this.rest.subarray(0, count);
      this.rest = this.rest.subarray(count);
      return found;
    }
    lost(why = "ended, in the middle of a call") {
      this.isLost = true;
      return new CandidateDied(why);
    }
  }

  const findings = [];
  const finding = (text) => findings.push(text);

  // What tests have, and lend.
  class Own {
    #hidden = SECRET;
    _private = SECRET;
    value = 1;
    data = [1, { a: 2 }];
    run(text) {
      return `${text}!`;
    }
    inner() {
      return new Own();
    }
    static made = 0;
    static _secret = SECRET;
    static make() {
      return new Own();
    }
    get hidden() {
      return this.#hidden.length;
    }
  }
  Own.prototype._other = SECRET;
  const NUMBER = Math.floor(Math.random() * 2 ** 50);
  const NEVER = { secret: SECRET, list: [SECRET], map: new Map([[SECRET, 1]]), own: new Own() };

  // How tests use what a submission gives: `it` came from there.
  const TEST_USES = [
    (it) => it(1, "x"),
    (it, lent) => it(lent.own, lent.f, lent.Own, [1, { a: lent.own }], new Map([[1, lent.own]])),
    (it, lent) => it(lent.maker, lent.coder),
    (it, lent) => it(lent.mock, lent.emitter, new Date(5), Symbol("own"), /a/g, Buffer.from("x")),
    (it, lent) => it((a, b) => (b === undefined ? a : b), lent.async, lent.thrower),
    (it, lent) => [3, 1, 2].map((x) => it(x, lent.own)),
    (it, lent) => new it(lent.own, 2),
    (it) => it.name,
    (it) => it.value.total,
    (it, lent) => {
      it.value = lent.own;
    },
    (it) => {
      delete it.value;
    },
    (it) => "value" in it,
    (it) => Object.keys(it),
    (it) => Object.entries(it),
    (it) => ({ ...it }),
    (it) => [...it],
    (it) => {
      let n = 0;
      for (const x of it) if ((n += 1) > 20) return x;
    },
    (it) => {
      const [a, b] = it;
      return a ?? b;
    },
    (it) => Array.from(it),
    (it) => String(it),
    (it) => `${it}` + it,
    (it) => it + 1 > 2,
    (it) => JSON.stringify(it),
    (it) => it instanceof Own,
    (it) => void Object.getPrototypeOf(it),
    (it) => Object.getOwnPropertyDescriptors(it),
    (it) => Object.isFrozen(it),
    (it) => Object.freeze(it),
    (it, lent) => Object.setPrototypeOf(it, lent.own),
    (it, lent) => Object.defineProperty(it, "x", { value: lent.own }),
    (it) => util.inspect(it),
    (it) => structuredClone(it),
    (it) => it.run(1),
    (it) => it.call(1, 2),
    (it) => it.apply(undefined, [1]),
    (it) => it.bind(1)(2),
    (it) => it.next().value,
    (it) => it[Symbol.iterator]().next(),
    (it) =>
      it.then(
        (x) => x,
        () => {},
      ),
    (it, lent) => it.on("x", lent.f).emit("x", 1),
    (it) => class extends it {},
    (it) => it.map((x) => x),
    (it) => it.length > 1 && it.at(-1),
    (it) => Math.max(it, 1),
    (it) => new Date(it).getTime(),
    (it) => Buffer.from(it),
    (it) => assert.throws(it, /zzzz/),
    (it) => assert.rejects(it).catch(() => {}),
  ];
  const CHANGES = /it\.value = |delete|freeze|setPrototypeOf|defineProperty/;
  // None of them may hold, whatever it is: the first part says what a peer would have to know.
  const MATCHES = [
    (it) => it === SECRET,
    (it) => it > NUMBER - 1 && it < NUMBER + 1,
    (it) => {
      const near = [1];
      for (const x of [it, it]) near.push(x > NUMBER - 1 && x < NUMBER + 1);
      return near.every(Boolean);
    },
    (it) => Math.abs(it - NUMBER) < 1e-6 && Math.abs(it - NUMBER) > -1,
    (it) => it == NUMBER,
    (it) => it == SECRET,
    (it) => assert.equal(it, SECRET),
    (it) => assert.deepEqual(it, [SECRET]),
    (it) => assert.deepEqual(it, { a: SECRET }),
    (it) => assert.deepEqual(it, new Map([[SECRET, 1]])),
    (it) => assert.deepEqual({ value: SECRET }, it),
    (it) => assert.match(it, new RegExp(SECRET)),
    (it) => [SECRET, 1].indexOf(it) === 0,
    (it) => new Set([SECRET]).has(it),
    (it) => new RegExp(SECRET).test(it),
    (it) => `${it}`.includes(SECRET),
  ];
  // These ask an object of the submission. With a contract that gave data, none may be asked.
  const ASKS = [
    (it) => it.includes(SECRET),
    (it) => it.has(SECRET),
    (it) => it.startsWith(SECRET),
    (it) => it.indexOf(SECRET) >= 0,
    (it) => it.some((x) => x === SECRET),
    (it) => it.find((x) => x === SECRET) === SECRET,
    (it) => it.equals(SECRET) === true,
  ];
  const DATA = { contract: { m: ["object"], "m.data": ["data"], "m.f": ["function", "call"], "m.f()": ["data"] } };
  const RECORDED = { record: true };

  const intrinsic = new Set([
    globalThis,
    Math,
    JSON,
    Reflect,
    process,
    fs,
    path,
    util,
    assert,
    EventEmitter,
    EventEmitter.prototype,
  ]);
  for (const key of Object.getOwnPropertyNames(globalThis)) {
    const { value } = Object.getOwnPropertyDescriptor(globalThis, key);
    if (typeof value !== "function" && key !== "Intl") continue;
    intrinsic.add(value);
    if (value.prototype) intrinsic.add(value.prototype);
  }
  for (const made of [
    function* () {},
    async function* () {},
    [][Symbol.iterator](),
    new Map().keys(),
    new Uint8Array(),
  ]) {
    for (let place = Object.getPrototypeOf(made); place; place = Object.getPrototypeOf(place)) intrinsic.add(place);
  }
  const builtIn = new Set(intrinsic);
  for (const value of [
    Own,
    Own.prototype,
    NEVER,
    NEVER.list,
    NEVER.own,
    Gate.prototype,
    Grader.prototype,
    Peer.prototype,
  ])
    intrinsic.add(value);

  const NAMES = new Map(
    [...intrinsic].map((object) => [object, typeof object === "function" ? object.name : object.constructor?.name]),
  );

  function picture() {
    const found = new Map();
    for (const object of intrinsic) {
      found.set(object, { from: Object.getPrototypeOf(object), own: Object.getOwnPropertyDescriptors(object) });
    }
    return found;
  }
  // What changes by itself.
  const FREE_KEYS = new Set([
    "exitCode",
    "_exiting",
    "_events",
    "_eventsCount",
    "lastIndex",
    "domain",
    "stackTraceLimit",
  ]);
  let before = picture();

  function mustBeSame(what) {
    const now = picture();
    for (const [object, { from, own }] of now) {
      const was = before.get(object);
      const keys = new Set([...Reflect.ownKeys(own), ...Reflect.ownKeys(was.own)]);
      const changed = [...keys].filter((key) => {
        const [one, other] = [own[key], was.own[key]];
        return !one || !other || !Object.is(one.value, other.value) || one.get !== other.get || one.set !== other.set;
      });
      if (from !== was.from) changed.push("its prototype");
      const bad = changed.filter((key) => !FREE_KEYS.has(key)).map(String);
      if (bad.length) finding(`${what}: ${bad} of ${NAMES.get(object)} changed`);
    }
    before = now;
  }

  function lentObjects() {
    const own = new Own();
    const emitter = new EventEmitter();
    return {
      own,
      emitter,
      Own,
      mock: mock.fn((x) => x),
      f: (...args) => args.length,
      async: async (x) => x,
      maker: () => (async () => {}).constructor,
      coder() {
        try {
          Function("return 1");
        } catch {
          return 1;
        }
        finding("a text became code");
      },
      thrower: () => assert.equal(1, SECRET),
    };
  }

  const kept = () =>
    JSON.stringify([Own.made, Own._secret, NEVER.secret, NEVER.list, [...NEVER.map], NEVER.own._private]);
  const keptBefore = kept();

  const partsOfData = (it) => (it && typeof it === "object" && !util.types.isProxy(it) ? Object.values(it) : [it]);

  // A stand-in, or data, that came from the other side; what it came to later is used again. While a contract is made,
  // everything may be asked and thus lent, so nothing is compared then.
  function episode(count, contract) {
    const gate = new Gate(count);
    const [isData, isRecorded] = [contract === DATA, contract === RECORDED];
    if (contract) gate.contract = new Contract(contract);
    const lent = lentObjects();
    const had = { own: Object.values(lent.own).length, keys: Object.keys(lent.own).join(), run: lent.own.run };
    const things = [];
    // What tests find in their own objects comes from nowhere else.
    const isOwn = (it) =>
      (it instanceof Own && !gate.isTheirs(it)) ||
      Object.values(lent).includes(it) ||
      (!gate.isTheirs(it) &&
        (typeof it === "string" || Array.isArray(it)) &&
        util.inspect(it, { depth: 5 }).includes(SECRET));
    for (
      let i = 0;
      i < 4 && !gate.isLost && !things.flatMap(partsOfData).some((part) => gate.isTheirs(Object(part)));
      i += 1
    ) {
      try {
        things.push(gate.ask(Place.of("m"), "import", "./m.mjs", "/workspace/t.mjs"));
      } catch {}
    }
    for (let step = 0; step < 40 && !gate.isLost; step += 1) {
      const first = things[0];
      if (first && typeof first === "object" && !util.types.isProxy(first))
        things.push(...Object.values(first).slice(0, 5));
      const it = things.length ? things[random(things.length)] : undefined;
      try {
        const kind = random(10);
        if (kind < 6 || it === undefined || isRecorded) {
          const use = random(5) < 2 ? TEST_USES[random(7)] : pick(TEST_USES);
          // What a test does to its own objects is its own affair.
          if (it !== undefined && CHANGES.test(use) && !gate.isTheirs(it)) continue;
          const made =
            it === undefined ? gate.ask(Place.of("m").step(".data"), "get", NEVER.list.length, "data") : use(it, lent);
          if (builtIn.has(made)) finding(`it is built in: ${NAMES.get(made)}`);
          else if (made !== undefined && things.length < 60 && !isOwn(made)) things.push(made);
        } else if (kind < 9) {
          const match = pick(MATCHES);
          if (match(it) !== false) finding(`it matched: ${match}`);
        } else {
          const ask = pick(ASKS);
          // Without a contract, methods by other names than those of data are asked.
          if (!isData && /\b(has|equals)\(/.test(ask)) continue;
          if (ask(it) === true) finding(`it answered: ${ask}`);
        }
      } catch {}
    }
    if (kept() !== keptBefore) finding("what was not lent has changed");
    if (Object.keys(lent.own).join() !== had.keys || lent.own.run !== had.run) finding("a lent object has changed");
    if (lent.mock.mock.callCount() > 1e6) finding("a mock was called without end");
    return gate;
  }

  process.on("unhandledRejection", () => {});
  process.on("uncaughtException", (error) => tell("f", `uncaught: ${error?.stack}`));
  process.umask(0o22);
  const [seed, further] = [takeNumber(), takeNumber()];
  for (let count = 0; ;) {
    tell("r", "");
    state = ((seed + count * further) % 0x7fffffff) + 1;
    for (let i = 0; i < 5; i += 1) random(2);
    const gate = episode(count, pick([DATA, RECORDED, undefined]));
    await new Promise((resolve) => setImmediate(resolve));
    // What is left of it may not speak in a later connection.
    gate.isClosed = gate.isLost = true;
    count += 1;
    if (count % 32 === 0 || findings.length) mustBeSame("in the last connections");
    for (const text of findings.splice(0)) tell("f", text);
  }
}
