// Functions of the tests that the submission calls: an exception of one of them fails the test where the submission
// catches it and the reference does not.

// Requests that come to no end of what a test asks.
const WITHIN = new Set(["run", "settle", "show"]);
// What matchers of Bun threw, whose messages begin with one of the test's own.
const FAILED = new WeakSet();
const isFailure = (error) =>
  util.types.isNativeError(error) &&
  (FAILED.has(error) ||
    error.name === "AssertionError" ||
    "matcherResult" in error ||
    util.stripVTControlCharacters(String(error.message)).startsWith("expect("));

// A reference that catches other exceptions catches no failure.
const catching = (error) => (isFailure(error) ? "catch AssertionError" : "catch Error");

// Whether one of them compares with a class.
const MATCHING = { isOfClass: false };

// Bun keeps what `OF_FILES` expect in a file that it also writes, and where the submission could have one.
const OF_FILES = /^to(Match|ThrowErrorMatching)Snapshot$/;

// What `toMatchObject` expects, where Bun would take any object for a date, a map, an error and the like.
const wholly = (value, whole) => {
  const tag = isObject(value) && tagOf(value);
  if (tag === "l") return value.map((each) => wholly(each, whole));
  if (tag === "r") return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, wholly(each, whole)]));
  return /^[dsw]$/.test(tag) || util.types.isRegExp(value) || isError(value) ? whole(value) : value;
};

function guardMatchers(expect, refused, asserts) {
  const guarded = new WeakSet();
  const failed = (error) => {
    if (isObject(error)) FAILED.add(error);
    throw error;
  };
  const guard = (place, name) => {
    const plain = descriptorOf(place, name)?.value;
    if (typeof plain !== "function" || name === "constructor" || guarded.has(plain)) return;
    place[name] = function (...args) {
      if (OF_FILES.test(name)) throw refused(name);
      asserts(name);
      const { isOfClass } = MATCHING;
      MATCHING.isOfClass = typeof args[0] === "function";
      if (name === "toMatchObject") args[0] = wholly(args[0], (each) => expect.gradeboxEqual(each));
      try {
        const found = Reflect.apply(plain, this, args);
        return util.types.isPromise(found) ? found.catch(failed) : found;
      } catch (error) {
        return failed(error);
      } finally {
        MATCHING.isOfClass = isOfClass;
      }
    };
    guarded.add(place[name]);
  };
  const matchers = Object.getPrototypeOf(expect(0));
  const guardAll = () => Object.getOwnPropertyNames(matchers).forEach((name) => guard(matchers, name));
  const { extend } = expect;
  extend({
    gradeboxEqual(...values) {
      return { pass: this.equals(...values) };
    },
  });
  expect.extend = (...args) => {
    extend(...args);
    guardAll();
  };
  guard(expect, "unreachable");
  guardAll();
}

// Whatever function of the tests makes one of these assertions.
function watchAssert(assert, asserts) {
  for (const place of [assert, assert.strict])
    for (const [key, value] of Object.entries(place)) {
      const get = () => {
        asserts(key);
        return value;
      };
      get.value = value;
      Object.defineProperty(place, key, { get });
    }
}

class Callbacks extends StandIns {
  returned = new WeakSet();

  // What left functions of the tests while the submission had them called, and where these were passed.
  failures = [];
  // What left them while the candidate merely ran, and no promise or call of the submission's has failed since.
  late = [];
  isRunning = false;
  // Why the test fails, whatever it catches.
  spoiled = undefined;

  spoil(error) {
    this.spoiled ??= error;
    return error;
  }

  // Without a contract nobody knows what the reference catches, so only failed assertions count.
  fail(error, at) {
    const isOfTest = isFailure(error);
    if (this.isOpen ? isOfTest : !this.contract.isKnown || !this.contract.has(at, catching(error)))
      this.failures.push({ error, at, isOfTest });
  }

  // The same of a function that is not a promise: whether the submission passes it on, is seen later.
  failNow(error, at) {
    const { length } = this.failures;
    this.fail(error, at);
    if (this.isRunning && this.failures.length > length && !isFailure(error)) this.late.push({ error, at });
  }

  // The submission has caught what a function of the tests threw: the test fails, unless the reference does the same.
  caught({ error, at }) {
    this.contract.note(at, catching(error));
    if (!this.contract.isRecording) this.spoil(error);
  }

  // At the end of the tests: the submission has caught what is still there.
  raiseLate() {
    this.late.splice(0).forEach((each) => this.caught(each));
  }

  // Before a request of the tests: what has failed since the one before, while the candidate merely ran, is caught. It
  // may be another test that asks now, and expects an exception. What else was thrown may be that of a promise.
  forgo() {
    for (const each of this.failures.splice(0)) if (each.isOfTest) this.caught(each);
  }

  // Throw a failure unless it is what was `thrown`, or the reference catches it as well. Where the submission throws
  // nothing at all, it has caught any other exception of the tests: they must not take it for one of the submission's.
  raise(thrown) {
    const failures = this.failures.splice(0);
    if (thrown?.error) this.late = [];
    const caught = failures.filter(({ error, isOfTest }) => (isOfTest ? error !== thrown?.error : !thrown));
    caught.forEach((each) => this.caught(each));
    const failed = caught.find(({ isOfTest }) => isOfTest);
    if (failed && !this.contract.isRecording) throw failed.error;
  }

  // An error of the tests: what an assert expected is not for the candidate to read.
  errorParts(error) {
    if (isFailure(error) || "expected" in error)
      return { prototype: null, parts: ["an assertion failed", "Error"], about: { base: "Error" } };
    // Messages of Bun quote the source.
    const message = String(error.message).replace(/ \((In|evaluating|near) '.*/s, "");
    const parts = [message, String(error.name), ...(isText(error.code) ? [error.code] : [])];
    return { prototype: null, parts, about: { base: kindOfError(error) } };
  }

  describe(value, depth) {
    if (util.types.isPromise(value)) this.promisedAt.set(value, this.lentAt);
    return super.describe(value, depth);
  }

  settle(promise, isFulfilled, value) {
    // What a call returned to the tests as it was, they see themselves.
    if (!isFulfilled && (!this.returned.has(promise) || isFailure(value)))
      this.fail(value, this.promisedAt.get(promise));
    super.settle(promise, isFulfilled, value);
  }

  settled(promise, isFulfilled, value) {
    let how = [isFulfilled, value];
    try {
      this.raise(isFulfilled ? undefined : { error: value });
    } catch (error) {
      how = [false, error];
    }
    super.settled(promise, ...how);
  }
}
