"""JavaScript and TypeScript judged apart, with the real engine: the tests in one process, the submission in another."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

import json
import re
from os import environ
from pathlib import Path
from unittest.mock import patch

import pytest
from apart_bench import JAVASCRIPT_EXERCISES, exercises
from golden_boundary import javascript_program

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.languages.language import Language
from gradebox.graders.model.result import Result
from gradebox.graders.submissions.source import read_submission

EXERCISES = tuple(exercises(JAVASCRIPT_EXERCISES))
_NAMES = re.compile(r"^export (?:async )?(?:function\*?|class|const) (\w+)", re.MULTILINE)
RUNS = {"javascript": "node --test grading/", "typescript": "bun test grading/"}
CASE = """
input: Write words.mjs
language: {language}
isolation: apart
limits: {{memory: 512m, pids: 64}}
examples_setup: |
  import assert from "node:assert/strict";
  import fs from "node:fs";
  import os from "node:os";
  import {{ count, uid, later, steal, lie, save, variable, price, plain }} from "./words.mjs";
examples:
  - assert.equal(count("a b"), 2)
  - |
    assert.notEqual(uid(), process.getuid());
    assert.equal(await later(3), 3);
    assert.notEqual(steal(() => 1), process.pid);
    for (const money of [price(3), plain(3)]) {{
      assert.ok(money > 2 && money < 4);
      money.n = 9;
      assert.deepEqual([+money, `${{money}}`, money + 1], [9, "$9", 10]);
    }}
    const directory = fs.mkdtempSync(`${{os.tmpdir()}}/x-`);
    fs.writeFileSync(`${{directory}}/old`, "1");
    for (const name of ["old", "new"]) save(`${{directory}}/${{name}}`);
    assert.deepEqual(["old", "new"].map((name) => fs.readFileSync(`${{directory}}/${{name}}`, "utf8")), ["1!", "!"]);
    fs.rmSync(directory, {{ recursive: true }});
    process.env.VARIABLE = "set";
    assert.equal(variable(), "set");
assertions:
  - {{type: examples}}
  - {{name: together, type: examples, isolation: in-process, items: ['assert.equal(count("a b"), 2)']}}
  - {{name: objects, type: unit-tests, isolation: shared, setup: '', items: {items}}}
  - {{name: files, type: code-grader, command: {command}}}
"""
# Each weakens one guard, so that the item passes.
BITES = {
    'assert.ok(lie().includes("x"))': (":!isOfCopy&&member===void 0", ":true"),
    "assert.equal(lie().class.find((x) => x === 42), 42)": ("this.isNamed(subject):", "true:"),
    "const near = [1]; for (const x of vague()) near.push(x > 1.41 && x < 1.42); assert.ok(near.every(Boolean))": (
        "throw this.spoil(this.limit(`an object may",
        "void (this.spoil, (`an object may",
    ),
    "assert.equal(poison((o, k, n, v) => { o[k][n] = v; }), 3)": (
        'throw this.lost("had built-in',
        'void ("had built-in',
    ),
}
FUZZED = """
input: Nothing
isolation: apart
image: gradebox/{program}
assertions: [{{name: fuzzed, type: code-grader, command: {program} grading/fuzz.mjs, env: {{FUZZ_SECONDS: "{seconds}"}}}}]
"""
TESTS = """
import assert from "node:assert/strict";
import {{ test }} from "{runner}";
import {{ count, later, Bag }} from "../words.mjs";
import {{ counted }} from "./helper.mjs";

test("words are counted", () => assert.deepEqual([count("x y"), counted], [2, 2]));
test("promises", async () => assert.equal(await later("a"), "a"));
test("objects", () => {{
  const bag = new Bag();
  assert.ok(bag.add(1).includes(1));
  assert.throws(() => bag.remove(5), {{ name: "RangeError", message: "no 5" }});
}});
"""
REFERENCE = """
import fs from "node:fs";
export const count = (text) => text.split(" ").length;
export const uid = () => process.getuid();
export const later = (value) => new Promise((resolve) => setTimeout(() => resolve(value), 5));
export const steal = (f) => f.constructor("return process")().pid;
export const poison = (f) => f({}, "__proto__", "poisoned", 1) ?? 3;
class Liar { find(test) { for (let i = 0; ; i += 1) if (test(i)) return i; } }
export const lie = () => ({ includes: () => true, class: new Liar() });
let asked = 0;
const either = () => (asked += 1) % 2 ? 2 : 1;
class Vague { valueOf() { return either(); } }
export const vague = () => [new Vague(), { valueOf: either }];
const conversions = { valueOf() { return this.n; }, toString() { return `$${this.n}`; } };
class Money { constructor(n) { this.n = n; } }
Object.assign(Money.prototype, conversions);
export const price = (n) => new Money(n);
export const plain = (n) => ({ n, ...conversions });
export const save = (file) => fs.appendFileSync(file, "!");
export const variable = () => process.env.VARIABLE;
export class Bag {
  #items = new Set();
  add(item) { this.#items.add(item); return this; }
  includes(item) { return this.#items.has(item); }
  remove(item) { if (!this.#items.delete(item)) throw new RangeError(`no ${item}`); }
}
"""
# What a submission does when a function of it is called.
ATTACKS = {
    "garbles": "fs.writeSync(3, Buffer.from([0, 0, 0, 9, ...Buffer.from('[1,[],[],')]))",
    "kills": "for (let pid = 2; pid < 9999; pid += 1) try { pid === process.pid || process.kill(pid, 9) } catch {}",
}


def lay(base: Path, runs_in: str) -> dict[str, Path]:
    items = []
    # Bun runs the same code on both sides.
    tried = ATTACKS if runs_in == "javascript" else {"kills": ATTACKS["kills"]}
    places = {name: base / name for name in ("right", "wrong", *tried)}
    for name, text in {"right": REFERENCE, "wrong": REFERENCE.replace(".length", ".size")}.items():
        places[name].mkdir(parents=True)
        (places[name] / "words.mjs").write_text(text)
    for name, attack in tried.items():
        places[name].mkdir()
        text = REFERENCE.replace('text.split(" ").length', f"{{ {attack}; return 3; }}")
        (places[name] / "words.mjs").write_text(text)
    for each in EXERCISES:
        (places["right"] / f"{each.name}.mjs").write_text(each.reference)
        names = ", ".join(_NAMES.findall(each.reference))
        head = f'import assert from "node:assert/strict"; import {{ {names} }} from "./{each.name}.mjs";\n'
        items.append({"name": each.name, "code": head + each.tests})
    grading = base / "case" / "grading"
    grading.mkdir(parents=True)
    listed = json.dumps(items)
    program = "node" if runs_in == "javascript" else "bun"
    case = CASE.format(language=runs_in, items=listed, command=RUNS[runs_in], program=program)
    (base / "case" / "case.yaml").write_text(case)
    (grading / "words.test.mjs").write_text(TESTS.format(runner="node:test" if program == "node" else "bun:test"))
    (grading / "helper.mjs").write_text('import { count } from "../words.mjs";\nexport const counted = count("1 2");')
    return places


@pytest.fixture(scope="module", params=RUNS)
def graded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    base = tmp_path_factory.mktemp(request.param)
    places = lay(base, request.param)
    case = load_case(base / "case")
    with Grader() as grader:
        results = grader.grade_many([Task(case, read_submission(place)) for place in places.values()], jobs=2)
        return dict(zip(places, results, strict=True))


def test_honest_work_passes_and_every_check_says_how_it_was_judged(graded: dict[str, Result]) -> None:
    checks = graded["right"].verdict.checks
    assert {check.name: check.score for check in checks} == dict.fromkeys((check.name for check in checks), 1.0), checks
    judged = {check.name: check.judged for check in checks}
    assert judged == {**dict.fromkeys(judged, "apart"), "together": "in-process"}


def test_no_other_work_passes(graded: dict[str, Result]) -> None:
    for name, result in graded.items():
        scores = {check.name: check.score or 0 for check in result.verdict.checks}
        if name != "right":
            assert (result.verdict.status, scores["files"], scores["objects"]) == ("failed", 0, 0), name
            assert scores["examples"] < 1, name


def test_what_is_guarded_passes_where_the_guard_is_weakened(tmp_path: Path) -> None:
    plain = Language.argv
    active: list[tuple[str, str]] = []

    def weakened(language: Language, *, apart: bool = False) -> tuple[str, ...]:
        *words, source = plain(language, apart=apart)
        for guard, weak in active:
            assert guard in source
            source = source.replace(guard, weak)
        return (*words, source)

    (tmp_path / "case").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "words.mjs").write_text(REFERENCE)
    head = 'import assert from "node:assert/strict"; import { lie, poison, vague } from "./words.mjs";\n'
    asked = {"type": "unit-tests", "isolation": "shared", "items": [head + item for item in BITES]}
    case = {"input": "x", "language": "javascript", "isolation": "apart", "assertions": [asked]}
    (tmp_path / "case" / "case.yaml").write_text(json.dumps(case))
    found = []
    for pairs in ([], BITES.values()):
        active[:] = pairs
        with patch.object(Language, "argv", weakened), Grader() as grader:
            found.append(grader.grade(load_case(tmp_path / "case"), read_submission(tmp_path / "work")))
    assert [[check.score for check in result.verdict.checks] for result in found] == [[0.0], [1.0]], found[1].verdict


@pytest.mark.parametrize("program", ["node", "bun"])
def test_nothing_but_data_comes_of_messages(program: str, tmp_path: Path) -> None:
    (tmp_path / "case" / "grading").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    (tmp_path / "case" / "case.yaml").write_text(
        FUZZED.format(program=program, seconds=environ.get("FUZZ_SECONDS", "2"))
    )
    (tmp_path / "case" / "grading" / "fuzz.mjs").write_text(javascript_program())
    with Grader() as grader:
        result = grader.grade(load_case(tmp_path / "case"), read_submission(tmp_path / "work"))
    assert result.verdict.status == "passed", result.verdict.checks
