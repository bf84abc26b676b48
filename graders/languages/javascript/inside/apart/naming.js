// What of a message counts as an answer: objects by names that no other test decides, and what errors say by itself.

// Where an error is, and where it was made, which Bun says.
const PLACES = "line column originalLine originalColumn".split(" ");
// What the runtime says of a call in an error's stack. With `exact`, no test sees it, and the rest counts as a text does.
const FRAME = /^ +at .*(:\d+:\d+|<anonymous>|native|unknown|index \d+)\)?(\n|$)/gm;
const untraced = (stack) => stack.replace(FRAME, "");

// The places that Bun gives to an error, by its stack. With `exact`, no test sees them.
function placesOfBun(stack, own) {
  const [line, column] = ["line", "column"].map((key) => own[own.indexOf(key) + 1]);
  const isHere = stack.match(FRAME)?.some((frame) => frame.trim().replace(")", "").endsWith(`:${line}:${column}`));
  return IS_BUN ? PLACES.slice(isHere ? 0 : 2) : [];
}
// What an error says, each of which counts in tests that read it. A name of a function counts as a property does.
const SAYING = ["stack", "property", "message"];
const CONTAINERS = new Set("lsdrwB");
const NUMBERED = new Set([...CONTAINERS, ..."#oy"]);
const hashing = () => createRequire("/")("node:crypto").createHash("sha256");
const hashOf = (text) => hashing().update(text).digest("hex").slice(0, 16);
const byText = (...two) => {
  const [one, other] = two.map((each) => JSON.stringify(each));
  return one < other ? -1 : Number(one > other);
};
const LONGEST_NAME = 60;

// Whether two requests are the same: of the same objects, with equal containers.
function isSameRequest(...requests) {
  const [one, other] = requests.map(({ parts, known }) => {
    const anew = (tree) => {
      if (!Array.isArray(tree)) return tree;
      const [tag, number, ...rest] = tree;
      const isNew = isText(tag) && CONTAINERS.has(tag) && number > known;
      return (isNew ? [tag, number - known, ...rest] : tree).map(anew);
    };
    return JSON.stringify(anew(parts));
  });
  return one === other;
}

// Parameters that are mere names.
const PARAMETERS =
  /^((async\b\s*)?(\([\w$,\s]*\)|[\w$]+)\s*=>|(async\s+)?(function\b\s*\*?\s*)?[\w$]*\s*\([\w$,\s]*\)\s*\{)/;

// The same message without what a function of the tests that it calls cannot read: `this`, and further arguments.
function readable(message, called) {
  const [sign, , , , what, , that] = message;
  if (sign !== "?" || what !== "call" || typeof called !== "function") return message;
  const text = Function.prototype.toString.call(called);
  if (/\b(native code|eval|arguments)\b|^class\b/.test(text)) return message;
  const found = PARAMETERS.test(text) ? message.slice(0, 7 + called.length) : [...message];
  // Only what is known is passed as `this`.
  if ("o#".includes(that?.[0]) && !/\b(this|super)\b/.test(text)) found[6] = ["k", "undefined"];
  return found;
}

// What came while the submission ran, in a part of the tests: by functions, promises and containers, what came for each.
class Gathered {
  streams = new Map();
  // Of containers, the parts that came last, and how many objects were named before.
  grown = new Map();
  numbered = new Map();
  // What errors say, as hashes, each with its function or promise.
  texts = [];

  constructor(part) {
    this.part = part;
  }

  add(about, text) {
    if (!this.streams.has(about)) this.streams.set(about, hashing());
    this.streams.get(about).update(text);
  }
}

class Naming {
  // Names of objects by their numbers: where they came first, and how many did so before in that part of the tests.
  names = new Map();
  // What comes in this part of the tests; what comes late for functions, promises and containers of other parts.
  own = new Gathered("");
  late = new Gathered("late");
  // Which one of these a message is about, and whether it is of another part; objects that came or were sent in this part.
  about = "";
  isOther = false;
  here = new Set();
  described = new Map();

  constructor(contract) {
    this.contract = contract;
  }

  follow(_text) {}

  // Keep what is said of objects that no test has read yet.
  describe(tree) {
    const [tag, number, , prototype] = Array.isArray(tree) ? tree : [];
    if (tag === "x" || tag === "y") this.described.set(number, tree);
    if (tag === "x") this.describe(prototype);
  }

  get gathered() {
    return this.isOther ? this.late : this.own;
  }

  nameOf(number) {
    if (!this.names.has(number)) {
      const sign = number > 0 ? "+" : "-";
      const { numbered, part } = this.gathered;
      const count = (numbered.get(this.about + sign) ?? 0) + 1;
      numbered.set(this.about + sign, count);
      const name = `${this.about}${sign}${count}@${part}`;
      this.names.set(number, name.length > LONGEST_NAME ? hashOf(name) : name);
    }
    if (!this.isOther) this.here.add(number);
    return this.names.get(number);
  }

  // A tree without descriptions and texts of errors, and with names of objects that no other test decides.
  plain(tree) {
    if (!Array.isArray(tree)) return Object.is(tree, -0) ? "-0" : tree;
    const [tag, first, ...rest] = tree;
    const plain = (part) => this.plain(part);
    // It counts where tests read it first.
    if (this.described.has(first) && "oxy".includes(tag)) {
      if (this.names.has(first)) return ["o", this.nameOf(first)];
      if (tag === "o") return plain(this.described.get(first));
    }
    if (tag === "x") {
      const [kind, prototype, about] = rest;
      const isFunction = kind === "function" || kind === "class";
      return [tag, this.nameOf(first), ...(isFunction ? ["function"] : [kind, plain(prototype), about.base])];
    }
    if (tag === "e") {
      const [prototype, [message, stack, ...own], about] = rest;
      const texts = [];
      const ofBun = placesOfBun(stack, own);
      const parts = own.map((part, i) => {
        const key = own[i - (i % 2)];
        if (i % 2 === 0 || key === "name" || !(isText(part) || PLACES.includes(key))) return plain(part);
        if (!ofBun.includes(key)) texts.push(key, part);
        return "";
      });
      const said = [untraced(stack), texts, message].map((each) => hashOf(JSON.stringify(each) ?? ""));
      this.gathered.texts.push([this.about, ...said]);
      return [tag, this.nameOf(first), plain(prototype), parts, about];
    }
    // The order in a set of data does not count.
    if (tag === "s" && !rest.some((part) => Number.isInteger(part?.[1]))) rest.sort(byText);
    if (NUMBERED.has(tag)) return [tag, this.nameOf(first), ...rest.map(plain)];
    return tree.map(plain);
  }

  // Of a module only what the reference exports, too, in one order.
  exported(tree, at) {
    if (tree?.[0] !== "r") return tree;
    const [tag, number, kind, ...parts] = tree;
    const pairs = parts.flatMap((key, i) => (i % 2 ? [] : [[key, parts[i + 1], at.member(key)]]));
    // What is undefined is missing.
    const known = pairs.filter(
      ([, part, place]) => String(part) !== "k,undefined" && this.contract.taken(place).length,
    );
    const plain = ([key, part, place]) => [key, key === "default" ? this.exported(part, place) : part];
    return [tag, number, kind, ...known.sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(plain)];
  }

  // A container has changed while the submission ran. When it was looked at does not count, only what was added.
  grow([, number, ...parts]) {
    const { about, isOther } = this;
    this.isOther = !this.here.has(number);
    this.about = this.nameOf(number);
    const { grown } = this.gathered;
    // A container within it comes with its parts once, and later by its number.
    const now = parts.map((part) => (Number.isInteger(part?.[1]) ? part[1] : JSON.stringify(part)));
    const before = grown.get(number) ?? [];
    const isLonger = before.every((part, i) => part === now[i]);
    grown.set(number, now);
    const added = isLonger ? parts.slice(before.length) : parts;
    const text = added.map((part) => `${JSON.stringify(this.plain(part))} `).join("");
    this.gathered.add(this.about, isLonger ? text : `anew ${text}`);
    if (this.isOther) this.follow(text);
    Object.assign(this, { about, isOther });
  }
}
