// Compares what the submission sends during each test with what the reference sent. If both sent the same, this process
// could not tell them apart. docs/explanation/boundary.md says which parts of a message count.
//
// What comes while the submission merely runs comes when two loops of events decide. So it is compared for each promise,
// function and container of the tests by itself. If only the order among these differs, how often a test had to look
// until something was done, or how long it went on, nobody knows whether the test could see that: its answers are
// `unknown`. With `exact`, each of them must be the reference's, at the end of the file if it is of an earlier test.

const [ANSWERS, DEEDS] = ["#answers", "#did"].map((text) => ({ paths: [{ text }] }));
const [MOST_RECORDED, MOST_NAMES, MOST_SHOWN] = [5000, 100_000, 20];
const descriptorOf = Object.getOwnPropertyDescriptor;
// Tests do not learn what is answered to these.
const UNTOLD = new Set("run settle around replace abort remember same".split(" "));
// Whether the submission merely runs.
const isRunning = (open) => ["run", "import"].includes(open[0]?.what);
// How answers compare if they are not the same, the worst first.
const UNLIKE = ["other", "unknown"];
const worst = (all) => UNLIKE.find((each) => all.includes(each)) ?? all[0];

class Answers extends Naming {
  // The digests of the reference's answers, by hashes of the tests' names; other words about these.
  expected = new Map();
  marks = new Set();
  // Tests, and how their answers compare with the reference's, "" if neither sent anything, or looked elsewhere.
  /** @type {[string, string][]} */ outcomes = [];
  // How often a test of some name has run; the hash of the last one.
  counts = new Map();
  part = "";
  recorded = 0;
  // Whether texts of each part of the tests were read.
  reads = [];
  // Errors of the submission whose properties remember that they were read, and what these properties are.
  watched = new WeakMap();
  // The worst outcome of what several tests use; whether a test was refused for its answers.
  shared = "";
  hasRefused = false;
  // To which assertions and functions with assertions the submission has led in this test, and how many were recorded;
  // whether the test ends beside others.
  asserted = new Set();
  deeds = 0;
  isBeside = false;

  // `limit` tells the host of what judging apart cannot do.
  constructor(contract, isExact, limit) {
    super(contract);
    this.limit = limit;
    this.isExact = isExact;
    for (const word of contract.words?.get("#answers") ?? []) {
      const [test, ...digests] = word.split(" ");
      if (digests.length < 3) this.marks.add(word);
      else this.expected.set(test, [...(this.expected.get(test) ?? []), digests]);
    }
    if (TOLD.reword) this.watchLibrary();
    this.begin();
    this.nothing = this.digests().join();
    this.begin();
  }

  begin() {
    // What came as answers and during calls; and, by functions and the like, while the submission ran.
    this.main = hashing();
    this.own = new Gathered(this.part);
    // Digests of the latter in their order, with what else counts for `same` alone, after each of them.
    this.orders = [""];
    // What nothing but the submission compares, more than one if so; which texts the tests have read.
    this.judged = new Set();
    this.read = { part: "", said: new Set() };
    // Containers as they changed since the last message that counts.
    this.changed = [];
    this.here = new Set();
    this.last = undefined;
    this.about = "";
    // Whether a test used files, programs or connections, or ran beside another one.
    this.isVague = this.isOther = this.hasWaited = false;
    if (this.names.size > MOST_NAMES) this.names.clear();
  }

  // A message has come, which may be malformed. `open` has the requests of this side.
  hear(message, open) {
    try {
      this.heard(message, open);
    } catch {
      // It equals nothing.
      this.main.update(String(process.hrtime()));
    }
  }

  // A test reads the name or length of a function, which counts as texts of errors do.
  said(found) {
    this.own.texts.push(["", "", hashOf(String(found)), ""]);
    this.read.said.add("property");
    return found;
  }

  // Have what an error says remember that a test has read it.
  watch(error, key) {
    const [{ read }, found] = [this, descriptorOf(error, key)];
    if (!TOLD.reword || key === "name" || !(isText(found?.value) || PLACES.includes(key))) return;
    const get = () => {
      // Bun reads the message if a test asks for a class.
      const isOfBun = MATCHING.isOfClass && /^.*\n.*\n +at toThrow\w* \(unknown\)/.test(new Error().stack);
      if (!isOfBun) read.said.add(SAYING.includes(key) ? key : "property");
      return found.value;
    };
    const can = { enumerable: found.enumerable, configurable: true };
    Object.defineProperty(error, key, { get, ...can });
    if (!this.watched.has(error)) {
      this.watched.set(error, {});
      const value = () => this.shows(error).stack;
      Object.defineProperty(error, util.inspect.custom, { value, configurable: true });
    }
    this.watched.get(error)[key] = { value: found.value, writable: true, ...can };
  }

  // Something reads an error as a whole: it has plain properties from now on.
  shows(error) {
    for (const kind of SAYING) this.read.said.add(kind);
    Object.defineProperties(error, this.watched.get(error) ?? {});
    delete error[util.inspect.custom];
    this.watched.delete(error);
    return error;
  }

  // Have functions that read what an error says without its properties remember that.
  watchLibrary() {
    const answers = this;
    const reading = { getOwnPropertyDescriptor: [Object, Reflect], getOwnPropertyDescriptors: [Object] };
    const owners = { ...reading, structuredClone: [globalThis], inspect: IS_BUN ? [Bun] : [] };
    for (const [name, places] of Object.entries(owners))
      for (const place of places) {
        const plain = place[name];
        place[name] = function (...args) {
          if (answers.watched.has(args[0])) answers.shows(args[0]);
          else if (!Object.hasOwn(reading, name)) for (const kind of SAYING) answers.read.said.add(kind);
          return Reflect.apply(plain, this, args);
        };
      }
  }

  heard([sign, , changes, , ...rest], open) {
    const isAside = isRunning(open) && (open[0].what === "run" || sign === "?" || open.length > 1);
    const { what, at, said } = open.at(-1) ?? {};
    if (!isAside) [this.about, this.isOther] = ["", false];
    else if (sign === "?" && open.length === 1) {
      const [, [, number]] = rest;
      this.isOther = !this.here.has(number);
      this.about = this.nameOf(number);
    }
    for (const tree of changes)
      if (isAside) this.grow(tree);
      else {
        this.changed.push(tree);
        for (const { grown } of [this.own, this.late]) grown.delete(tree[1]);
      }
    if (what === "run") this.hasWaited = true;
    if (sign === "=" && UNTOLD.has(what)) return;
    if (sign === "=" && (what === "import" || what === "require")) rest = [this.exported(rest[0], at)];
    this.add(isAside, [sign, ...rest], said);
  }

  add(isAside, parts, asked = undefined) {
    const { gathered } = this;
    const { length } = gathered.texts;
    const text = JSON.stringify((isAside ? parts : [...this.changed, ...parts]).map((tree) => this.plain(tree)));
    if (isAside) {
      this.follow(text);
      return gathered.add(this.about, text);
    }
    // A test that waits for something asks the same again and again.
    const { last } = this;
    const isAgain = this.hasWaited && text === last?.text && asked && isSameRequest(asked, last.asked);
    const said = String(gathered.texts.slice(length));
    if (isAgain && said === last.said) gathered.texts.length = length;
    [this.last, this.hasWaited] = [{ text, asked, said }, false];
    this.changed = [];
    if (isAgain) this.follow(text);
    else this.main.update(text);
  }

  follow(text) {
    this.orders.push(hashOf(this.orders.at(-1) + text));
  }

  // Objects of this side have got these numbers.
  gives(from, to, isAside) {
    if (!isAside) [this.about, this.isOther] = ["", false];
    for (let number = from + 1; number <= to; number += 1) this.nameOf(number);
  }

  // At the end of a file: what came late counts now, and texts in it do if any test has read such texts.
  collect() {
    for (const [about, found] of this.late.streams) this.own.streams.set(`late ${about}`, found);
    this.own.texts.push(...this.late.texts);
    for (const { said } of this.late.texts.length ? this.reads : []) for (const kind of said) this.read.said.add(kind);
  }

  digests() {
    const streams = [...this.own.streams].map(([about, found]) => about + found.digest("hex")).sort();
    const all = this.own.texts.sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
    const told = SAYING.map((_, i) => hashOf(all.map((each) => [each[0], each[i + 1]]).join()));
    return [hashOf(this.main.digest("hex")), hashOf(streams.join()), this.orders.at(-1) || "-", ...told];
  }

  // How answers compare with those of the reference's runs.
  compared(found, expected, orders) {
    const [[main, streams] = [], ...others] = expected;
    const has = (word) => this.marks.has(`${this.part} ${word}`);
    if (!main) return 0 < this.expected.size && this.expected.size < MOST_RECORDED ? "other" : "unknown";
    if (has("?") || others.some((each) => each[0] !== main || each[1] !== streams)) return "unknown";
    // The empty order begins no other one.
    const isOf = (order) => order && expected.some((each) => each[2] === order);
    // Other texts of errors decide a test only if it reads them.
    const byTexts = SAYING.map((kind, i) => {
      const said = expected.map((each) => each[i + 3]);
      if (has(`${kind} reworded`) || said.includes(found[i + 3]) || !(i || this.isExact)) return "";
      return this.isExact && new Set(said).size < 2 ? "other" : "unknown";
    });
    return worst([
      "same",
      this.isVague || found[0] !== main ? "other" : "",
      this.judged.size < 2 ? "" : has("compared") ? "unknown" : "other",
      found[1] === streams ? "" : this.isExact || !orders.some(isOf) ? "other" : "unknown",
      isOf(found[2]) || this.isExact ? "" : "unknown",
      ...byTexts,
    ]);
  }

  // End a test, or with "" what several tests use: loading, setup and hooks. At last comes what is left, which is all if
  // there are no tests. Return why a test fails for its answers, if so.
  end(test, passed = true, isLast = false) {
    if (this.changed.length) this.add(false, []);
    if (isLast && TOLD.exact) this.collect();
    const [found, { isVague, orders, contract, judged }] = [this.digests(), this];
    const count = (this.counts.get(test) ?? 0) + 1;
    this.counts.set(test, count);
    this.part = hashOf(`${FILE} ${count} ${test}`);
    const isEmpty = !isVague && found.join() === this.nothing;
    const isCounted = (test || !isEmpty) && (this.recorded += 1) <= MOST_RECORDED;
    if (isCounted && !TOLD.reword) contract.note(ANSWERS, `${this.part} ${found.join(" ")}`);
    if (isCounted && isVague) contract.note(ANSWERS, `${this.part} ?`);
    if (isCounted && judged.size > 1) contract.note(ANSWERS, `${this.part} compared`);
    if (isCounted) this.reads.push(this.read);
    this.read.part = this.part;
    for (const { part, said } of isLast && TOLD.reword ? this.reads : [])
      for (const kind of SAYING) if (!said.has(kind)) contract.note(ANSWERS, `${part} ${kind} reworded`);
    const expected = this.expected.get(this.part) ?? [];
    const isMute = isEmpty && expected.every((each) => each.join() === this.nothing);
    const own = isMute && !this.marks.has(`${this.part} ?`) ? "" : this.compared(found, expected, orders);
    const outcome = worst([own, this.shared]);
    const done = [...this.asserted].map((name) => `${this.part} assert ${name}`);
    for (const deed of done) if ((this.deeds += 1) <= MOST_RECORDED) contract.note(DEEDS, deed);
    const isMissing = (deed) => deed.startsWith(this.part) && !done.includes(deed);
    const missing = passed && (test || isLast) && [...(contract.words?.get("#did") ?? [])].find(isMissing);
    passed &&= !missing;
    if (!this.isBeside) this.asserted.clear();
    if (!test) this.shared = outcome;
    this.begin();
    const isRefused = this.isExact && passed && UNLIKE.includes(outcome);
    this.hasRefused ||= isRefused;
    const isTold = test || (isLast && (!this.outcomes.length || UNLIKE.includes(own)));
    if (isTold) this.outcomes.push([test, passed && !isRefused ? outcome : ""]);
    if (missing) return `the submission led to no such assertion as the reference does: ${missing.slice(24)}`;
    if (!isRefused) return "";
    if (outcome === "other")
      return `the reference gave other answers ${test ? "in this test" : "in what tests share"} (\`contract: exact\`)`;
    // The last line of an item says most about it.
    const name = test.trim().split("\n").at(-1).slice(0, 80) || "what tests share";
    return this.limit(`\`contract: exact\` cannot compare the answers of ${name}: ${this.whyUnknown(own)}`).message;
  }

  whyUnknown(own) {
    if (own !== "unknown") return "it shares others that cannot be compared";
    const has = (word) => this.marks.has(`${this.part} ${word}`);
    if (has("?")) return "it runs beside others, or uses files, programs or connections, too";
    if (has("compared")) return "it compares objects of the submission by their own methods";
    if (this.expected.has(this.part)) return "the reference gives others in each run";
    return `a run has at most ${MOST_RECORDED} parts with answers`;
  }
}

// How many of these tests passed with which answers, and the names of some that got others.
function counted(outcomes) {
  const found = { same: 0, other: 0, unknown: 0, tests: [] };
  for (const [name, outcome] of outcomes) {
    if (outcome) found[outcome] += 1;
    if (outcome === "other" && found.tests.length < MOST_SHOWN) found.tests.push(name || "outside of the items");
  }
  return found;
}
