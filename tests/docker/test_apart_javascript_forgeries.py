"""Ways to have tests of JavaScript and TypeScript pass apart without doing what they ask, beside honest ways."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from forged_javascript import BUN, BUN_HEAD, NODE, NODE_HEAD, Forged, unexpected
from grading_bench import write
from sampled import one_of

from gradebox.graders import Grader, load_case
from gradebox.graders.model.verdict import Status
from gradebox.graders.submissions.source import read_submission

PRELOAD = """
import { afterAll, beforeEach } from "bun:test"; import { readSync, writeSync } from "node:fs";
const byte = Buffer.alloc(1); let word = ""; let ran = 0;
for (;;) {
  try { if (readSync(3, byte, 0, 1, null) === 0 || byte[0] === 10) break; } catch { continue; }
  word += String.fromCharCode(byte[0]);
}
beforeEach(() => { ran += 1; });
afterAll(() => { writeSync(3, `${word} end ${ran}\\n`); });
"""
FAKE = {"p.ts": PRELOAD, "fake.ts": 'import { test } from "bun:test"; test("add", () => {});'}
MAPS = json.dumps({"compilerOptions": {"paths": {"/tmp/*": ["./p.ts"], "/workspace/grading/*": ["./fake.ts"]}}})
EXTENDS = '{"extends": "./maps.json"}'
PRIMES = """
export const primes = (n) =>
  Array.from({ length: n - 1 }, (_, i) => i + 2).filter((x, _, all) => !all.some((y) => y < x && x % y === 0));
export const config = (t) => ({ ...Object.fromEntries([t.split('=')]), get: () => 1 });
export const touch = () => {};
"""
STACK = """
export class Stack { all = [];
  push(item) { this.all.push(item); }
  items() { return [...this.all]; }
}
export const typesOf = (all) => all.map((each) => typeof each);
"""
THROWN = """
export const each = (list, use) => { for (const x of list) use(x); };
export const retry = async (use) => { for (;;) try { return await use(); } catch {} };
export const attempt = (use) => { try { return use(); } catch { return "none"; } };
export const all = async (list, use) => { for (const x of list) await use(x); };
"""
FOUND = """
export const find = (n, check, show) => {
  for (const guess of [n, n * n]) try { check(guess, show(guess)); return guess; } catch {}
};
"""
TOLD = """
export const find = (n, check, show) => {
  show(n);
  try { check(0); } catch (error) { return Number(/!== (\\d+)/.exec(show(error))?.[1]); }
};
"""
LED = """
export const feed = (bus, text) => { for (const line of text.split(",")) bus.emit("line", line); };
export const save = (db, text) => db.insert({ id: Number(text) });
export const pour = (text, sink) => new Promise((done) => sink.end(text.toUpperCase(), done));
export const drive = (steps) => { let at = steps.next(); while (!at.done) at = steps.next(at.value ** 2); };
export const each = (list, use) => list.forEach((x) => use(x));
"""
LED_OTHERWISE = """
export const feed = (bus, text) => text.split(",").forEach((line) => bus.emit("line", line));
export const save = ({ insert }, text) => { const row = {}; row.id = +text; insert(row); };
export const pour = async (text, sink) => { sink.write(text.toUpperCase()); sink.end(); };
export function drive(steps) { for (let v; ;) { const { value, done } = steps.next(v); if (done) return; v = value * value; } }
export const each = async (list, use) => { for (const x of list) use(x); };
"""
LEADING = """
class Db { insert(row) { EQUAL(row, { id: 7 }); } }
test("listener", () => { const bus = new EventEmitter(); bus.on("line", (line) => EQUAL(line, "a")); feed(bus, "a"); });
test("object", () => save(new Db(), "7"));
test("stream", async () => {
  await pour("ab", new Writable({ write(part, _, done) { EQUAL(String(part), "AB"); done(); } }));
});
test("generator", () => drive((function* () { const got = yield 3; EQUAL(got, 9); })()));
function same(one, other) { EQUAL(one, other); }
test("helper", () => { each([5], (x) => { same(x, 5); }); });
"""
IMPORTS = """import { EventEmitter } from "node:events"; import { Writable } from "node:stream";
import { feed, save, pour, drive, each } from "../s.mjs";"""
# Each leads to all assertions but one.
LED_ELSEWHERE = {
    name: re.sub(rf"export (const|function) {name}\b.*", f"export const {name} = async () => {{}};", LED)
    for name in ("feed", "save", "pour", "drive", "each")
}
PICK = "export const pick = (all, is) => all.find(is);"
TELLS = """
export const each = (list, use, done) => {
  if (!list) throw new TypeError("no list");
  let sum = 0;
  setTimeout(() => { list.forEach((x, i) => { use(sum += x, i); }); done(); }, 1);
};
"""
NAMES = Forged(
    BUN,
    f'{BUN_HEAD}import {{ add }} from "../s.mjs";\ntest("add", () => {{ expect(add(2, 3)).toBe(5); }});',
    "export const add = (a, b) => a + b;",
    ("export const add = (a, b) => b + a;",),
    {"no sum": "export const add = () => 0;"},
    {
        "a tsconfig.json": {**FAKE, "tsconfig.json": MAPS},
        "a jsconfig.json": {**FAKE, "jsconfig.json": MAPS},
        "one that extends another": {**FAKE, "tsconfig.json": EXTENDS, "maps.json": MAPS},
        "one that says it twice": {**FAKE, "tsconfig.json": f'{MAPS[:-1]}, "compilerOptions": {{}}}}'},
        "one beside the tests": {**FAKE, "grading/tsconfig.json": MAPS.replace("./", "../")},
    },
)
FORGED = {
    "names of the tests": NAMES,
    "names of the tests, in one process": replace(NAMES, isolation="in-process"),
    "what an error says": Forged(
        NODE,
        f"""{NODE_HEAD}import {{ parse }} from "../s.mjs";
test("t", () => {{ assert.throws(() => parse(""), (e) => e instanceof TypeError && e.message.includes("empty")); }});""",
        "export const parse = () => { throw new TypeError('it is empty'); };",
        (
            "class E extends TypeError { get message() { return 'empty'; } } export const parse = () => { throw new E(); };",
            "class E extends TypeError { get body() { return JSON.parse(''); } } export const parse = () => { throw new E('empty'); };",
            "export const parse = () => { const e = new TypeError('empty'), errors = [e]; throw Object.assign(e, { errors }); };",
        ),
        {
            f"an object for its {key}": f"""const {{ has }} = Set.prototype;
Set.prototype.has = function (key) {{ return key !== "{key}" && has.call(this, key); }};
export function parse(text) {{
  if (text !== "") return true;
  const value = Object.assign([], {{ includes: parse }});
  throw Object.defineProperty(new TypeError("no"), "{key}", {{ value }});
}}"""
            for key in ("message", "stack", "constructor")
        },
    ),
    "the text of a failure": Forged(
        NODE,
        f"""{NODE_HEAD}import {{ find }} from "../s.mjs";
test("t", () => {{ assert.equal(find(7, (got) => assert.equal(got, 49), (seen) => `${{seen}}!`), 49); }});""",
        FOUND,
        (FOUND.replace("[n, n * n]", "[0, n, n * n]"),),
        {
            "shown by a function of the tests": TOLD,
            "within a list": TOLD.replace("show(error)", "show([error])"),
            "that a function of the submission returns": TOLD.replace("show(error)", "show({ toString: () => error })"),
        },
    ),
    "the source of a function": Forged(
        NODE,
        f"""{NODE_HEAD}import {{ pick }} from "../s.mjs";
test("t", () => {{ assert.equal(pick([1, 2, 41], (seen) => seen * 2 === 82), 41); }});""",
        PICK,
        (PICK.replace(".find(is)", ".filter((x) => is(x))[0]"),),
        {
            how: "export const pick = (all, is) => { try { WAY; } catch (error) { return Number(/(\\d+)\\D*$/.exec(error.message)?.[1] / 2); } };".replace(
                "WAY", how
            )
            for how in (
                "new is()",
                "class A extends is {} new A()",
                "1 instanceof is",
                "Reflect.construct(Array, [], is)",
            )
        },
    ),
    "the source of a function, in Bun": Forged(
        BUN,
        f"""{BUN_HEAD}import {{ pick }} from "../s.mjs";
test("t", () => {{ expect(pick(["a", "b41"], (seen) => seen.endsWith("41"))).toBe("b41"); }});""",
        PICK,
        (PICK.replace(".find(is)", ".filter((x) => is(x))[0]"),),
        {
            how: "export const pick = (all, is) => { try { WAY; } catch (error) { return `b${/(\\d+)\\D*$/.exec(error.message)?.[1]}`; } };".replace(
                "WAY", how
            )
            for how in ("new is()", "is(1)", "is()", "is(null)")
        },
    ),
    "a function that is known": Forged(
        NODE,
        f"""{NODE_HEAD}import {{ primes, config, touch }} from "../s.mjs";
test("t", () => {{
  const got = config("a=1");
  touch();
  assert.ok(primes(30).includes(29) && got.hasOwnProperty("a") && got.get());
}});""",
        PRIMES,
        (PRIMES.replace("x, _, all", "x, y, all"),),
        {
            "as an attribute of a list": PRIMES.replace(
                "(n) =>", "(n) => n === 30 ? Object.assign([], { includes: primes }) : true || "
            ),
            "as an attribute of a record, later": PRIMES.replace(
                "t) => ({ ...Object.fromEntries([t.split('=')]), get: () => 1 })",
                ") => kept; const kept = { get: () => 1 }",
            ).replace("touch = () => {}", "touch = (x) => { if (x) return true; kept.hasOwnProperty = touch; }"),
        },
    ),
    "a method of another object": Forged(
        NODE,
        f"""{NODE_HEAD}import {{ Stack, typesOf }} from "../s.mjs";
test("t", () => {{
  const s = new Stack();
  s.push(1);
  s.push(2);
  assert.ok(s.items().includes(2) && typesOf([1]).includes("number"));
}});""",
        "",
        (STACK,),
        {
            "of a class that is named": STACK.replace(
                "[...this.all]", "Object.assign([], { includes: this.push })"
            ).replace("{ this.all.push(item); }", "{ return true; }"),
            "that converts": STACK.replace(
                "(all) =>", "(all, yes = () => true) => Object.assign([], { toString: yes, includes: yes }) ??"
            ),
        },
    ),
    "what functions of the tests throw": Forged(
        NODE,
        f"""{NODE_HEAD}import {{ all, attempt, each, retry }} from "../s.mjs";
test("t", async () => {{
  let [n, tries] = [0, 0];
  each([{{ a: 1 }}], (x) => {{ n += 1; assert.equal(x.a, 1, new Error("another")); }});
  assert.equal(n, 1);
  assert.equal(await retry(async () => {{ tries += 1; if (tries < 3) throw new Error("again"); return tries; }}), 3);
  assert.equal(attempt(() => {{ throw new Error("no"); }}), "none");
  await assert.rejects(all([1, 2, 3], async (x) => {{ if (x > 1) throw new RangeError(`${{x}}`); }}), RangeError);
  assert.equal(attempt(() => 1), 1);
}});""",
        THROWN,
        (
            THROWN.replace("for (const x of list) await use(x);", "await Promise.all(list.map((x) => use(x)));"),
            THROWN.replace("await use(x);", "try { await use(x); } catch (e) { throw new RangeError(e.message); }"),
            THROWN.replace("for (;;) try { return await use(); } catch {}", "return use().catch(() => retry(use));"),
        ),
        {
            f"{what} is caught": THROWN.replace("list) use(x);", f"list) try {{ use({value}); }} catch {{}}")
            for what, value in {
                "a failure with an error of its own": "{}",
                "an exception": "null",
                "a refusal": "() => 0",
            }.items()
        },
    ),
    "failures of expect": Forged(
        BUN,
        f"""{BUN_HEAD}import {{ each }} from "../s.mjs";
test("t", () => {{
  let n = 0;
  each([1, 2], (x) => {{ n += 1; expect(x, `item ${{n}}`).toBe(n); if (x !== n) expect.unreachable(); }});
  expect(n).toBe(2);
}});""",
        "export const each = (list, use) => { for (const x of list) use(x); };",
        ("export const each = (list, use) => list.forEach((x) => use(x));",),
        {
            "one with a message is caught": "export const each = (list, use) => { for (const x of list) try { use(0); } catch {} };"
        },
    ),
    "failures that tell what is expected": Forged(
        BUN,
        f"""{BUN_HEAD}import {{ each }} from "../s.mjs";
test("t", async () => {{
  let told = 0;
  await new Promise((done) => each([1, 2], (sum, i) => {{ told += 1; expect(sum, `sum ${{i}}`).toBe([1, 3][i]); }}, done));
  expect(told).toBe(2);
}});
test("no list", () => {{ expect(() => each(null)).toThrow(); }});""",
        TELLS,
        (TELLS.replace("(sum += x, i)", "((sum = sum + x), i)"),),
        {
            "they are read": TELLS.replace(
                "use(sum += x, i);",
                "try { use(NaN, i); } catch (e) { try { use(Number(/Expected: (.*)/.exec(e.message)[1]), i); } catch {} }",
            ),
            "they come where one is expected": TELLS.replace("use(sum += x, i);", "try { use(0, i); } catch {}"),
        },
    ),
    "a failure where an exception is expected": Forged(
        NODE,
        f"""{NODE_HEAD}import {{ each }} from "../s.mjs";
test("t", async () => {{
  await new Promise((done) => each([1, 2], (sum, i) => assert.equal(sum, [1, 3][i]), done));
}});
test("no list", () => {{ assert.throws(() => each(null)); }});""",
        TELLS,
        (TELLS.replace("(sum += x, i)", "((sum = sum + x), i)"),),
        {
            f"it is caught before{what}": TELLS.replace(
                "use(sum += x, i);", f"try {{ {use} }} catch (e) {{ kept ??= e; }}"
            ).replace('new TypeError("no list")', thrown)
            + "let kept;"
            for what, use, thrown in (
                ("", "use(0, i);", "new TypeError()"),
                (" and thrown then", "use(0, i);", "kept"),
                (
                    " and looks like what is thrown then",
                    "use(0, i);",
                    "Object.assign(new Error(), { name: 'AssertionError' })",
                ),
            )
        },
    ),
    "failures where other exceptions are caught": Forged(
        BUN,
        f"""{BUN_HEAD}import {{ retry }} from "../s.mjs";
test("it is called again", () => {{ let n = 0; retry(() => {{ if (n++ < 2) throw new Error("flaky"); }}); expect(n).toBe(3); }});
test("it is told which time", () => {{ let n = 0; retry((i) => {{ n += 1; expect(i).toBe(1); }}); expect(n).toBe(1); }});""",
        "export const retry = (use) => { for (let i = 1; i < 4; i++) try { return use(i); } catch {} };",
        (
            "export function retry(use, i = 1) { try { return use(i); } catch { return i < 3 ? retry(use, i + 1) : undefined; } }",
        ),
        {
            "a failure is caught": "let k = 0; export const retry = (use) => { if (k++) try { use(0); } catch {} else for (let i = 0; i < 3; i++) try { use(i); } catch {} };"
        },
    ),
    "a refusal that is expected": Forged(
        NODE,
        f"""{NODE_HEAD}import {{ readonly }} from "../s.mjs";
test("t", () => {{ const o = readonly({{ a: 1 }}); assert.throws(() => {{ o.a = 2; }}, TypeError); }});""",
        "export const readonly = (o) => Object.freeze({ ...o });",
        (
            "class R { constructor(o) { Object.freeze(Object.assign(this, o)); } } export const readonly = (o) => new R(o);",
        ),
        {"what is not frozen": "export const readonly = (o) => new Proxy({ ...o }, {});"},
    ),
    "assertions by other names": Forged(
        NODE,
        """import test from "node:test"; import { strictEqual, ok } from "node:assert"; import { each } from "../s.mjs";
test("t", () => { each([1], (x) => strictEqual(x, 1)); });
test("u", () => { each.all([2], (x) => { ok(x > 1); }); });""",
        "export const each = (list, use) => { for (const x of list) use(x); }; each.all = (list, use) => list.map(use);",
        ("export const each = (list, use) => list.forEach((x) => use(x)); each.all = each;",),
        {
            "one is not called": "export const each = () => {}; each.all = (list, use) => list.map(use);",
            "another is not called": "export const each = (list, use) => list.map(use); each.all = () => {};",
        },
    ),
    "assertions wherever they are": Forged(
        NODE, NODE_HEAD + IMPORTS + LEADING.replace("EQUAL", "assert.deepEqual"), LED, (LED_OTHERWISE,), LED_ELSEWHERE
    ),
    "assertions of Bun wherever they are": Forged(
        BUN,
        BUN_HEAD
        + IMPORTS
        + re.sub(
            r"EQUAL\((.+?), (.*?)\);", r"expect(\1).toEqual(\2);", LEADING.replace("EQUAL(line", "EQUAL(`${line}`")
        ),
        LED,
        (LED_OTHERWISE,),
        LED_ELSEWHERE,
    ),
    "parts of an object": Forged(
        BUN,
        f"""{BUN_HEAD}import {{ made }} from "../s.mjs";
test("t", () => {{
  expect(made(5)).toMatchObject({{ id: 1, at: new Date(5), of: [{{ tags: new Set(["a"]) }}], map: new Map([["k", 1]]) }});
  expect(made(5)).toMatchObject({{ is: /a/, error: new Error("no"), id: expect.any(Number) }});
}});""",
        'export const made = (at) => ({ id: 1, at: new Date(at), of: [{ tags: new Set(["a"]), n: 2 }], map: new Map([["k", 1]]), is: /a/, error: new Error("no") });',
        (
            'class Made { id = 1; constructor(at) { this.at = new Date(at); } of = [{ tags: new Set("a") }]; map = new Map(Object.entries({ k: 1 })); is = new RegExp("a"); error = new Error("no"); } export const made = (at) => new Made(at);',
        ),
        {
            what: f'export const made = (at) => ({{ id: 1, at: new Date(at), of: [{{ tags: new Set(["a"]) }}], map: new Map([["k", 1]]), is: /a/, error: new Error("no"), {part} }});'
            for what, part in {
                "no date": "at: {}",
                "another date": "at: new Date(at + 1)",
                "another set": 'of: [{ tags: new Set(["b"]) }]',
                "another map": "map: new Map()",
                "another pattern": "is: /b/",
            }.items()
        },
    ),
    "the time that tests set": Forged(
        BUN,
        """import { expect, setSystemTime, test } from "bun:test"; import { hour, since } from "../s.mjs";
test("t", () => {
  setSystemTime(new Date("2024-01-01T08:00:00Z"));
  const ago = since();
  expect(hour()).toBe(8);
  setSystemTime(new Date("2024-01-01T20:00:00Z"));
  expect([hour(), ago()]).toEqual([20, 12 * 3600_000]);
  setSystemTime();
  expect(ago() > 0).toBe(true);
});""",
        "export const hour = () => new Date().getUTCHours(); export const since = (at = Date.now()) => () => Date.now() - at;",
        (
            "export const hour = () => new Date(Date.now()).getUTCHours(); export const since = () => { const at = new Date(); return () => +new Date() - at; };",
        ),
        {"another time": "export const hour = () => 8; export const since = () => () => 12 * 3600_000;"},
    ),
    "tests of the submission's own": Forged(
        ("javascript", "node --test"),
        f"""{NODE_HEAD}import {{ add }} from "../s.mjs";\ntest("t", () => assert.equal(add(2, 3), 5));""",
        "export const add = (a, b) => a + b;",
        (),
        {"no file of tests": "export const add = () => 0;"},
        {
            "an empty file": {"own.test.mjs": ""},
            "a file of tests": {"own.test.mjs": f'{NODE_HEAD}test("t", () => {{}});'},
        },
    ),
}


@pytest.mark.parametrize("name", one_of(2, FORGED))
def test_only_honest_answers_pass(name: str, tmp_path: Path) -> None:
    assert unexpected(FORGED[name], tmp_path) == {}


PORT = "const { parentPort, workerData } = require('node:worker_threads'); "
# Texts of threads, and whether they are a limit.
THREADS = {"parentPort.postMessage(5);": False, "require(workerData);": True, "import(workerData);": True}


# In Bun, no text of the tests has `import(`.
@pytest.mark.parametrize(
    ("head", "text"), [*((NODE_HEAD, text) for text in THREADS), *((BUN_HEAD, text) for text in [*THREADS][:2])]
)
def test_a_thread_of_the_tests_loads_nothing_of_the_submission(head: str, text: str, tmp_path: Path) -> None:
    runs = NODE if head == NODE_HEAD else BUN
    tests = f"""{head}import {{ once }} from "node:events"; import {{ Worker }} from "node:worker_threads";
test("thread", async () => {{
  const worker = new Worker({json.dumps(PORT + text)}, {{ eval: true, workerData: "/workspace/s.mjs" }});
  if ((await once(worker, "message"))[0] !== 5) throw new Error("it is another one");
  await worker.terminate();
}});"""
    work = 'import { parentPort } from "node:worker_threads"; parentPort?.postMessage(5);'
    checks = [{"type": "code-grader", "command": runs[1]}]
    case = {"input": "x", "language": runs[0], "isolation": "apart", "assertions": checks}
    write(tmp_path, {"case/case.yaml": json.dumps(case), "case/grading/a.test.mjs": tests, "work/s.mjs": work})
    with Grader() as grader:
        verdict = grader.grade(load_case(tmp_path / "case"), read_submission(tmp_path / "work")).verdict
    assert verdict.status is (Status.ERROR if THREADS[text] else Status.PASSED), verdict
    assert ("a thread of the tests imports nothing" in str(verdict)) is THREADS[text]


LOADS = {
    "by createRequire": 'createRequire("/")("/workspace/s.cjs")',
    "by a module": 'new Module("/x.cjs").load("/workspace/s.cjs")',
}


@pytest.mark.parametrize("name", one_of(2, LOADS))
def test_a_test_loads_no_file_of_the_submission_by_its_path(name: str, tmp_path: Path) -> None:
    tests = f'{NODE_HEAD}import Module, {{ createRequire }} from "node:module";\ntest("t", () => {{ {LOADS[name]}; }});'
    checks = [{"type": "code-grader", "command": NODE[1]}]
    case = {"input": "x", "language": NODE[0], "isolation": "apart", "assertions": checks}
    write(tmp_path, {"case/case.yaml": json.dumps(case), "case/grading/a.test.mjs": tests, "work/s.cjs": ""})
    with Grader() as grader:
        verdict = grader.grade(load_case(tmp_path / "case"), read_submission(tmp_path / "work")).verdict
    assert "s.cjs is the submission's: import it by its relative name" in str(verdict)
