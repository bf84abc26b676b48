// What the adapters of Vitest and Jest share: only files of the case define tests and hooks, and choose among the tests.
// Both runners keep what is defined in lists, whose `push` finds in the stack who asks. It stands after controls.js, and
// before what brings `readFileSync` and `statSync`.

// What a file says that has tests which do not run, or which must fail: `it.skip`, `{ skip: true }`, `xit`.
const said = (names, more) => new RegExp(`(\\.|\\[\\s*["'\`]|[{,]\\s*)(${names})\\b|${more}`);
const WORDS = {
  __proto__: null,
  skip: said("skip|skipIf|runIf", "\\bx(it|test|describe)\\b"),
  only: said("only", "\\bf(it|describe)\\b"),
  todo: said("todo", "\\b(it|test)\\(\\s*[\"'`].*[\"'`]\\s*,?\\s*\\)"),
  fails: said("fails|failing", "$^"),
};
const user = process.getuid?.();
const { push, includes: has } = Array.prototype;
const { isArray } = Array;
const { test: matches } = RegExp.prototype;
const { startsWith, includes, slice } = String.prototype;
const { defineProperty, deleteProperty, getOwnPropertyDescriptor } = Reflect;
/** @type {any} */ const { getFileName } = getPrototypeOf(frames()[0]);

function isOthers(file) {
  try {
    return statSync(file).uid !== user;
  } catch {
    return false;
  }
}

// The frames of the stack. Whoever has another `Error`, or does not let it be changed, gets none.
function frames() {
  /** @type {any[]} */ let sites = [];
  const prepare = getOwnPropertyDescriptor(Failure, "prepareStackTrace");
  const limit = getOwnPropertyDescriptor(Failure, "stackTraceLimit");
  const change = (key, value) => defineProperty(Failure, key, { value, writable: true, configurable: true });
  const restore = (key, was) => (was ? defineProperty(Failure, key, was) : deleteProperty(Failure, key));
  if (globalThis.Error !== Failure) return sites;
  change("prepareStackTrace", (_, found) => (sites = found));
  change("stackTraceLimit", 200);
  void new Failure().stack;
  restore("prepareStackTrace", prepare);
  restore("stackTraceLimit", limit);
  return sites;
}

// The file that asks a function of the runner, or one of a package, for this; "" if that cannot be known.
function asking(own) {
  const sites = frames();
  for (let i = 0; i < sites.length; i += 1) {
    const name = apply(getFileName, sites[i], []) ?? "";
    const file = apply(startsWith, name, ["file://"]) ? apply(slice, name, [7]) : name;
    if (file !== own && apply(startsWith, file, ["/"]) && !apply(includes, file, ["/node_modules/"])) return file;
  }
  return "";
}

// Throw where anything but a file of the case defines this, or does not say what it has become.
function admit(one, own, exempt = []) {
  const file = asking(own);
  if (apply(has, exempt, [file])) return;
  if (!isOthers(file))
    throw new Failure(`${file || "a function"} defines a test or hook: \`protect\` it if it is the case's`);
  const text = readFileSync(file, "utf8");
  const words = [one?.mode, one?.failing || one?.fails ? "fails" : ""];
  for (let i = 0; i < words.length; i += 1) {
    if (WORDS[words[i]] && !apply(matches, WORDS[words[i]], [text]))
      throw new Failure(`a test of ${file} became one of \`${words[i]}\`, which that file does not say`);
  }
}

// Have a list take only what files of the case define. One of the functions is called then, the other one otherwise.
function watchList(list, own, admitted = () => {}, refused = () => {}) {
  const watched = function (...added) {
    for (let i = 0; i < added.length; i += 1) {
      try {
        admit(added[i], own);
        admitted();
      } catch (error) {
        refused();
        throw error;
      }
      const inside = added[i]?.children ?? added[i]?.tasks;
      if (isArray(inside)) watchList(inside, own, admitted, refused);
      if (added[i]?.on) watchHooks(added[i], own);
    }
    return apply(push, list, added);
  };
  defineProperty(list, "push", { value: watched });
}

// The same for the hooks of a group of Vitest's; `exempt` are files that may add any.
function watchHooks(group, own, exempt) {
  const { on } = group;
  group.on = function () {
    admit(undefined, own, exempt);
    return apply(on, this, arguments);
  };
}
