"""What submissions of JavaScript and TypeScript answer apart, where the reference says what is asked of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.submissions.source import read_submission

PROGRAMS = {"javascript": ("node --test grading/", "node:test"), "typescript": ("bun test grading/", "bun:test")}
TESTS = """
import assert from "node:assert/strict";
import {{ test }} from "{runner}";
import words, {{ count }} from "../words.cjs";
import square from "../square.cjs";
import {{ Bag, sizes, sorted, total, stack, tasks }} from "../src/bag.mjs";
import {{ each, both, kept, listed, texts, talk, Money }} from "../src/bag.mjs";
import data from "./data.json" with {{ type: "json" }};
import helper from "./helper.cjs";

test("CommonJS", () => {{
  assert.deepEqual([count("a b"), words.count("a"), square(3), helper.twice("a b")], [2, 1, 9, 4]);
}});
test("data", () => assert.equal(data.a, 1));
test("objects", () => {{
  const bag = new Bag();
  assert.ok(bag.add(3).has(3));
  assert.ok(!bag.has(4));
}});
test("lists", () => assert.deepEqual([...sizes(["a", "bc"])], [1, 2]));
test("looking into a list", () => assert.ok(sorted(["b", "a"]).includes("a")));
test("numbers", () => {{
  const sum = total([1, 2]);
  assert.ok(sum > 2.5 && sum < 3.5);
}});
test("records", () => {{
  const made = stack();
  made.push(1);
  assert.equal(made.pop(), 1);
}});
test("objects beside data", () => {{
  for (const [bag, text] of [both(), [...kept()], [listed()[0], texts()[0]]]) {{
    assert.ok(bag.has(3));
    assert.ok(text.includes("ab"));
  }}
}});
test("functions of the tests", async () => {{
  each([1, 2], (item) => assert.ok(item < 3));
  await tasks.each([1, 2], async (item) => assert.ok(item < 3));
}});
test("conversions", () => assert.equal(`${{new Money(3)}}`, "$3"));
test("values for a generator", () => {{
  const talking = talk();
  assert.equal(talking.next().value, "first");
  assert.equal(talking.next("a").value, "a");
}});
test("imports at run time", async () => {{
  const name = "late";
  assert.equal((await import("../" + name + ".mjs")).late(), 5);
  await assert.rejects(import("../bad.mjs"), /on purpose/);
  await assert.rejects(import("package-of-the-submission"));
}});
test("rejected promises", async () => {{
  await assert.rejects(tasks.failing(), {{ name: "RangeError", message: "bad" }});
  assert.equal(await tasks.caught(Promise.reject(new Error("mine"))), "mine");
}});
"""
HELPER = 'const { count } = require("../words.cjs"); module.exports = { twice: (text) => 2 * count(text) };'
BAG = """
export class Bag { #items = new Set();
  add(item) { this.#items.add(item); return this; }
  has(item) { return this.#items.has(item); }
}
export const sorted = (words) => [...words].sort();
export const sizes = (words) => words.map((word) => word.length);
export const total = (values) => values.reduce((sum, value) => sum + value, 0);
export const stack = () => { const all = []; return { push: (item) => all.push(item), pop: () => all.pop() }; };
const bag = () => new Bag().add(3);
export const both = () => [bag(), "abc"];
export const kept = function* () { yield bag(); yield "abc"; };
export const listed = () => [bag()]; export const texts = () => ["abc"];
export const each = (items, use) => { for (const item of items) use(item); };
export function* talk() { yield yield "first"; }
export class Money { constructor(n) { this.n = n; }
  toString() { return `$${this.n}`; }
}
export const tasks = {
  async each(items, use) { for (const item of items) await use(item); },
  async failing() { throw new RangeError("bad"); },
  async caught(promise) { try { return await promise; } catch (error) { return error.message; } },
};
"""
REFERENCE = {
    "words.cjs": 'exports.count = (text) => text.split(" ").length;',
    "square.cjs": "module.exports = (x) => x * x;",
    "src/bag.mjs": BAG,
    "late.mjs": "export const late = () => 5;",
    "bad.mjs": 'throw new Error("on purpose");',
    "node_modules/package-of-the-submission/index.js": "module.exports = 1;",
}
SORTED = "[...words].sort();"
SIZES = "words.map((word) => word.length);"
HONEST = {
    "a generator for a list": (SIZES, "(function* () { for (const word of words) yield word.length; })();"),
    "a class derived from Array": (SIZES, "Sizes.from(words, (word) => word.length);\nclass Sizes extends Array {}"),
    "an object for a record": (
        "{ const all = []; return { push: (item) => all.push(item), pop: () => all.pop() }; };",
        "new Stack();\nclass Stack { all = []; push(item) { this.all.push(item); } pop() { return this.all.pop(); } }",
    ),
    "a class that converts itself by a symbol": ("toString() {", "[Symbol.toPrimitive]() {"),
    "a class that returns another object": (
        "export class Bag { #items",
        "export class Bag { constructor() { return new Held(); } }\nclass Held { #items",
    ),
}
METHODS = "static yes = new Yes(); has() { return true; } includes() { return true; }"
DISHONEST = {
    "an object beside an object": ('[bag(), "abc"];', f"[Yes.yes, Yes.yes];\nclass Yes {{ {METHODS} }}"),
    "an iteration of objects": (
        'yield bag(); yield "abc";',
        f"yield Yes.yes; yield Yes.yes; }};\nclass Yes {{ {METHODS} ",
    ),
    "one list in two places": (
        '[bag()]; export const texts = () => ["abc"];',
        f"Yes.all; export const texts = () => Yes.all;\nclass Yes {{ {METHODS} static all = [Yes.yes]; }}",
    ),
    "a failure that is caught": ("use(item); };", "try { use(9); } catch {} };"),
    "a failure that is caught later": ("await use(item); }", "try { await use(9); } catch {} }"),
    "a record that has everything": (SORTED, "({ includes: () => true, length: 2 });"),
    "an object that has everything": (SORTED, "new Yes();\nclass Yes { includes() { return true; } }"),
    "an object that gives it all": (SORTED, "new Yes();\nclass Yes { includes = () => true; *[Symbol.iterator]() {} }"),
    "a list that has everything": (SORTED, "Yes.from([]);\nclass Yes extends Array { includes() { return true; } }"),
    "a number that changes": (
        "values.reduce((sum, value) => sum + value, 0);",
        "new Either();\nlet n = 0;\nclass Either { valueOf() { return (n += 1) % 2 ? 9 : 1; } }",
    ),
    "the end of the process": ("throw new RangeError", "process.exit(0); throw new RangeError"),
}


def _put(directory: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return directory


@pytest.mark.parametrize("language", PROGRAMS)
def test_honest_answers_pass_and_others_fail(language: str, tmp_path: Path) -> None:
    command, runner = PROGRAMS[language]
    grading = {"it.test.mjs": TESTS.format(runner=runner), "data.json": '{"a": 1}', "helper.cjs": HELPER}
    case: dict[str, object] = {"input": "x", "language": language, "isolation": "apart"}
    case["assertions"] = [{"type": "code-grader", "command": command}]
    _put(tmp_path / "case", {"case.yaml": json.dumps(case)})
    _put(tmp_path / "case" / "grading", grading)
    _put(tmp_path / "case" / "reference", REFERENCE)
    places = {"the reference": _put(tmp_path / "the reference", REFERENCE)}
    for name, (before, after) in {**HONEST, **DISHONEST}.items():
        assert before in BAG
        places[name] = _put(tmp_path / name, {**REFERENCE, "src/bag.mjs": BAG.replace(before, after)})
    places["a link to a file of the case"] = _put(tmp_path / "link", REFERENCE)
    (tmp_path / "link" / "words.cjs").unlink()
    (tmp_path / "link" / "words.cjs").symlink_to("grading/helper.cjs")
    with Grader() as grader:
        tasks = [Task(load_case(tmp_path / "case"), read_submission(place)) for place in places.values()]
        results = dict(zip(places, grader.grade_many(tasks, jobs=2), strict=True))
    passed = {name for name, result in results.items() if result.verdict.status == "passed"}
    assert passed == {"the reference", *HONEST}, {name: result.verdict.checks for name, result in results.items()}
    assert {result.verdict.status for name, result in results.items() if name not in passed} == {"failed"}
