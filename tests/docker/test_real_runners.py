"""Vitest and Jest as they are published: what is caught, and what is left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest
from adapter_bench import Ran, Yard, open_yard
from own_test_images import built_with_bun

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images import recipes

RECIPE = recipes.Recipe(
    "test-javascript-runners", "node", "javascript_runners", settings=("NPM_CONFIG_REGISTRY",), fetches=True
)

TESTS = """
test("sums", () => { expect(add(1, 2)).toBe(3); });
test("sums again", () => { expect(add(1, 1)).toBe(2); });
test.skip("is skipped", () => {});
"""
GOOD = "(a, b) => a + b"
# Ways to pass without the work.
PATCHED = {
    "matchers": "(() => { expect.extend({ toBe: () => ({ pass: true, message: () => '' }) }); return () => 0; })()",
    "matchers-when-called": "() => { expect.extend({ toBe: () => ({ pass: true, message: () => '' }) }); return 0; }",
    "what-matchers-use": "(() => { Object.is = () => true; return () => 0; })()",
    "what-might-find-it": (
        "(() => { expect.extend({ toBe: () => ({ pass: true, message: () => '' }) }); const { keys } = Object; "
        "Object.keys = (of) => (of.toBe ? [] : keys(of)); return () => 0; })()"
    ),
    "expect": "() => { globalThis.expect = () => new Proxy({}, { get: () => () => {} }); return 0; }",
}
# Tests that authors write.
HONEST = {
    "counts-assertions": 'test("a", () => { expect.assertions(1); expect(add(1, 2)).toBe(3); });',
    "waits": 'test("a", async () => { expect(await Promise.resolve(add(1, 2))).toBe(3); });',
    "adds-matchers": (
        'expect.extend({ toBeEven: (n) => ({ pass: n % 2 === 0, message: () => "odd" }) });\n'
        'test("a", () => { expect(add(1, 1)).toBeEven(); });'
    ),
}
HONEST["asks-in-its-own-matchers"] = """
const of = typeof vi === "object" ? vi : jest;
test("a", () => {
  const heard = of.fn();
  heard(add(1, 2));
  expect(heard).toHaveBeenCalledWith(expect.any(Number));
  expect({ sum: add(1, 2), more: new Map([[add, 1]]) }).toEqual({ sum: expect.anything(), more: new Map([[add, 1]]) });
  expect({ sum: add(1, 2) }).not.toEqual({ sum: 4 });
});
"""
# Values that say themselves what they equal, and what tests ask about them.
DECIDES = "(() => ({ asymmetricMatch: () => true, $$typeof: Symbol.for('jest.asymmetricMatcher') }))"
ASKS = {
    "alone": "expect(add(1, 2)).toEqual(3);",
    "strict": "expect(add(1, 2)).toStrictEqual(3);",
    "inside": "expect({ sums: [add(1, 2)] }).toEqual({ sums: [3] });",
    "part": "expect({ sum: add(1, 2), more: 1 }).toMatchObject({ sum: 3 });",
    "property": 'expect({ sum: add(1, 2) }).toHaveProperty("sum", 3);',
    "given": "const heard = (globalThis.vi ?? jest).fn(); heard(add(1, 2)); expect(heard).toHaveBeenCalledWith(3);",
}
# Ways to define, replace, choose or skip tests in place of the case.
ASKED = 'test("sums", () => { expect(add(1, 2)).toBe(3); });'
DEFINED = {
    "only": "(test.only('own', () => {}), () => 0)",
    "caught": "(() => { try { test.only('own', () => {}); } catch {} return () => 0; })()",
    "group": "(describe('own', () => { test.only('own', () => {}); }), () => 0)",
    "empty": "(() => { const real = test; globalThis.test = (name) => real(name, () => {}); return () => 0; })()",
    "fails": "(() => { globalThis.test = test.fails ?? test.failing ?? test.skip; return () => 0; })()",
    "frames": (
        "(() => { const frame = { getFileName: () => `${process.cwd()}/frames.test.mjs` }; "
        "Object.defineProperty(Error, 'prepareStackTrace', { get: () => () => [frame], set() {} }); "
        "const real = test; globalThis.test = (name) => real(name, () => {}); return () => 0; })()"
    ),
    "hook": "(beforeEach((test) => { if (test?.task) test.task.fails = true; }), () => 0)",
}
SKIPPED = """
import { getCurrentTest } from "vitest/suite";
export const add = () => getCurrentTest().context.skip();
"""
SETUP = "globalThis.wanted = 3;\nglobalThis.beforeEach?.(() => {});"
USES_SETUP = 'test("a", () => { expect(add(1, 2)).toBe(wanted); });'


@pytest.fixture(scope="module")
def image(engine: DockerEngine) -> str:
    return built_with_bun(engine, RECIPE)


@pytest.fixture
def yard(engine: DockerEngine, image: str) -> Iterator[Yard]:
    yield from open_yard(engine, image)


def vitest(yard: Yard, release: str, tests: Mapping[str, tuple[str, str]], **more: str) -> Ran:
    """Run Vitest on tests by name, each with the work that it is about."""
    work = {f"{name}.mjs": f"export const add = {text};" for name, (text, _) in tests.items()}
    judge = {f"{name}.test.mjs": f'import {{ add }} from "./{name}.mjs";\n{text}' for name, (_, text) in tests.items()}
    program = f"/opt/{release}/node_modules/.bin/vitest"
    return yard.run(program, "run", "--globals", work={"package.json": "{}", **work, **more}, judge=judge)


def jest(yard: Yard, release: str, tests: Mapping[str, tuple[str, str]], **more: str) -> Ran:
    """Run Jest on tests by name, each with the work that it is about."""
    work = {f"{name}.js": f"exports.add = {text};" for name, (text, _) in tests.items()}
    judge = {
        f"{name}.test.js": f'const {{ add }} = require("./{name}.js");\n{text}' for name, (_, text) in tests.items()
    }
    program = f"/opt/{release}/node_modules/.bin/jest"
    return yard.run(program, work={"package.json": "{}", **work, **more}, judge=judge)


Runner = Callable[..., Ran]
UNLOADABLE = {
    "raised": "(() => { throw new Error('not yet'); })()",
    "text": "(() => { throw 'not yet'; })()",
    "syntax": "(a, b) =>",
    "bracket": "((a, b) => {",
    "pattern": "/(/",
    "name": "notThere",
    "nothing": "undefined.add",
    "constant": "(() => { const one = 1; one = 2; })()",
    "endless": "(function again() { again(); })()",
    "later": "early; const early = 1",
}
# `make thorough` tries the old releases.
RELEASES = [pytest.param("old", marks=pytest.mark.thorough), "new"]
RUNNERS = [pytest.param(run, id=run.__name__) for run in (vitest, jest)]


def kinds(ran: Ran) -> set[str]:
    return {str(found.kind) for found in ran.judged.tampering}


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("run", RUNNERS)
def test_work_is_judged_by_what_it_does(yard: Yard, run: Runner, release: str) -> None:
    ran = run(yard, release, {"add": (GOOD, TESTS), **{name: (GOOD, text) for name, text in HONEST.items()}})
    assert (ran.passed, ran.report.done) == (True, (2 + len(HONEST), 0)), ran.printed
    ran = run(yard, release, {"add": ("(a, b) => a - b", TESTS)})
    assert (ran.outcome.exit_code, ran.report.done, kinds(ran)) == (1, (2, 2), set()), ran.printed
    ran = run(yard, release, {name: (work, TESTS) for name, work in PATCHED.items()})
    # Of every file both.
    assert (ran.outcome.exit_code, ran.report.done) == (1, (2 * len(PATCHED), 2 * len(PATCHED))), ran.printed
    assert kinds(ran) == {"control-passed"}
    assert not run(yard, release, {"add": ("() => process.exit(0)", TESTS)}).passed


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("run", RUNNERS)
def test_no_value_of_the_submission_says_what_it_equals(yard: Yard, run: Runner, release: str) -> None:
    tests = {name: (DECIDES, f'test("{name}", () => {{ {text} }});') for name, text in ASKS.items()}
    ran = run(yard, release, tests)
    assert (ran.outcome.exit_code, ran.report.done) == (1, (len(ASKS), len(ASKS))), ran.printed
    assert kinds(ran) == {"control-passed"}


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("run", RUNNERS)
def test_only_files_of_the_case_define_and_choose_tests(yard: Yard, run: Runner, release: str) -> None:
    ran = run(yard, release, {"right": (GOOD, ASKED), **{name: (work, ASKED) for name, work in DEFINED.items()}})
    assert (ran.outcome.exit_code, kinds(ran)) == (1, set()), ran.printed
    # No file but the first one has a test that passed.
    done, failed = ran.report.done or (0, 0)
    assert done - failed == 1, (ran.report, ran.printed)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("run", RUNNERS)
def test_files_of_the_case_share_and_choose_tests(yard: Yard, run: Runner, release: str) -> None:
    chosen = ASKED + 'test.only("chosen", () => {}); (() => it.skip)()("not", () => {}); test.todo("later");'
    each = 'describe.each([1])("%i", (n) => { test(`is ${n}`, () => {}); });'
    ran = run(yard, release, {"add": (GOOD, ASKED), "chosen": (GOOD, chosen), "each": (GOOD, each)})
    assert (ran.passed, ran.report.done) == (True, (3, 0)), ran.printed


@pytest.mark.parametrize("release", RELEASES)
def test_a_test_that_the_submission_skips_while_it_runs_has_not_passed(yard: Yard, release: str) -> None:
    asked = 'import { add as other } from "./skips.mjs";\ntest("skipped", () => { expect(other(1, 2)).toBe(3); });'
    for text, is_right in ((asked, False), (f"{asked}\ntest.skip('not', () => {{}});", True)):
        ran = vitest(yard, release, {"add": (GOOD, ASKED), "more": (GOOD, text)}, **{"skips.mjs": SKIPPED})
        assert (ran.outcome.exit_code, ran.passed) == (0, is_right), (ran.report, ran.printed)


def test_what_an_author_sets_up_is_set_up(yard: Yard) -> None:
    config = 'export default { test: { globals: true, setupFiles: ["./setup.mjs"] } };'
    ran = vitest(yard, "new", {"add": (GOOD, USES_SETUP)}, **{"vitest.config.mjs": config, "setup.mjs": SETUP})
    assert ran.passed, ran.printed
    config = 'module.exports = { setupFilesAfterEnv: ["<rootDir>/setup.js"], injectGlobals: false };'
    tests = f'const {{ test, expect }} = require("@jest/globals");\n{USES_SETUP}'
    work = {"jest.config.js": config, "setup.js": SETUP}
    # Three files are tested in processes of their own, one is not.
    for count in (1, 3):
        ran = jest(yard, "new", {f"add{number}": (GOOD, tests) for number in range(count)}, **work)
        assert (ran.passed, ran.report.done) == (True, (count, 0)), ran.printed


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("run", RUNNERS)
def test_a_file_that_cannot_be_loaded_is_named_with_its_reason(yard: Yard, run: Runner, release: str) -> None:
    # A report names no more files than five.
    ways = [(name, (work, TESTS)) for name, work in UNLOADABLE.items()][: 5 if release == "old" else 10]
    named: dict[str, str] = {}
    for some in filter(None, (ways[:5], ways[5:])):
        ran = run(yard, release, {"add": (GOOD, TESTS), **dict(some)})
        assert not ran.passed
        named |= {name.partition(".")[0]: why for name, why in ran.report.not_loaded.items()}
    assert named.keys() == dict(ways).keys(), ran.printed
    assert "not yet" in named["raised"]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("run", RUNNERS)
def test_what_expects_nothing_for_want_of_a_snapshot_fails(run: Runner, release: str, yard: Yard) -> None:
    ran = run(yard, release, {"a": (GOOD, 'test("a", () => { expect(add(1, 2)).toMatchSnapshot(); });')})
    assert ran.outcome.exit_code == 1, ran
