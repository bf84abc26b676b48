"""What tests of JavaScript read of classes and objects that modules export is read once, unless the reference's change."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from forged_javascript import BUN, BUN_HEAD, NODE, NODE_HEAD, Forged, unexpected
from grading_bench import write

from gradebox.graders import Grader, load_case
from gradebox.graders.submissions.source import read_submission

REFERENCE = """
export const nothing = undefined;
export class Light { constructor(name) { this.name = name; } static RED = new Light("red"); static GREEN = new Light("green"); }
export class Status { static OPEN = "open"; static get DONE() { return "done"; } }
export const Mode = { Off: 0, On: 1 };
export class Lamp {
  mode = Mode.Off;
  static made = 0; static all = []; static kind = 'plain';
  constructor() { this.light = Light.RED; this.status = Status.OPEN; Lamp.made += 1; Lamp.all.push(this); }
  turn() { this.light = Light.GREEN; this.mode = Mode.On; this.status = Status.DONE; }
}
"""
TESTS = """import { Lamp, Light, Mode, Status } from "../s.mjs";
test("a state is compared with a constant", () => {
  const lamp = new Lamp();
  assert.equal(lamp.light, Light.RED); assert.equal(lamp.status, Status.OPEN); assert.equal(lamp.mode, Mode.Off);
  lamp.turn();
  assert.equal(lamp.light, Light.GREEN); assert.equal(lamp.status, Status.DONE); assert.equal(lamp.mode, Mode.On);
});
test("a constant is compared with a state", () => {
  const lamp = new Lamp();
  assert.equal(Light.RED, lamp.light); assert.equal(Status.OPEN, lamp.status);
  lamp.turn();
  assert.equal(Light.GREEN, lamp.light); assert.equal(Status.DONE, lamp.status);
});
test("what changes", () => {
  const made = Lamp.made;
  new Lamp();
  assert.equal(Lamp.made, made + 1); assert.equal(Lamp.all.length, Lamp.made);
  const plain = Lamp.kind;
  Lamp.kind = "other";
  assert.equal(Lamp.kind, "other");
  Lamp.kind = plain;
});
"""
LATE = """
let last; const constants = { get: (_, key) => last };
export const Light = new Proxy(class {}, constants), Status = new Proxy(class {}, constants);
export class Lamp { turn() {} get light() { return last = Symbol(); } get status() { return last = `${Math.random()}`; } }
"""
HEARD = """
let last; const known = {}; const constants = { get: (_, key) => last = known[key] ??= Symbol(key) };
export const Light = new Proxy(class {}, constants), Status = new Proxy(class {}, constants);
export class Lamp { turn() {} get light() { return last; } get status() { return last; } }
"""
GETTERS = LATE.replace(
    "new Proxy(class {}, constants)",
    "class { static get RED() { return last; } static get GREEN() { return last; } static get OPEN() { return last; } static get DONE() { return last; } }",
)
HONEST = (
    REFERENCE,
    REFERENCE.replace(
        'static RED = new Light("red"); static GREEN = new Light("green");',
        "static #all = [new Light(), new Light()]; static get RED() { return Light.#all[0]; } static get GREEN() { return Light.#all[1]; }",
    ),
    REFERENCE.replace('"open"', '"o"').replace('static get DONE() { return "done"; }', "static DONE = 'd';"),
)
# Each of them does nothing, in what does one kind of constants not differ?
IDLE = REFERENCE.replace("this.light = Light.GREEN; this.mode = Mode.On;", "").replace("this.status = Status.DONE;", "")
IDLE_LIGHT = REFERENCE.replace("this.light = Light.GREEN;", "")
IDLE_STATUS = REFERENCE.replace("this.status = Status.DONE;", "")
IDLE_MODE = REFERENCE.replace("this.mode = Mode.On;", "")
ONE = {
    "one object": IDLE_LIGHT.replace('static GREEN = new Light("green")', "static GREEN = Light.RED"),
    "one text": IDLE_STATUS.replace('return "done"', 'return "open"'),
    "one number": IDLE_MODE.replace("On: 1", "On: 0"),
    "null": IDLE_MODE.replace("Off: 0, On: 1", "Off: null, On: null"),
    "no numbers": IDLE_MODE.replace("{ Off: 0, On: 1 }", "{}"),
    "a map of none": IDLE_MODE.replace("{ Off: 0, On: 1 }", "new Map()"),
    "no texts": IDLE_STATUS.replace('static OPEN = "open"; static get DONE() { return "done"; }', ""),
}
CASE = Forged(
    NODE, NODE_HEAD + TESTS, REFERENCE, HONEST, {"decided late": LATE, "by getters": GETTERS, "heard": HEARD, **ONE}
)


@pytest.mark.parametrize("runs", [NODE, pytest.param(BUN, marks=pytest.mark.thorough)], ids=["node", "bun"])
def test_no_constant_is_decided_when_a_test_reads_it(runs: tuple[str, str], tmp_path: Path) -> None:
    head = NODE_HEAD if runs == NODE else BUN_HEAD + 'import assert from "node:assert/strict";\n'
    assert unexpected(replace(CASE, runs=runs, tests=head + TESTS), tmp_path) == {}


@pytest.mark.parametrize(
    "runs", [pytest.param("javascript", marks=pytest.mark.thorough), "typescript"], ids=["node", "bun"]
)
def test_constants_count_as_answers_where_tests_read_them(runs: str, tmp_path: Path) -> None:
    items = [
        "const lamp = new Lamp(); assert.equal(lamp.light, Light.RED); await 0; assert.equal(Light.RED, lamp.light);",
        "assert.notEqual(Light.GREEN, Light.RED); assert.equal(Status.DONE, 'done');",
    ]
    check = {"type": "unit-tests", "items": items, "imports": ['import assert from "node:assert"'], "contract": "exact"}
    check |= {"setup": 'import { Lamp, Light, Status } from "./s.mjs";'}
    case = {"input": "x", "language": runs, "isolation": "apart", "assertions": [check]}
    write(tmp_path, {"case/case.yaml": json.dumps(case), "case/reference/s.mjs": REFERENCE})
    for name, text in {"same": HONEST[0], "other": HONEST[2].replace("'d'", "'done'")}.items():
        write(tmp_path, {f"{name}/s.mjs": text})
    with Grader() as grader:
        case_read = load_case(tmp_path / "case")
        verdicts = {
            name: grader.grade(case_read, read_submission(tmp_path / name)).verdict for name in ("same", "other")
        }
    assert {name: each.status for name, each in verdicts.items()} == {"same": "passed", "other": "passed"}, verdicts
