"""With which answers tests of JavaScript pass: the reference's or others, also where two loops of events decide."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from grading_bench import write
from sampled import one_of

from gradebox.graders import Grader, load_case
from gradebox.graders.model.verdict import Status, Verdict
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

RUNS = {"javascript": "node --test grading/", "typescript": "bun test ./grading/a.test.mjs"}
# `make thorough` tries the other runner, too, where both take the same way.
OFTEN = ["javascript", pytest.param("typescript", marks=pytest.mark.thorough)]
TESTS = """
import assert from "node:assert/strict"; import fs from "node:fs"; import http from "node:http"; import test from "RUNNER";
import { all, fails, fill, kinds, later, listed, made, notify, port, save, twice } from "../s.mjs";
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
test("listed", () => assert.deepEqual([...listed(2)], [0, 1]));
test("made", () => assert.equal(made().size, 2));
test("fails", () => assert.throws(fails));
test("fill", () => { const all = []; fill(all); assert.ok(all.length > 0); });
test("later", async () => assert.ok(await later(1)));
test("notify", async () => { const got = []; await notify((x) => got.push(x)); assert.equal(got.length, 2); });
test("all", async () => { const got = []; await Promise.all([all(300), all(1)].map((each) => each.then((x) => got.push(x)))); assert.equal(got.length, 2); });
test("left", async () => { const got = []; notify((x) => got.push(x)); await notify(() => {}); });
test("file", () => { const place = fs.mkdtempSync(`${process.env.TMPDIR}/x-`); save(`${place}/x`); assert.ok(fs.readFileSync(`${place}/x`)); });
test("port", async () => { const own = http.createServer((_, to) => to.end("x")).listen(0); await new Promise((done) => http.get({ port: own.address().port + port() }, (from) => from.resume().on("end", done))); own.close(); });
test("calls", () => assert.equal(twice({ use: (x) => x + 1 }), 3));
test("set", () => assert.ok(kinds().has("a")));
test("nothing", () => {});
"""
# Without those that use files and connections.
COMPARABLE = "\n".join(line for line in TESTS.splitlines() if not line.startswith(('test("file"', 'test("port"')))
REFERENCE = """
import fs from "node:fs";
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
export const listed = (n) => Array.from({ length: n }, (_, i) => i);
class Bag { get size() { return 2; } }
export const made = () => new Bag();
export const fails = () => { throw new RangeError("no"); };
export const fill = (to) => { to.push(1); };
export const later = async (x) => { await wait(1); return x; };
export const notify = async (use) => { for (const x of [1, 2]) { await wait(1); use(x); } };
export const all = async (ms) => { await wait(ms); return "done"; };
export const save = (file) => fs.writeFileSync(file, "1");
export const port = () => 0;
export const twice = ({ use }) => use(2);
export const kinds = () => new Set(["a", "b"]);
"""
HONEST = """
import fs from "node:fs";
export const helper = (x) => x * 2;
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
export const port = () => helper(0);
export function listed(n) { const all = []; for (let i = 0; i < n; i += 1) all.push(i); return all; }
class Bag { items = [1, 2]; get size() { return this.items.length; } clear() {} }
export const made = () => new Bag();
export function fails() { throw new RangeError("none there"); }
export const fill = (to) => { to[to.length] = 1; };
export const later = (x) => new Promise((done) => setTimeout(() => done(x), 3));
export const notify = async (use) => { await wait(3); use(1); await wait(1); use(2); };
export const all = (ms) => wait(ms).then(() => "done");
export const save = (file) => fs.appendFileSync(file, "1");
export const twice = (options) => options.use(2, "more");
export const kinds = () => new Set("ba");
"""
# What a submission does otherwise, by tests.
OTHER = {
    "listed": ("Array.from({ length: n }, (_, i) => i)", "[0, 1].values()"),
    "fails": ("new RangeError", "new TypeError"),
    "fill": ("to.push(1)", "to.push(2)"),
    "later": ("return x;", "return x + 1;"),
    "notify": ("use(x)", "use(x + 1)"),
}


@pytest.fixture(scope="module")
def grader(engine: DockerEngine) -> Iterator[Grader]:
    """Judges each reference once for all submissions."""
    with Grader(engine=engine) as grader:
        yield grader


def graded(
    grader: Grader,
    directory: Path,
    language: str,
    contract: str,
    work: str,
    of: str = TESTS,
    reference: str = REFERENCE,
) -> tuple[Verdict, dict[str, Any]]:
    """Return the verdict of a submission, and what it says of the answers."""
    checks = [{"name": "tests", "type": "code-grader", "command": RUNS[language]}]
    case = {"input": "x", "language": language, "isolation": "apart", "contract": contract, "assertions": checks}
    runner = "node:test" if language == "javascript" else "bun:test"
    tests = of.replace("import test", "import { test }").replace("RUNNER", runner)
    files = {"case.yaml": json.dumps(case), "workspace/README": "x", "grading/a.test.mjs": tests}
    write(directory, {f"case/{name}": text for name, text in {**files, "reference/s.mjs": reference}.items()})
    write(directory, {"work/s.mjs": work})
    verdict = grader.grade(load_case(directory / "case"), read_submission(directory / "work")).verdict
    return verdict, dict(verdict.checks[0].details.get("answers", {}))


@pytest.mark.parametrize("way", one_of(3, product(RUNS, ["exact", "recorded"])))
def test_honest_work_gives_the_answers_of_the_reference(grader: Grader, tmp_path: Path, way: tuple[str, str]) -> None:
    language, contract = way
    verdict, found = graded(grader, tmp_path, language, contract, HONEST, COMPARABLE if contract == "exact" else TESTS)
    assert verdict.status is Status.PASSED, verdict.reasons
    # With much else to do, timers may fire in another order.
    assert found["other"] == 0
    assert found["same"] >= 8


@pytest.mark.parametrize("language", OFTEN)
def test_other_answers_are_named_and_fail_if_the_contract_is_exact(
    grader: Grader, tmp_path: Path, language: str
) -> None:
    work = REFERENCE
    for name, (old, new) in OTHER.items():
        assert old in work, name
        work = work.replace(old, new)
    verdict, found = graded(grader, tmp_path / "recorded", language, "recorded", work)
    assert verdict.status is Status.PASSED, verdict.reasons
    # A test that leaves what `notify` does to its end has its other answers, too.
    names = [*OTHER, "left"]
    told = [f"grading/a.test.mjs: {name}" for name in names]
    assert (found["tests"], found["same"] + found["unknown"]) == (told, 6)
    assert "6 of 12 tests passed with answers that the reference did not give" in verdict.checks[0].reason
    verdict, found = graded(grader, tmp_path / "exact", language, "exact", work, COMPARABLE)
    assert verdict.status is Status.FAILED
    assert (found["other"], found["same"], found["unknown"]) == (0, 4, 0)


def test_only_the_order_of_what_is_done_differs(grader: Grader, tmp_path: Path) -> None:
    work = REFERENCE.replace("await wait(ms)", "await wait(301 - ms)")
    verdict, found = graded(grader, tmp_path, "javascript", "exact", work, COMPARABLE)
    assert verdict.status is Status.PASSED, verdict.reasons
    assert (found["same"], found["other"], found["unknown"]) == (10, 0, 0)


@pytest.mark.parametrize("language", OFTEN)
@pytest.mark.parametrize(("contract", "told"), [("exact", {"same": 1}), ("recorded", {"unknown": 4})])
def test_texts_of_errors_count_in_tests_that_read_them(
    grader: Grader, tmp_path: Path, language: str, contract: str, told: dict[str, int]
) -> None:
    read = """import { inspect } from "node:util"; const failed = () => { try { fails(); } catch (error) { return error; } };
test("reads", () => assert.throws(fails, /no/));
test("shows", () => assert.match(inspect(failed()), /no/));
test("looks", () => assert.match(Object.getOwnPropertyDescriptor(failed(), "message").value, /no/));
"""
    if language == "typescript":
        # Bun reads the message itself.
        read += (
            'import { expect } from "bun:test"; test("class", () => { expect(() => fails()).toThrow(RangeError); });'
        )
        told = {outcome: count + 1 for outcome, count in told.items()}
    tests = "\n".join(line for line in TESTS.splitlines() if "test(" not in line or '"fails"' in line)
    work = REFERENCE.replace('"no"', '"none there"')
    verdict, found = graded(grader, tmp_path, language, contract, work, f"{tests}\n{read}\n")
    assert verdict.status is (Status.FAILED if contract == "exact" else Status.PASSED), verdict.reasons
    assert found == {"same": 0, "other": 0, "unknown": 0, **told}


PLACES = """
import assert from "node:assert/strict"; import test from "RUNNER"; import { fails, traced } from "../s.mjs";
test("places", () => assert.throws(() => fails(2, 7), (error) => error.line > 1 && error.column > 1));
test("stack", () => assert.throws(traced, (error) => /^Error: no\\n[^]*at half \\(line 4\\)/.test(error.stack)));
// Bun says of each error where it was made.
if (!process.versions.bun) test("made", () => assert.throws(() => fails(2, 7), (error) => error.originalLine > 0));
"""
PLACED = """
export const fails = (line, column) => { throw Object.assign(new SyntaxError('no'), { line, column, originalLine: line }); };
export const traced = () => { const error = new Error('no'); error.stack += '\\n    at half (line 4)'; throw error; };
"""
# The stack says that these are places of the runtime.
DISPLACED = {
    "{ line,": "{ stack: '\\n    at a:1000000000:7', line: 1e9,",
    "(line 4)'": "(line 4)\\n    at half (line 5)'",
}
NAMED = """
import assert from "node:assert/strict"; import test from "RUNNER"; import { afterEach } from "RUNNER"; import { coded, hiding, made, refuse, use } from "../s.mjs";
let ended = 0; afterEach(() => { ended += 1; });
test("names", () => assert.match(made(() => {}).name, /f/));
test("lengths", () => assert.ok(made(() => {}).length < 9));
test("in turn", () => { for (const x of [1, 2]) assert.throws(() => refuse(x), /odd|even/); });
test("once more", () => assert.throws(() => use(() => {}), /line 3/));
test("code", () => assert.throws(coded, { code: "E" }));
test("hides", () => assert.throws(hiding, (error) => !("token" in { ...error })));
test("hooks", () => { assert.equal(typeof made(() => {}), "function"); assert.equal(ended, 6); });
"""
NAMES = """
export const made = (use) => Object.defineProperty(() => use(), 'name', { value: 'f' });
export const refuse = (x) => { throw new Error(x % 2 ? 'odd' : 'even'); };
export const use = (back) => { back(); throw new Error('line 3'); };
export const coded = () => { throw Object.assign(new Error('coded'), { code: 'E' }); };
export const hiding = () => { throw Object.defineProperties(new Error('no'), { id: { value: 1, enumerable: true }, token: { value: 2 } }); };
"""
OTHER_NAMES = {
    "() => use()": "(x) => use(x)",
    "'f'": "'any of f'",
    "'odd' : 'even'": "'even' : 'odd'",
    "'coded'": "'in other words'",
    ", enumerable: true": "",
}
ONCE_MORE = ("throw new Error('line 3')", "queueMicrotask(back); throw new Error('line 1, line 3')")
JUDGED = """
import assert from "node:assert/strict"; import test from "RUNNER"; import { Money, all } from "../s.mjs";
const one = (value) => new Money(value);
test("equal", () => assert.ok(one(1).plus(one(2)).equals(one(3))));
test("held", () => assert.equal(all([one(1), one(2)]), 3));
test("waits", async () => assert.ok(await one(1).later(one(1))));
test("bare", () => assert.deepEqual(one(1), one(1)));
test("data", () => assert.equal(one(1).plus(one(2)).cents, 3));
test("lists", () => assert.deepEqual([one(1).equals(1), one(2).parts([1, 2])], [false, 2]));
"""
MONEY = """
export class Money { #c; constructor(c) { this.#c = c; } get cents() { return this.#c; }
  plus(other) { return new Money(this.#c + other.#c); } equals(other) { return other instanceof Money && other.#c === this.#c; }
  async later(other) { return this.equals(other); } parts(list) { return list.length; } }
export const all = (list) => list.reduce((sum, { cents }) => sum + cents, 0);
"""


def _alone(
    grader: Grader, directory: Path, language: str, tests: str, work: dict[str, str], contract: str = "exact"
) -> dict[str, dict[str, Any]]:
    """Return what verdicts of submissions say of their answers, where the first one is the reference."""
    found = {}
    for name, text in work.items():
        _, found[name] = graded(grader, directory / name, language, contract, text, tests, next(iter(work.values())))
    return found


def _changed(work: str, changes: dict[str, str]) -> str:
    for old, new in changes.items():
        assert old in work
        work = work.replace(old, new)
    return work


AT_THE_END = """
import assert from "node:assert/strict"; import { fails, size } from "../s.mjs";
process.on("exit", () => { process.exitCode = 0; assert.throws(fails, /no/); assert.equal(size({ use: 1 }), 1); });
"""


def test_what_a_file_asks_at_its_end_counts_whatever_its_status_is(grader: Grader, tmp_path: Path) -> None:
    work = "export const fails = () => { throw new Error('no'); };\nexport const size = () => 1;\n"
    for text, status in ((work, Status.PASSED), (work.replace("'no'", "'none'"), Status.FAILED)):
        verdict, _ = graded(grader, tmp_path, "javascript", "exact", text, AT_THE_END, work)
        assert (verdict.status, verdict.tampering) == (status, ()), verdict.reasons


ONE_OBJECT = """
import assert from "node:assert/strict"; import test from "RUNNER"; import { less, made, one, size, two } from "../s.mjs";
test("one", () => assert.equal(size(made(3)), 3));
test("two", () => assert.ok(less(one, two)));
"""


def test_several_objects_are_no_answer_about_each_other_and_one_is(grader: Grader, tmp_path: Path) -> None:
    work = """class Stack { all = []; } export const made = (n) => Object.assign(new Stack(), { all: Array(n).fill(0) });
export const size = (of) => of.all.length; const count = (f) => f((n) => n + 1)(0);
export const one = (f) => (x) => f(x); export const two = (f) => (x) => f(f(x)); export const less = (a, b) => count(a) < count(b);
"""
    _, found = graded(grader, tmp_path, "javascript", "recorded", work, ONE_OBJECT, work)
    assert (found["same"], found["unknown"]) == (1, 1)


@pytest.mark.parametrize("language", OFTEN)
def test_places_of_an_error_count_where_a_test_reads_them(grader: Grader, tmp_path: Path, language: str) -> None:
    work = {"same": PLACED, "moved": f"\n\n\n  {PLACED}", "other": _changed(PLACED, DISPLACED)}
    found = _alone(grader, tmp_path, language, PLACES, work)
    count = 2 if language == "typescript" else 3
    assert {name: each["same"] for name, each in found.items()} == {"same": count, "moved": count, "other": 0}


def test_what_functions_and_errors_say_counts_in_tests_that_read_it_and_hooks_run(
    grader: Grader, tmp_path: Path
) -> None:
    other = _changed(NAMES, {**OTHER_NAMES, ONCE_MORE[0]: ONCE_MORE[1]})
    found = _alone(grader, tmp_path, "javascript", NAMED, {"same": NAMES, "other": other})
    assert [(each["same"], each["unknown"]) for each in found.values()] == [(7, 0), (2, 0)]


def test_a_submission_that_fails_to_run_has_failed(grader: Grader, tmp_path: Path) -> None:
    work = f"process.getActiveResourcesInfo = () => {{ throw new Error('no'); }};\n{NAMES}"
    verdict, _ = graded(grader, tmp_path, "javascript", "recorded", work, NAMED, NAMES)
    assert verdict.status is Status.FAILED


@pytest.mark.parametrize("language", OFTEN)
def test_nobody_knows_what_the_reference_alone_compares(grader: Grader, tmp_path: Path, language: str) -> None:
    wild = MONEY.replace("other instanceof Money && other.#c === this.#c", "other instanceof Money")
    for each in _alone(grader, tmp_path, language, JUDGED, {"same": MONEY, "other": wild}, "recorded").values():
        assert each == {"same": 2, "other": 0, "unknown": 4}
    verdict, _ = graded(grader, tmp_path / "exact", language, "exact", wild, JUDGED, MONEY)
    assert verdict.status is Status.ERROR
    assert "it compares objects of the submission by their own methods" in verdict.checks[0].reason


VARYING = """
import assert from "node:assert/strict"; import fs from "node:fs"; import test from "RUNNER"; import { id } from "../s.mjs";
test("varies", () => assert.ok(id()));
test("looks", () => assert.ok(fs.existsSync("kept")));
test("same", () => assert.equal(typeof id, "function"));
"""
VARYING_WORK = """
import fs from "node:fs";
export const id = () => `x${Math.random()}`; fs.writeFileSync("kept", "");
"""


@pytest.mark.parametrize("language", OFTEN)
@pytest.mark.parametrize(
    ("left_out", "why"),
    [
        ("looks", "the reference gives others in each run"),
        ("varies", "it runs beside others, or uses files, programs or connections, too"),
    ],
)
def test_answers_that_cannot_be_compared_fail_if_the_contract_is_exact(
    grader: Grader, tmp_path: Path, language: str, left_out: str, why: str
) -> None:
    tests = "\n".join(line for line in VARYING.splitlines() if f'test("{left_out}"' not in line)
    verdict, _ = graded(grader, tmp_path, language, "exact", VARYING_WORK, tests, VARYING_WORK)
    # The reference fails, too, so no submission is to blame.
    assert verdict.status is Status.ERROR
    assert verdict.checks[0].reason.endswith(why)


# Tests that use nothing but what a submission may have made in another way than by answers.
LOOKING = """
import assert from "node:assert/strict"; import { spawnSync } from "node:child_process"; import fs from "node:fs"; import net from "node:net"; import test from "RUNNER"; import "../s.mjs";
test("file", () => fs.statSync(process.env.TMPDIR));
test("program", () => spawnSync("candidate", ["true"]));
test("connection", () => net.connect(1).on("error", () => {}).destroy());
test("nothing", () => assert.ok(true));
"""
# What Bun has besides.
LOOKING_OF_BUN = """
import { Glob as Names } from "bun"; import { globSync } from "node:fs";
test("socket", () => new WebSocket("ws://127.0.0.1:1").terminate());
test("glob", () => [...new Bun.Glob("*").scanSync("/tmp")]);
test("names", () => [...new Names("*").scanSync("/tmp")]);
test("globSync", () => globSync("/tmp/*"));
test("which", () => Bun.which("x"));
test("fetch", () => fetch("data:,x"));
test("harmless", () => assert.ok(Bun.hash("x") && Bun.deepEquals(1, 1) && Bun.inspect(1)));
"""


@pytest.mark.parametrize("language", OFTEN)
def test_nobody_knows_what_a_test_without_answers_sees_elsewhere(grader: Grader, tmp_path: Path, language: str) -> None:
    more = LOOKING_OF_BUN if language == "typescript" else ""
    verdict, found = graded(grader, tmp_path, language, "recorded", "", LOOKING + more, "")
    assert verdict.status is Status.PASSED, verdict.reasons
    assert found == {"same": 0, "other": 0, "unknown": 9 if more else 3}
    if more:
        for name, text in {"module": 'import "bun:sqlite";', "text": "() => Bun.fetch;"}.items():
            _, found = graded(
                grader, tmp_path / name, language, "recorded", "", f"{LOOKING.replace('file', 'x')}{text}", ""
            )
            assert found == {"same": 0, "other": 0, "unknown": 4}


LOADED = """
import assert from "node:assert/strict"; import test from "RUNNER"; import { KINDS, LEVELS, found, tiny } from "../s.mjs";
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
for (const kind of KINDS) test(kind, () => assert.ok(kind));
test("levels", () => { for (const [name, level] of Object.entries(LEVELS)) assert.ok(name && level); });
test("tiny", () => assert.ok(tiny() <= 0));
test("waits", async () => { await wait(2); assert.ok(found.one()); assert.ok(found.two()); assert.ok(found.one()); });
TODO
"""
LOADED_WORK = """
export const KINDS = ["a", "b"]; export const LEVELS = { low: 1, high: 2 };
export const tiny = () => 0; export const found = { one: () => 1, two: () => 2 }; export const flags = () => ({ streams: 1 });
export const nothing = undefined;
"""
TODO = 'import { flags } from "../s.mjs"; test("may fail", (t) => { if (!flags().streams) t.todo(); assert.ok(flags().streams); });'
# What a submission has in place of the reference's.
FORGED = {
    "fewer tests": ('["a", "b"]', '["a"]'),
    "other keys": ("{ low: 1, high: 2 }", "{ x: 1, high: 2, low: 1 }"),
    "another zero": ("tiny = () => 0", "tiny = () => -0"),
    "one answer for two": ("two: () => 2", "two: () => 1"),
    "a test that may fail": ("streams: 1", "streams: 0"),
}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("language", OFTEN)
def test_what_no_test_is_alone_with_counts_for_each(grader: Grader, tmp_path: Path, language: str) -> None:
    tests = LOADED.replace("TODO", TODO if language == "javascript" else "")
    passed = _passed(grader, tmp_path, language, tests, LOADED_WORK, FORGED)
    assert passed == ({"a test that may fail"} if language == "typescript" else set())


# What comes for a function, a promise and a list that no test made, and what is asked after a wait.
LATE = """
import assert from "node:assert/strict"; import test from "RUNNER"; import { begin, collect, isDone, isOdd, use, watch } from "../s.mjs";
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const [seen, list, begun] = [[], [], begin()];
watch((x) => seen.push(x)); collect(list);
test("ends", async () => { await wait(40); assert.ok(seen.includes(1)); assert.ok(list.length); });
test("begun", async () => assert.match(await begun, /a/));
test("in turn", async () => { const got = []; for (const x of [1, 2, 3, 4, 5]) { await wait(2); if (isOdd(x)) got.push(x); } assert.ok(got.includes(3)); });
test("reads", () => assert.ok(use((x, y = 2) => y > 0)));
test("until", async () => { while (!isDone({ now: true })) await wait(2); });
"""
LATE_WORK = """
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
export const watch = async (use) => { await wait(5); use(1); use(2); };
export const collect = async (to) => { await wait(5); to.push({ x: 1 }); to.push({ x: 2 }); };
export const begin = async () => { await wait(5); return "a b"; };
export const use = (back) => back(1);
export const isOdd = (x) => [1, 3, 5].includes(x); const MOST = 3; let looks = 0; export const isDone = () => { looks += 1; return looks > MOST; };
"""
FORGED_LATE = {
    "more for a function": ("use(2);", "use(2); use(3);"),
    "another promise": ('"a b"', '"a c"'),
    "another list": ("{ x: 1 });", "{ x: 3 }); await wait(5);"),
    "an argument that is read": ("back(1)", "back(1, 3)"),
    "the same answers in another turn": ("[1, 3, 5]", "[1, 2, 3, 5]"),
}


def _passed(
    grader: Grader, directory: Path, language: str, tests: str, work: str, forged: dict[str, tuple[str, str]]
) -> set[str]:
    """Return which submissions passed that differ from the reference, if those that give its answers do."""
    verdict, found = graded(grader, directory, language, "exact", f"export const help = 1;\n{work}", tests, work)
    assert (verdict.status, found["other"], found["unknown"]) == (Status.PASSED, 0, 0), verdict.reasons
    passed = set()
    for name, (old, new) in forged.items():
        write(directory, {f"{name}/s.mjs": _changed(work, {old: new})})
        verdict = grader.grade(load_case(directory / "case"), read_submission(directory / name)).verdict
        assert verdict.status in {Status.PASSED, Status.FAILED}, verdict.reasons
        assert not verdict.tampering
        passed.update({name} if verdict.status is Status.PASSED else ())
    return passed


LATE_IN_BUN = """
import assert from "node:assert/strict"; import test from "RUNNER"; import { watch } from "../s.mjs";
const seen = [];
test("begins", () => { watch((x) => seen.push(x)); assert.ok(true); });
test("ends", async () => { await new Promise((done) => setTimeout(done, 40)); assert.ok(seen.includes(1)); });
"""


def test_what_comes_late_in_bun_counts_and_is_no_tampering(grader: Grader, tmp_path: Path) -> None:
    late = {"more for a function": FORGED_LATE["more for a function"]}
    assert _passed(grader, tmp_path, "typescript", LATE_IN_BUN, LATE_WORK, late) == set()


def test_what_comes_late_and_each_question_counts(grader: Grader, tmp_path: Path) -> None:
    forged = {**FORGED_LATE, "other waits": ("MOST = 3", "MOST = 9")}
    assert _passed(grader, tmp_path, "javascript", LATE, LATE_WORK, forged) == {"other waits"}
