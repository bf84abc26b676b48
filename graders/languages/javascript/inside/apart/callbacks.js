// Functions of the tests that the submission calls: a failed assertion in one of them fails the test, even where the
// submission catches it and the reference does not.

// Requests that come to no end of what a test asks.
const WITHIN = new Set(["run", "settle", "show"]);
const isFailure = (error) =>
  util.types.isNativeError(error) &&
  (error.name === "AssertionError" ||
    "matcherResult" in error ||
    util.stripVTControlCharacters(String(error.message)).startsWith("expect("));

class Callbacks extends StandIns {
  // Where promises of the tests were passed.
  promisedAt = new WeakMap();

  // A function of the tests failed while the submission had it called.
  fail(error, at) {
    if (isFailure(error)) this.failure ??= { error, at };
  }

  // Throw that, unless this is what was `thrown`, or the reference catches it as well.
  raise(thrown) {
    const { failure } = this;
    this.failure = undefined;
    if (!failure || failure.error === thrown) return;
    this.contract.note(failure.at, "catch");
    if (this.isOpen || !this.contract.has(failure.at, "catch")) throw failure.error;
  }

  // An error of the tests: what an assert expected is not for the candidate to read.
  errorParts(error) {
    if (isFailure(error) || "expected" in error)
      return { prototype: null, parts: ["an assertion failed"], about: { base: "Error" } };
    const parts = [String(error.message), ...(isText(error.code) ? [error.code] : [])];
    return { prototype: null, parts, about: { base: kindOfError(error) } };
  }

  describe(value, depth) {
    if (util.types.isPromise(value)) this.promisedAt.set(value, this.lentAt);
    return super.describe(value, depth);
  }

  settle(promise, isFulfilled, value) {
    if (!isFulfilled) this.fail(value, this.promisedAt.get(promise));
    super.settle(promise, isFulfilled, value);
  }

  settled(promise, isFulfilled, value) {
    let how = [isFulfilled, value];
    try {
      this.raise(isFulfilled ? undefined : value);
    } catch (error) {
      how = [false, error];
    }
    super.settled(promise, ...how);
  }
}
