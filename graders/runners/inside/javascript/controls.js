// What the reporters of Vitest and Jest share: what must fail wherever tests are run. It stands before either.

const MARK = "gradebox: this must fail, and passed: ";

// Each must throw, whatever was tested. What there is no function for throws too.
const CONTROLS = {
  __proto__: null,
  toBe: (expect) => expect(1).toBe(2),
  toEqual: (expect) => expect([1]).toEqual([2]),
  toStrictEqual: (expect) => expect({ a: 1 }).toStrictEqual({ a: 2 }),
  toMatchObject: (expect) => expect({ a: 1 }).toMatchObject({ a: 2 }),
  toBeTruthy: (expect) => expect(0).toBeTruthy(),
  toBeFalsy: (expect) => expect(1).toBeFalsy(),
  toBeUndefined: (expect) => expect(null).toBeUndefined(),
  toBeNull: (expect) => expect(0).toBeNull(),
  toBeDefined: (expect) => expect(undefined).toBeDefined(),
  toBeNaN: (expect) => expect(1).toBeNaN(),
  toBeInstanceOf: (expect) => expect({}).toBeInstanceOf(Map),
  toBeGreaterThan: (expect) => expect(1).toBeGreaterThan(2),
  toBeGreaterThanOrEqual: (expect) => expect(1).toBeGreaterThanOrEqual(2),
  toBeLessThan: (expect) => expect(2).toBeLessThan(1),
  toBeLessThanOrEqual: (expect) => expect(2).toBeLessThanOrEqual(1),
  toBeCloseTo: (expect) => expect(1).toBeCloseTo(2),
  toContain: (expect) => expect([1]).toContain(2),
  toContainEqual: (expect) => expect([1]).toContainEqual(2),
  toHaveLength: (expect) => expect([1]).toHaveLength(2),
  toHaveProperty: (expect) => expect({}).toHaveProperty("a"),
  toMatch: (expect) => expect("a").toMatch(/b/),
  toThrow: (expect) => expect(() => {}).toThrow(),
  "not.toBe": (expect) => expect(1).not.toBe(1),
  "not.toEqual": (expect) => expect([1]).not.toEqual([1]),
  "not.toContain": (expect) => expect([1]).not.toContain(1),
  "not.toThrow": (expect) => expect(() => expect(1).toBe(2)).not.toThrow(),
  "to.equal": (expect) => expect(1).to.equal(2),
};
const ASSERTIONS = {
  __proto__: null,
  "assert.ok": (assert) => assert.ok(false),
  "assert.equal": (assert) => assert.equal(1, 2),
  "assert.strictEqual": (assert) => assert.strictEqual(1, 2),
  "assert.deepEqual": (assert) => assert.deepEqual([1], [2]),
  "assert.deepStrictEqual": (assert) => assert.deepStrictEqual([1], [2]),
  "assert.notEqual": (assert) => assert.notEqual(1, 1),
  "assert.notStrictEqual": (assert) => assert.notStrictEqual(1, 1),
  "assert.notDeepEqual": (assert) => assert.notDeepEqual([1], [1]),
  "assert.throws": (assert) => assert.throws(() => {}),
  "assert.doesNotThrow": (assert) => assert.doesNotThrow(() => assert.fail("control")),
  "assert.match": (assert) => assert.match("a", /b/),
  "assert.fail": (assert) => assert.fail("control"),
};
const { Error: Failure, RangeError: OtherFailure } = globalThis;
const KINDS = {
  __proto__: null,
  "instanceof RangeError": () => {
    if (!(new Failure() instanceof OtherFailure)) throw new Failure();
  },
};

// Try what must fail, and throw if any of it passes. No method of anything is called that the tests could have changed.
// `asserts` are those of Node and of the runner.
function refuse(expect, asserts) {
  const { assertionCalls, numPassingAsserts } = expect.getState();
  let bent = passed(CONTROLS, expect) + passed(KINDS);
  for (let i = 0; i < asserts.length; i += 1) bent += passed(ASSERTIONS, asserts[i]);
  if (globalThis.expect && globalThis.expect !== expect) bent += passed(CONTROLS, globalThis.expect);
  // A test may say how many assertions it makes.
  expect.setState({ assertionCalls, numPassingAsserts });
  if (bent !== "") throw new Failure(MARK + bent);
}

function passed(controls, subject) {
  let names = "";
  for (const name in controls) {
    try {
      controls[name](subject);
      names += `${name} `;
    } catch {}
  }
  return names;
}

// Matchers by which a value could say itself what it equals, as `expect.anything()` does.
const ASKING = ["toEqual", "toStrictEqual", "toMatchObject", "toContainEqual", "toHaveProperty"].concat(
  ["toHaveBeenCalledWith", "toHaveBeenLastCalledWith", "toHaveBeenNthCalledWith", "toHaveBeenCalledExactlyOnceWith"],
  ["toHaveReturnedWith", "toHaveLastReturnedWith", "toHaveNthReturnedWith", "toBeCalledWith", "lastCalledWith"],
);
const DEEPEST = 6;
const PARTS = 5000;
const { ownKeys, apply, getPrototypeOf } = Reflect;

// Have these matchers refuse such a value, and one that equals what nobody knows. Jest keeps them in an object, Vitest as
// methods of what `expect` returns.
function guard(expect) {
  const ofJest = globalThis[Symbol.for("$$jest-matchers-object")]?.matchers ?? {};
  for (const [place, isMethod] of [
    [ofJest, false],
    [getPrototypeOf(expect(0)), true],
  ]) {
    for (const name of ASKING.filter((each) => Object.hasOwn(place, each))) {
      const match = place[name];
      const guarded = function (...given) {
        const value = isMethod ? this.__flags?.object : given[0];
        if (decides(value, 0, { parts: PARTS })) throw new Failure(`${MARK}a value that decides what it equals`);
        return apply(match, this, given);
      };
      place[name] = Object.defineProperties(guarded, Object.getOwnPropertyDescriptors(match));
    }
  }
}

function decides(value, depth, left) {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  left.parts -= 1;
  if (depth > DEEPEST || left.parts < 0) return false;
  try {
    if (typeof value.asymmetricMatch === "function") return true;
    if (typeof value === "function") return value.mock ? decides(value.mock.calls, depth, left) : false;
    const inside = value instanceof Map || value instanceof Set ? [...value] : value;
    const keys = ownKeys(inside);
    for (let i = 0; i < keys.length && left.parts > 0; i += 1) {
      if (decides(inside[keys[i]], depth + 1, left)) return true;
    }
  } catch {}
  return false;
}

// What passed though it must fail, as the messages of failed tests have it.
function told(messages) {
  const marked = messages.filter((message) => message.includes(MARK));
  return new Set(marked.map((message) => message.split(MARK)[1].split("\n")[0].trim()));
}
