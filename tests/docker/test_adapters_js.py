"""The runners of JavaScript's tests, and items in JavaScript and TypeScript: what is caught, and what is left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from adapter_bench import Ran, Yard, open_yard
from item_bench import open_workshop

from gradebox.graders.languages.item_protocol import completed, controls
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference

GOOD = "export const add = (a, b) => a + b;\n"
WRONG = "export const add = (a, b) => a - b;\n"

BUN_TESTS = """
import { test, expect } from "bun:test";
import { add } from "./add.mjs";
test("sums", () => expect(add(1, 2)).toBe(3));
test("sums again", () => expect(add(1, 1)).toBe(2));
test.skip("is skipped", () => {});
"""
NODE_TESTS = """
import { test } from "node:test";
import assert from "node:assert/strict";
import { add } from "./add.mjs";
test("sums", () => assert.equal(add(1, 2), 3));
test("sums again", () => assert.equal(add(1, 1), 2));
test("is skipped", { skip: true }, () => {});
"""
# It looks up what it calls only after the work was loaded.
LATE_NODE_TESTS = """
import { createRequire } from "node:module";
import { add } from "./add.mjs";
const require = createRequire(import.meta.url);
const { test } = require("node:test");
test("sums", () => require("node:assert").strictEqual(add(1, 2), 3));
"""

AWAITING_NODE_TESTS = """
import { test } from "node:test";
import assert from "node:assert/strict";
import { add } from "./add.mjs";
test("sums", async () => assert.equal(await add(1, 2), 3));
"""

# What packages do: they look at the end and the stack, and have promises, errors and methods of their own.
OWN_WAYS = """
import domain from "node:domain";
const { emit, reallyExit } = process;
process.reallyExit = function (code) { return reallyExit.call(process, process.exitCode = code ?? 0); };
process.emit = function (event, status) { return emit.apply(this, arguments); };
process.on("exit", () => {});
Error.prepareStackTrace = (_, sites) => sites;
new Error("here").stack;
function Later() {}
Later.prototype = Object.create(Promise.prototype);
Later.prototype.constructor = Later;
if (new Later().constructor !== Later) throw new Error("not inherited");
Array.prototype.last = function () { return this.at(-1); };
domain.create().run(() => {});
await new (class Sooner extends Promise {})((go) => go());
"""
# What is tested says that all is over while nothing runs, before its test has failed.
SILENT_END = """
Object.defineProperty(process, "exitCode", { get: () => 0, set() {} });
export const add = () => {
  const module = WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
  module.then(process.emit.bind(process, "exit", 0)).then(process.reallyExit.bind(process, 0));
  return new Promise((go) => setTimeout(go, 500));
};
"""

# Ways to pass without the work, and what is said of each; all of them end with status 0.
BUN_FORGERIES = {
    "really exits": (f"process.reallyExit(0);\n{WRONG}", "token-missing"),
    "exits through libc": (
        (
            "import { dlopen } from 'bun:ffi';\n"
            f"dlopen('libc.so.6', {{ _exit: {{ args: ['int'], returns: 'void' }} }}).symbols._exit(0);\n{WRONG}"
        ),
        "token-missing",
    ),
    "exits after the last hook": (
        f"import {{ afterAll }} from 'bun:test';\nafterAll(() => setImmediate(() => process.reallyExit(0)));\n{WRONG}",
        "token-missing",
    ),
    "sends an end of its own": (
        f"import fs from 'node:fs';\nfs.writeSync(3, 'x end 2\\n');\nprocess.reallyExit(0);\n{WRONG}",
        "token-missing",
    ),
    "a matcher that always passes": (
        f"import {{ expect }} from 'bun:test';\nexpect.extend({{ toBe: () => ({{ pass: true }}) }});\n{WRONG}",
        "control-passed",
    ),
    "a patched matcher": (
        f"import {{ expect }} from 'bun:test';\nObject.getPrototypeOf(expect(1)).toBe = () => {{}};\n{WRONG}",
        "control-passed",
    ),
    "a patched assertion": (
        f"import assert from 'node:assert';\nassert.strictEqual = () => {{}};\n{GOOD}",
        "control-passed",
    ),
    "a patched assertion of a promise": (
        f"import assert from 'node:assert/strict';\nassert.rejects = async () => {{}};\n{GOOD}",
        "control-passed",
    ),
    "a patched strict assertion": (
        f"import assert from 'node:assert/strict';\nassert.equal = () => {{}};\n{GOOD}",
        "control-passed",
    ),
    "a patched matcher that few use": (
        f"import {{ expect }} from 'bun:test';\nexpect.extend({{ toContainEqual: () => ({{ pass: true }}) }});\n{GOOD}",
        "control-passed",
    ),
    "all errors of a kind": (
        f"Object.defineProperty(RangeError, Symbol.hasInstance, {{ value: () => true }});\n{GOOD}",
        "control-passed",
    ),
    "tests that are not run": (
        (
            "import { mock } from 'bun:test';\n"
            f"const test = Object.assign(() => {{}}, {{ skip() {{}} }});\n"
            f"mock.module('bun:test', () => ({{ test, expect() {{}} }}));\n{WRONG}"
        ),
        "control-passed",
    ),
    "tests that are not run, and put back": (
        (
            "import { afterAll, mock } from 'bun:test';\nconst real = { ...import.meta.require('bun:test') };\n"
            "const test = Object.assign((name) => real.test(name, () => {}), { skip() {} });\n"
            "mock.module('bun:test', () => ({ ...real, test }));\n"
            f"afterAll(() => mock.module('bun:test', () => real));\n{WRONG}"
        ),
        "control-passed",
    ),
}
NODE_FORGERIES = {
    "really exits": (f"process.reallyExit(0);\n{WRONG}", "token-missing"),
    "prints a report": (
        f"console.log('TAP version 13\\nok 1 - x\\n1..1');\nprocess.reallyExit(0);\n{WRONG}",
        "token-missing",
    ),
    "sends an end of its own": (
        f"import fs from 'node:fs';\nfs.writeSync(3, 'x end\\n');\nprocess.reallyExit(0);\n{WRONG}",
        "token-missing",
    ),
    "a patched assertion": (
        (
            "import assert from 'node:assert';\nimport { syncBuiltinESMExports } from 'node:module';\n"
            f"assert.strict.equal = assert.strictEqual = () => {{}};\nsyncBuiltinESMExports();\n{WRONG}"
        ),
        "control-passed",
    ),
    "a patched assertion of a promise": (
        (
            "import assert from 'node:assert';\nimport { syncBuiltinESMExports } from 'node:module';\n"
            f"assert.rejects = assert.strict.rejects = async () => {{}};\nsyncBuiltinESMExports();\n{GOOD}"
        ),
        "control-passed",
    ),
    "a patched assertion that is out of sight": (
        (
            "import assert from 'node:assert';\nassert.strict.equal = () => {};\n"
            f"assert.strict = {{ ...assert }};\n{WRONG}"
        ),
        "control-passed",
    ),
    "all errors of a kind": (
        f"Object.defineProperty(RangeError, Symbol.hasInstance, {{ value: () => true }});\n{GOOD}",
        "control-passed",
    ),
    "says that it ends": (
        "export const add = () => { process.emit('beforeExit'); process.emit('exit', 0); process.reallyExit(0); };",
        "token-missing",
    ),
    "swallows the report": (
        (
            "process.stdout.write = () => true;\n"
            f"Object.defineProperty(process, 'exitCode', {{ get() {{}}, set() {{}} }});\n{WRONG}"
        ),
        "token-missing",
    ),
    "waits for ever": (
        (
            "process.on('exit', () => process.reallyExit(0));\n"
            "const its = process.listeners('exit').find((listener) => listener.name === 'handleProcessExit');\n"
            f"process.nextTick(process.off.bind(process, 'exit', its));\nawait new Promise(() => {{}});\n{WRONG}"
        ),
        "token-missing",
    ),
    "tests that are not run": (f"import test from 'node:test';\ntest.test = () => {{}};\n{WRONG}", "control-passed"),
}
# Honest work in unusual forms: arguments, the file of tests, how many tests run.
BUN_HONEST = {
    "plainly": ((), BUN_TESTS, 2),
    "through timers, hooks and listeners": (
        (),
        BUN_TESTS + "import { afterAll } from 'bun:test';\nsetInterval(() => {}, 10);\nprocess.on('exit', () => {});\n"
        "process.exitCode = 0;\nafterAll(() => {});\nBun.spawn(['sleep', '60']);",
        2,
    ),
    "with a retry, a failure that is expected and matchers of its own": (
        (),
        BUN_TESTS + "let n = 0;\ntest('r', () => expect(n++).toBe(1), { retry: 2 });\n"
        "test.failing('f', () => { throw 1; });\nexpect.extend({ toBeOdd: (x) => ({ pass: x % 2 === 1 }) });\n"
        "test('o', () => expect(3).toBeOdd());",
        5,
    ),
    "more than once": (("--rerun-each=2",), BUN_TESTS, 4),
    "only some of them": (
        (),
        BUN_TESTS + "import { describe } from 'bun:test';\ntest.only('o', () => {});\n"
        "describe.only('d', () => test.concurrent.each([[1], [2]])('%i', async () => {}));",
        3,
    ),
    "with a report": (("--reporter=junit", "--reporter-outfile=report.xml"), BUN_TESTS, 2),
    "with what the check was given": (
        (),
        BUN_TESTS + "import fs from 'node:fs';\ntest('in', () => expect(fs.readFileSync(0, 'utf8')).toBe('{}'));",
        3,
    ),
}
NODE_HONEST = {
    "plainly": ((), NODE_TESTS, 2),
    "without node:test": ((), "import assert from 'node:assert';\nassert.ok(true);", 1),
    "ending itself": ((), "import assert from 'node:assert';\nassert.ok(true);\nprocess.exit(0);", 1),
    "with children and mocks": (
        (),
        NODE_TESTS + "import { spawnSync } from 'node:child_process';\n"
        "test('c', (t) => {\n  t.mock.method(process, 'exit', () => {});\n  process.exit();\n"
        "  assert.equal(spawnSync(process.execPath, ['-e', 'process.exit(0)']).status, 0);\n});",
        3,
    ),
    "with another reporter": (("--test-reporter=dot",), NODE_TESTS, 2),
    "with suites, what is to be done, and time": (
        (),
        NODE_TESTS + "import { after, describe, it } from 'node:test';\nawait new Promise((go) => setTimeout(go, 9));\n"
        "describe('s', () => { it('i', () => {}); });\nafter(() => {});\n"
        "test('t', { todo: true }, () => assert.ok(false));\ntest('u', (t) => { t.todo(); assert.ok(false); });",
        3,
    ),
}


@pytest.fixture(scope="module")
def long_engine() -> Iterator[DockerEngine]:
    """An engine of this module's own: its sandboxes outlive a test."""
    engine = DockerEngine()
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def bun(long_engine: DockerEngine) -> Iterator[Yard]:
    yield from open_yard(long_engine, reference("bun"))


@pytest.fixture(scope="module")
def node(long_engine: DockerEngine) -> Iterator[Yard]:
    yield from open_yard(long_engine, reference("node"))


def run(yard: Yard, *command: str, work: str, tests: str) -> Ran:
    return yard.run(*command, work={"add.mjs": work}, judge={"add.test.mjs": tests}, stdin=b"{}")


def said(ran: Ran) -> list[str]:
    return [str(found.kind) for found in ran.judged.tampering]


@pytest.mark.parametrize("name", BUN_FORGERIES)
def test_what_bends_bun_test_is_caught(bun: Yard, name: str) -> None:
    work, kind = BUN_FORGERIES[name]
    ran = run(bun, "bun", "test", "add.test.mjs", work=work, tests=BUN_TESTS)
    assert ran.outcome.exit_code == 0, ran.printed
    assert not ran.passed
    assert kind in said(ran), (ran.report, ran.printed)


@pytest.mark.parametrize("name", NODE_FORGERIES)
def test_what_bends_node_test_is_caught(node: Yard, name: str) -> None:
    work, kind = NODE_FORGERIES[name]
    tests = LATE_NODE_TESTS if "not run" in name else NODE_TESTS
    ran = run(node, "node", "--test", "add.test.mjs", work=work, tests=tests)
    assert ran.outcome.exit_code == 0, ran.printed
    assert not ran.passed
    assert kind in said(ran), (ran.report, ran.printed)


EXITS = {"when imported": f"process.exit(0);\n{WRONG}", "in a test": "export const add = () => process.exit(0);"}


@pytest.mark.parametrize("work", EXITS.values(), ids=EXITS)
def test_an_ordinary_exit_is_a_failure_and_no_tampering(bun: Yard, node: Yard, work: str) -> None:
    for yard, command, tests in ((bun, ("bun", "test"), BUN_TESTS), (node, ("node", "--test"), NODE_TESTS)):
        ran = run(yard, *command, "add.test.mjs", work=work, tests=tests)
        assert (ran.outcome.exit_code, ran.passed, ran.judged.tampering) == (0, False, ()), (ran.report, ran.printed)
        assert ran.judged.reason


def test_honest_work_passes(bun: Yard, node: Yard) -> None:
    for yard, command, honest in ((bun, ("bun", "test"), BUN_HONEST), (node, ("node", "--test"), NODE_HONEST)):
        for name, (arguments, tests, count) in honest.items():
            ran = run(yard, *command, *arguments, "add.test.mjs", work=GOOD, tests=tests)
            assert ran.passed, (command, name, ran.report, ran.printed)
            assert ran.report.done == (count, 0), (command, name)


def test_work_that_puts_its_own_in_place_of_what_there_is_passes(bun: Yard, node: Yard) -> None:
    for yard, command, tests in ((bun, ("bun", "test"), BUN_TESTS), (node, ("node", "--test"), NODE_TESTS)):
        ran = run(yard, *command, "add.test.mjs", work=OWN_WAYS + GOOD, tests=tests)
        assert ran.passed, ran.printed
        assert ran.report.done == (2, 0)


def test_nobody_passes_after_an_end_of_no_function_at_all(node: Yard) -> None:
    ran = run(node, "node", "--test", "add.test.mjs", work=SILENT_END, tests=AWAITING_NODE_TESTS)
    assert (ran.outcome.exit_code, ran.passed) == (1, False), ran.printed


def test_wrong_work_fails_plainly_and_no_tests_are_no_success(bun: Yard, node: Yard) -> None:
    for yard, command, tests in ((bun, ("bun", "test"), BUN_TESTS), (node, ("node", "--test"), NODE_TESTS)):
        ran = run(yard, *command, "add.test.mjs", work=WRONG, tests=tests)
        assert (ran.outcome.exit_code, ran.judged.reason, ran.judged.tampering) == (1, "", ())
    ran = run(bun, "bun", "test", "add.test.mjs", work=GOOD, tests="1;")
    assert (ran.outcome.exit_code, ran.judged.reason) == (0, "no test was run")


def test_the_token_is_not_lying_about(bun: Yard, node: Yard) -> None:
    look = """
import fs from "node:fs";
const read = (path) => { try { return fs.readFileSync(path, "latin1"); } catch (error) { return String(error); } };
for (const pid of ["self", process.ppid]) console.log(read(`/proc/${pid}/environ`), read(`/proc/${pid}/cmdline`));
console.log(process.argv, process.execArgv, process.env, Object.getOwnPropertyNames(globalThis), read("/dev/stdin"));
"""
    for yard, command, tests in ((bun, ("bun", "test"), BUN_TESTS), (node, ("node", "--test"), NODE_TESTS)):
        ran = run(yard, *command, "add.test.mjs", work=look + GOOD, tests=tests)
        assert ran.passed, ran.printed
        assert ran.step.token not in ran.printed


# They load reporters, and tell them what the real ones do.
FAKE_VITEST = """#!/usr/bin/env node
const { readFileSync } = require("node:fs");
import(process.argv[process.argv.indexOf("--reporter") + 1]).then(({ default: Report }) => {
  const [report, task] = [new Report(), (state) => ({ result: { state } })];
  const last = "FAILED" in process.env ? "fail" : "pass";
  const file = { tasks: [task("pass"), { tasks: [task("skip")] }, task(last)] };
  if ("OLD" in process.env) report.onFinished([file]);
  else if (!("EARLY" in process.env)) report.onTestRunEnd([{ task: file }], [], "passed");
  console.log(process.argv.slice(2).join(" "), readFileSync(0, "utf8"));
});
"""
FAKE_JEST = """#!/usr/bin/env node
const { readFileSync } = require("node:fs");
const Report = require(process.argv[process.argv.indexOf("--reporters") + 1]);
const [report, failed] = [new Report({}, {}), "FAILED" in process.env ? 1 : 0];
const results = { numPassedTests: 2 - failed, numFailedTests: failed, numRuntimeErrorTestSuites: 0, testResults: [] };
if (!("EARLY" in process.env)) report.onRunComplete(new Set(), results);
console.log(process.argv.slice(2).join(" "), readFileSync(0, "utf8"));
"""


@pytest.mark.parametrize("program", ["vitest", "jest"])
def test_a_reporter_says_that_vitest_and_jest_came_to_their_end(node: Yard, program: str) -> None:
    judge = {f"node_modules/.bin/{program}": FAKE_VITEST if program == "vitest" else FAKE_JEST}
    run = ("run",) if program == "vitest" else ()
    for command in ((f"node_modules/.bin/{program}", *run, "a"), ("sh", "-c", " ".join(["npx", program, *run, "a"]))):
        ran = node.run(*command, judge=judge, stdin=b"{}")
        assert (ran.passed, ran.report.done) == (True, (2, 0)), ran.printed
        assert ran.outcome.stdout.text().endswith("a {}\n")
    for name, kinds in {"EARLY": ["token-missing"], "FAILED": ["token-missing"], "OLD": []}.items():
        ran = node.run("npx", program, *run, judge=judge, env={name: "1"})
        assert said(ran) == kinds, (name, ran.printed)


EXPECT = "import { expect } from 'bun:test';"
# language, what is loaded first, the item, whether it was bent; where it was not, it passes
ITEMS = [
    ("javascript", "JSON.stringify = () => 'x';", "if (JSON.stringify([1]) !== JSON.stringify([2])) throw 1;", True),
    ("javascript", "Object.is = () => true;", "if (!Object.is(1, 2)) throw 1;", True),
    ("javascript", "require('assert').strictEqual = () => {};", "require('assert').strictEqual(1, 2);", True),
    ("javascript", "require('assert').strict.equal = () => {};", "require('assert/strict').equal(1, 2);", True),
    (
        "javascript", "require('assert').rejects = async () => {};",
        "await require('assert').rejects(Promise.resolve());", True,
    ),
    (
        "javascript", "require('util').isDeepStrictEqual = () => true;",
        "if (!require('util').isDeepStrictEqual(1, 2)) throw 1;", True,
    ),
    ("javascript", "const p = new Proxy({}, { get() { throw 1; } });", "if (typeof p !== 'object') throw 1", False),
    ("javascript", "class A { toString() { return 'a'; } }", "if (`${new A()}` !== 'a') throw 1;", False),
    ("javascript", "Array.prototype.last = function () { return this.at(-1); };", "if ([1].last() - 1) throw 1", False),
    ("javascript", "", "require('assert').deepStrictEqual({ a: [1] }, { a: [1] });", False),
    ("typescript", "JSON.stringify = () => 'x';", "if (JSON.stringify([1]) !== JSON.stringify([2])) throw 1;", True),
    ("typescript", f"{EXPECT}\nexpect.extend({{ toBe: () => ({{ pass: true }}) }});", "expect(1).toBe(2);", True),
    (
        "typescript", "Object.defineProperty(RangeError, Symbol.hasInstance, { value: () => true });",
        "if (!(new Error() instanceof RangeError)) throw 1;", True,
    ),
    ("typescript", EXPECT, "expect({ a: [1] }).toEqual({ a: [1] });", False),
    ("typescript", "", "require('assert').deepStrictEqual({ a: [1] }, { a: [1] });", False),
    ("bash", "exit() { :; }", '[ "$(echo 1)" = 2 ] || exit 1', True),
    ("bash", "[() { return 0; }", "[ 1 = 2 ]", True),
    ("bash", "test() { return 0; }", "test 1 = 2", True),
    ("bash", "trap() { :; }\nbuiltin trap - ERR", "false\ntrue", True),
    ("bash", "trap - ERR; diff() { echo 1; }; grep() { :; }", '[ "$(diff 3 2)" = 1 ]', False),
    ("bash", "set -eEuo pipefail; f() { echo 1 | grep -q 1; }", 'f\n[ "$(echo 1)" = 1 ]', False),
    ("bash", "f() { trap : ERR; }", "f\n[[ 1 == 1 ]]", False),
    ("bash", "", "echo 1 | cat\n[[ ${#PIPESTATUS[@]} == 2 ]]\n! true\n[[ $? == 1 ]]", False),
    ("bash", "", "cat > /tmp/a <<'END'\n}\nEND\nfor i in 1 \\\n  2; do\n  false || :\ndone\n[[ $i == 2 ]]", False),
    ("bash", "", 'out=$(\n  echo a\n)\n[ "$out" = a ]\nout=$(cat <<X\n}\nX\n)\n[ "$out" = } ]', False),
    ("bash", "is() { local got=$?; [ $got = $1 ]; }", "! true\nis 1\n(exit 3) && :\nis 3\ntrue\nis 0", False),
    ("bash", "", "trap 'n=1' ERR\nfalse\n[ \"$n\" = 1 ]\ntrap - ERR\nfalse\n[ $? = 1 ]", False),
    ("bash", "set -E; trap 'echo oops >&2' ERR\nf() { command false; return 0; }", "f; [ 1 = 1 ]", False),
]  # fmt: skip


@pytest.mark.parametrize("language", ["javascript", "typescript", "bash"])
def test_what_bends_items_is_caught_and_nothing_else(engine: DockerEngine, language: str) -> None:
    for workshop in open_workshop(engine, language):
        for _, setup, item, bent in (row for row in ITEMS if row[0] == language):
            ran = workshop.run(setup, item=item)
            report = ran.outcome.report.content()
            assert bool(controls(ran.token, report)) == bent, (setup, item, ran.printed)
            assert completed(ran.token, report) != bent, (setup, item, ran.printed)
        if language == "bash":
            # What was called leaves no trap behind where the judge's text has none, and a shell that ends at errors
            # ends with no other item.
            assert not workshop.passes("f() { tr''ap : ERR; }", item="f\nfalse\ntrue")
            assert workshop.share("set -e", "true", "false", "true")[0] == [True, True, False, True]
        # What one item bends, it has bent for those after it; what was before stays.
        bending = next(setup for tongue, setup, *_ in ITEMS if tongue == language)
        passed, _ = workshop.share("", bending, "")
        assert passed == [True, False, False]
