/* The grader's side. What is above this line is all that the candidate's process runs. */
// Where objects arrive in the grader's process, and what may be asked of them there: the contract, which says what the
// tests asked of the reference. docs/explanation/boundary.md says what paths and words mean.

const LONGEST = TABLE.limits.path_steps;
const [MOST_POSITIONS, MOST_CHARACTERS, MOST_PATHS, MANY_PATHS] = [16, 32, 32, 8];
// The host takes contracts of a megabyte.
const MOST_NOTED = 4000;
const ARRIVALS = ["data", "object", "function", "class"];
// Where files of the case are listed that tests open: for each file of tests, which Node.js runs by itself.
const FILE = path.relative("/workspace", process.argv[1] ?? "").replace(/[[\]]/g, "_");
const OPENED = `#open ${FILE}`;
const CONVERSIONS = new Set(["valueOf", "toString", Symbol.toPrimitive]);
const wordOf = (key) => (isText(key) ? key : (CONSTANT_NAMES.get(key) ?? `@${SYMBOLS.get(key) ?? key.description}`));
// What is asked of an object. Whatever method converts it to a text or a number, that is one operator.
const asked = (verb, key) =>
  CONVERSIONS.has(key) ? "operator Symbol.toPrimitive" : isText(key) ? `${verb} ${key}` : `operator ${wordOf(key)}`;

const bare = (text) => text.replaceAll("@", "");
const GIVEN = /\.Symbol\.(i|asyncI)terator\(\)\.next\(\)(?=\[)/g;

class Path {
  constructor(steps) {
    this.steps = steps;
    this.text = steps.join("");
  }

  step(step) {
    const isKey = step.length > 2 && step[0] === "[";
    if (step === this.steps.at(-1) && !isKey) return this;
    const steps = [...this.steps, step];
    const half = LONGEST / 2;
    return new Path(steps.length > LONGEST ? [...steps.slice(0, half), ...steps.slice(-half)] : steps);
  }
}

// The paths on which one object arrived.
class Place {
  constructor(paths) {
    this.paths = paths;
    this.next = new Map();
  }

  static of(step) {
    return new this([new Path([step])]);
  }

  // `stepOf` says how one path goes on, if not all do so in the same way.
  step(step, stepOf = (_path) => step) {
    if (this.next.size > 1000) this.next.clear();
    if (!this.next.has(step)) this.next.set(step, new Place(this.paths.map((path) => path.step(stepOf(path)))));
    return this.next.get(step);
  }

  // Where an attribute arrives.
  member(key) {
    return this.step(`.${CONVERSIONS.has(key) ? "Symbol.toPrimitive" : wordOf(key)}`);
  }

  // The same object arrived elsewhere, too. Return whether that can be remembered.
  add(paths) {
    const added = paths.filter(({ text }) => this.paths.every((path) => path.text !== text));
    const all = [...this.paths, ...added];
    if (added.length) Object.assign(this, { paths: all.slice(0, MOST_PATHS), next: new Map() });
    return all.length <= MOST_PATHS;
  }

  // Whether methods of an object with many paths merely returned it: `a.on().once()` is `a`.
  leadsTo({ paths }) {
    if (this.paths.length < MANY_PATHS) return false;
    const isOwn = (text) =>
      this.paths.some((path) => text.startsWith(path.text) && /^(\.[\w$]+\(\))+$/.test(text.slice(path.text.length)));
    return paths.every(({ text }) => isOwn(text));
  }

  toString() {
    return this.paths[0].text;
  }
}

// The same of a function of the library, which uses the functions that are passed to it as it always does.
class OfLibrary extends Place {
  step(step, stepOf) {
    return new OfLibrary(super.step(step, stepOf).paths);
  }
}

// Where the result of an iterator arrives: its value is an item.
class Turn extends Place {
  constructor(place, itemOf) {
    super(place.paths);
    this.itemOf = itemOf;
  }

  step(step, stepOf) {
    const next = super.step(step, stepOf);
    return step === "@" ? new Turn(next, this.itemOf) : next;
  }

  member(key) {
    return key === "value" ? this.itemOf(this) : super.member(key);
  }
}

class Contract {
  constructor({ contract = null, record = false } = {}) {
    const words = contract && new Map(Object.entries(contract).map(([text, all]) => [text, new Set(all)]));
    // `isKnown`: whether what may be asked is known.
    this.words = words;
    // The same for paths without `@`: tests await what is not a promise as they await one. A container has the items that
    // an iterator of the reference's gives.
    this.awaited = new Map();
    for (const [text, all] of words ?? [])
      for (const plain of new Set([bare(text), bare(text).replace(GIVEN, "")]))
        this.awaited.set(plain, new Set([...(this.awaited.get(plain) ?? []), ...all]));
    this.isRecording = record;
    this.isKnown = !record && words !== null;
    this.found = new Map();
    this.used = new Map();
  }

  wordsAt(text) {
    return this.words.get(text) ?? this.awaited.get(bare(text));
  }

  // Whether any of these words is there.
  has(place, ...words) {
    if (!this.isKnown) return true;
    return Boolean(place?.paths.some(({ text }) => words.some((word) => this.wordsAt(text)?.has(word))));
  }

  // The names of what was always the same at a place.
  constants(place) {
    const isConstant = (key) => {
      const at = place.member(key);
      return this.has(at, "data", "object", "class") && !this.has(at, "function", "changing");
    };
    return this.has(place, "change", "other change") ? [] : this.members(place).filter(isConstant);
  }

  // The names of what tests read of an object there.
  members(place) {
    const found = place.paths.flatMap(({ text }) =>
      [...(this.words ?? [])].flatMap(([path]) => (path.startsWith(`${text}.`) ? [path.slice(text.length + 1)] : [])),
    );
    return [...new Set(found)].filter((key) => /^[\w$]+$/.test(key));
  }

  // Where an item of a container arrives: by its key or position, if the reference has such a path.
  item(place, key) {
    const isPosition = Number.isInteger(key) && key < MOST_POSITIONS;
    const step = `[${isPosition || (isText(key) && key.length <= MOST_CHARACTERS) ? JSON.stringify(key) : ""}]`;
    return place.step(step, (path) => (this.isApart(path, step) ? step : "[]"));
  }

  isApart({ steps, text }, step) {
    if (steps.includes("=")) return false;
    if (this.isRecording) return this.found.size < MOST_NOTED;
    return this.isKnown && [...this.awaited.keys()].some((path) => path.startsWith(bare(text + step)));
  }

  // Whether an object may arrive: not where the reference gave data alone on one of the paths, and nowhere else than
  // the reference gave objects unless it has done so before. As an attribute, which may hide a method of the library's,
  // it has to be one of the reference's.
  takes({ paths }, isThere) {
    if (!this.isKnown) return true;
    const kinds = paths.map(({ text }) => ARRIVALS.filter((word) => this.wordsAt(text)?.has(word)));
    const found = kinds.filter((words) => words.length);
    const isAttribute = paths.some(({ steps }) => steps.at(-1)[0] === ".");
    return ((isThere && !isAttribute) || found.length > 0) && found.every((words) => String(words) !== "data");
  }

  // Those of the paths that the reference took.
  taken({ paths }) {
    return this.isKnown ? paths.filter(({ text }) => this.wordsAt(text)) : paths;
  }

  // Take note that tests use a hidden file of the case; return whether the reference's do so as often. While the candidate
  // is served it only counts whether they do.
  uses(verb, name, isServing) {
    const key = `${isServing ? "serve" : verb} ${name}`;
    const count = isServing ? 1 : (this.used.get(key) ?? 0) + 1;
    this.used.set(key, count);
    if (!this.isKnown) return true;
    return [...(this.words.get(OPENED) ?? [])].some((word) => {
      const [known, most, ...rest] = word.split(" ");
      return `${known} ${rest.join(" ")}` === key && count <= Number(most);
    });
  }

  note(place, word) {
    if (!this.isRecording || !place) return;
    for (const { text } of place.paths) this.found.set(text, (this.found.get(text) ?? new Set()).add(word));
  }

  toString() {
    if (this.used.size)
      this.found.set(OPENED, new Set([...this.used].map(([key, count]) => key.replace(" ", ` ${count} `))));
    return JSON.stringify(Object.fromEntries([...this.found].map(([text, words]) => [text, [...words].sort()])));
  }
}
