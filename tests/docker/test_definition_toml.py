"""Definitions and answers on a real engine: what is code in an answer, what runs, what counts."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.languages.language import inside
from gradebox.graders.model.case import Case
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import UNTOUCHED
from gradebox.graders.model.verdict import Status
from gradebox.graders.submissions.answer import read_answer
from gradebox.graders.submissions.source import read_reference
from gradebox.plugins.julia_leaderboard.evaluations import recorded_tasks, score, write_evaluation
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Outcome, SandboxSpec

DEFINITIONS = {
    "clamp_all": '''\
[code_generation]
name = "clamp_all"
contributor = "gradebox"
criteria = ["parsed", "executed", "passed_unit_tests", "executed_examples"]
version = "1.0"
prompt = "Write `clamp_all(values, low, high)`: each value, or the nearest limit. Low above high is an ArgumentError."
imports = []
examples = ["clamp_all([1, 5, 9], 2, 6)", "clamp_all(limits...)"]
examples_setup = "limits = (Float64[], 0.0, 1.0)"
unit_tests = [
  "@test clamp_all([1, 5, 9], 2, 6) == [2, 5, 6]",
  "@test isempty(clamp_all(Int[], 0, 1))",
  "@test_throws ArgumentError clamp_all([1], 2, 1)",
]
reference_solution = """
function clamp_all(values, low, high)
    low > high && throw(ArgumentError("low is above high"))
    return [min(max(value, low), high) for value in values]
end
"""
''',
    "weekdays": '''\
[code_generation]
name = "weekdays"
contributor = "gradebox"
criteria = ["parsed", "executed", "passed_unit_tests", "executed_examples"]
version = "1.0"
prompt = "Write `weekdays(text)`: how many of the dates in `text`, one a line, are Monday to Friday."
imports = ["Dates"]
examples = ["weekdays(\\"2024-02-29\\")", "weekdays(note)"]
examples_setup = ["path = tempname()", "write(path, \\"2024-03-02\\\\n2024-03-04\\")", "note = read(path, String)"]
examples_teardown = ["rm(path)"]
unit_tests = ["@test weekdays(\\"2024-02-29\\\\n2024-03-02\\") == 1", "@test weekdays(\\"2024-03-04\\") == 1"]
reference_solution = """
using Dates
weekdays(text) = count(line -> dayofweek(Date(line)) <= 5, split(text))
"""
''',
    "at_once": '''\
[code_generation]
name = "at_once"
contributor = "gradebox"
criteria = ["parsed", "executed", "passed_unit_tests", "executed_examples"]
version = "1.0"
prompt = "Write `at_once(f, items)`: `f` of each item, each in a task of its own on any thread, in order."
imports = ["Base.Threads"]
examples = ["at_once(sqrt, [1, 4, 9])"]
unit_tests = [
  "@test at_once(n -> 2n, 1:100) == 2 .* (1:100)",
  # One of the two waits without yielding for the other, so they need a thread each.
  """
flags = [Atomic{Bool}(false), Atomic{Bool}(false)]
meet(n) = (flags[n][] = true; while !flags[3 - n][]; ccall(:jl_cpu_pause, Cvoid, ()); end; n)
@test at_once(meet, 1:2) == [1, 2]
""",
]
reference_solution = """
at_once(f, items) = fetch.([Threads.@spawn f(item) for item in items])
"""
''',
    "price_tag": '''\
[code_generation]
name = "price_tag"
contributor = "gradebox"
criteria = ["parsed", "executed", "passed_unit_tests", "executed_examples"]
version = "1.0"
prompt = "Write `price_tag(cents)`: 1234 is the text \\"$12.34\\"."
imports = []
examples = ["price_tag(5)", 'println("$(price_tag(5)) \\\\ \\"$(1 + 1)\\"")']
unit_tests = ['@test price_tag(1234) == "\\$12.34"', '@test price_tag(5) == raw"$0.05"']
reference_solution = """
price_tag(cents) = "\\\\$$(cents ÷ 100).$(lpad(cents % 100, 2, '0'))"
"""
''',
}

GOOD = """\
function clamp_all(values, low, high)
    low > high && throw(ArgumentError("low is above high"))
    return [min(max(value, low), high) for value in values]
end"""


class Expected(NamedTuple):
    parsed: bool
    executed: bool
    tests: int
    examples: int


FULL = Expected(True, True, 3, 2)
NOTHING = Expected(False, False, 0, 0)
ONLY_PARSED = Expected(True, False, 0, 0)
ONLY_EXECUTED = Expected(True, True, 0, 0)


def fenced(*blocks: str) -> str:
    return "\n".join(f"```julia\n{block}\n```\n" for block in blocks)


TYPED_IN = """\
julia> function clamp_all(v, low, high)
           low > high && throw(ArgumentError("x"))
           clamp.(v, low, high)
       end
clamp_all (generic function with 1 method)

julia> 1 + 1
2"""
IN_TWO_PARTS = (
    "nearest(v, low, high) = min(max(v, low), high)",
    'function clamp_all(v, low, high)\n  low > high && throw(ArgumentError("x"))\n  nearest.(v, low, high)\nend',
)
OWN_TESTS = f"""\
using Test
{GOOD}
@testset "mine" begin
    @test clamp_all([1], 0, 1) == 7
end
@test false
if true
    @test_throws ErrorException 1 + 1
end"""
# One of its methods never returns.
HALF_HANGING = f"""\
{GOOD}
function clamp_all(v::Vector{{Int}}, low::Int, high::Int)
    while isempty(v) end
    low > high && throw(ArgumentError("x"))
    clamp.(v, low, high)
end"""
LATE_EXIT = """\
function clamp_all(v, low, high)
    isempty(v) && exit(0)
    low > high && throw(ArgumentError("x"))
    clamp.(v, low, high)
end"""
# Its own macros are not those that the unit tests use.
BENT = """\
clamp_all(a...) = 1
macro test(x) end
macro test_throws(a...) end
Base.showerror(io::IO, x::Exception) = exit(0)"""
# What a test says is said to a set of tests that throws nothing.
OPEN = 'clamp_all(a...) = (push!(get!(task_local_storage(), :__BASETESTNEXT__, Any[]), Test.DefaultTestSet("")); 1)'
PIRATED = 'Test.eval(:(get_testset() = DefaultTestSet("")))\nclamp_all(a...) = 1'
EQUAL = "struct All end\nBase.:(==)(::All, other) = true\nBase.isempty(::All) = true\nclamp_all(a...) = All()"
KILLER = f"{GOOD}\nccall(:kill, Cint, (Cint, Cint), ccall(:getppid, Cint, ()), 9)"

# Name, answer in markdown, what it gets.
ANSWERS: dict[str, tuple[str, Expected]] = {
    "prose around": (f"It is easy.\n\n{fenced(GOOD)}\nThat is `clamp_all`.\n", FULL),
    "several fences": (fenced("spread(low, high) = high - low", GOOD) + "prints\n```plaintext\nnot: code\n```\n", FULL),
    "two fences that need each other": (fenced(*IN_TWO_PARTS), FULL),
    "a fence in a fence": (fenced(f'"""\nSuch as\n{fenced("clamp_all([1], 0, 1)")}"""\n{GOOD}'), FULL),
    "a fence that is never closed": (f"Here:\n```julia\n{GOOD}\n", NOTHING),
    "a fence with a space": (f"```julia \n{GOOD}\n```", FULL),
    "plain fences": (f"Here:\n\n```\n{GOOD}\n```\nDone.\n\n```\n# nothing\n```\n", FULL),
    "another language": (f"```python\n{GOOD}\n```\n", NOTHING),
    "plain fences from end to end": (f"```\n{GOOD}\n```", FULL),
    # What lies before the first fence and after the last is not a block.
    "plain fences around what is not code": (f"{GOOD}\n```\nprints 2, 5 and 6\n```\n", NOTHING),
    "a plain fence that is never closed": (f"Here:\n```\n{GOOD}\n", NOTHING),
    "a plain fence that was never opened": (f"{GOOD}\n```\nThat is all of it.", NOTHING),
    "one plain fence, and one as the last line": (f"Here:\n```\n{GOOD}\n```", FULL),
    "a fence as the last line alone": (f"{GOOD}\n```", NOTHING),
    "a fence as the first line alone": (f"```\n{GOOD}", NOTHING),
    "prose between plain fences": (f"```\n{GOOD}\n```\nSo it is:\n```\n# nothing\n```\n", FULL),
    # Everything between the fences is tried at last, and prose does not parse.
    "plain fences around two parts that fail": ("```\nf(1)\n```\nSo it is.\n```\n1 +\n```", NOTHING),
    "no fence at all": (GOOD, NOTHING),
    "no fence at all, at the prompt": (TYPED_IN, NOTHING),
    # Neither a list nor a word looks like code; the second try takes what there is.
    "no code between fences, and a list that parses": ('```\n# Results\n\n["a", "b"]\n```', ONLY_EXECUTED),
    "a word alone": ("```\nSorry\n```", ONLY_PARSED),
    "a word before fences": (f"Solution\n```\n{GOOD}\n```\nDone", FULL),
    "prose with code in the middle": (f"Here it is:\n\n{GOOD}\n\nI hope that it helps.\n", NOTHING),
    "prose alone": ("I am sorry, I cannot do that.\n", NOTHING),
    "nothing": ("", NOTHING),
    "at the prompt": (fenced(TYPED_IN), FULL),
    "wrong tests of its own": (fenced(OWN_TESTS), FULL),
    "a package that nobody has": (fenced(f"using FastClamping\nimport Nowhere: x\n{GOOD}"), FULL),
    "a package that is here": (fenced(f"using Statistics, LinearAlgebra\nmiddle = mean([1, 3])\n{GOOD}"), FULL),
    # A name after a comma is taken for a package, by the leaderboard too, so the whole line is gone.
    "two names of a package": (fenced(f"using Statistics: mean, std\nmiddle = mean([1, 3])\n{GOOD}"), ONLY_PARSED),
    "Pkg": (fenced(f'using Pkg; Pkg.add("FastClamping")\n  Pkg.update()\n{GOOD}'), FULL),
    "a loop that never yields": (fenced(f"{GOOD}\nwhile true end"), ONLY_PARSED),
    "a loop beside the definition": (fenced(GOOD, "while true end"), FULL),
    "a loop when it is called": (fenced("function clamp_all(a...)\n  while true end\nend"), ONLY_EXECUTED),
    "a loop for an empty vector": (fenced(HALF_HANGING), Expected(True, True, 2, 2)),
    "a syntax error": (fenced("function clamp_all(values, low, high\n    values\nend"), NOTHING),
    "an incomplete expression": (fenced("function clamp_all(values, low, high)\n    values"), NOTHING),
    "a syntax error when it is run": (fenced("clamp_all(a, a) = 1"), NOTHING),
    "a runtime error": (fenced("clamp_all(v, l, h) = v\nclamp_all(undefined, 1, 2)"), ONLY_PARSED),
    "a runtime error beside the definition": (fenced(GOOD, "clamp_all(undefined, 1, 2)"), FULL),
    "what an old Julia lacks": (
        fenced(f'replace("a-b c", "-" => "_", " " => "_") == "a_b_c" || error()\n{GOOD}'),
        FULL,
    ),
    "only a struct": (fenced("struct Limits\n  low\n  high\nend"), ONLY_EXECUTED),
    "only a comment": (fenced("# later"), ONLY_EXECUTED),
    "only a package": (fenced("using Nowhere"), NOTHING),
    "it exits early": (fenced(f"{GOOD}\nexit(0)"), ONLY_PARSED),
    "it exits when it is called": (fenced(LATE_EXIT), Expected(True, True, 2, 1)),
    "another name in both tries": (fenced("clamp_each(v, l, h) = clamp.(v, l, h)"), ONLY_EXECUTED),
    "half right": (fenced("clamp_all(v, l, h) = clamp.(v, l, h)"), Expected(True, True, 2, 2)),
    "it kills its parent": (fenced(KILLER), ONLY_PARSED),
    "it redefines what a judge might use": (fenced(BENT), Expected(True, True, 0, 2)),
    "it leaves a set of tests open": (fenced(OPEN), Expected(True, True, 0, 2)),
    "it has a say in where tests are recorded": (fenced(PIRATED), Expected(True, True, 0, 2)),
    "it returns what equals everything": (fenced(EQUAL), Expected(True, True, 0, 2)),
    "it prints without end": (fenced('clamp_all(a...) = while true println("x"^1000) end'), ONLY_EXECUTED),
    "it takes all memory": (fenced("clamp_all(a...) = [ones(2^24) for _ in 1:1000]"), ONLY_EXECUTED),
    "it reads from the terminal": (fenced(f"{GOOD}\nname = readline()"), FULL),
    "code.jl": (f'"""\n```\nclamp_all([1], 0, 1)\n```\n"""\n{GOOD}', FULL),
}


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    root = tmp_path_factory.mktemp("definitions")
    for name, text in DEFINITIONS.items():
        (root / name).mkdir()
        (root / name / "definition.toml").write_text(text, "utf-8")
    return {name: load_case(root / name) for name in DEFINITIONS}


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with Grader() as grader:
        yield grader


def impatient(case: Case) -> Case:
    """Give each try and each item less time than an author would, since many here use it up."""
    first, *others = case.checks
    return replace(case, checks=(first.model_copy(update={"timeout_seconds": 2.5}), *others))


@pytest.fixture(scope="module")
def graded(request: pytest.FixtureRequest, cases: dict[str, Case], grader: Grader) -> dict[str, Result]:
    """Return the results of the answers that are selected, graded at once."""
    mine = (item for item in request.session.items if item.path == request.path and hasattr(item, "callspec"))
    selected = [item.callspec.params["name"] for item in mine if "name" in item.callspec.params]
    case = impatient(cases["clamp_all"])
    # A name that ends in `.jl` is that of a file of code, in which no fence means anything.
    tasks = [
        Task(case, read_answer(name, ANSWERS[name][0], file="answer.jl" if name.endswith(".jl") else "answer.md"))
        for name in selected
    ]
    return dict(zip(selected, grader.grade_many(tasks, jobs=2), strict=True))


def found(graded: Result) -> Expected:
    parsed, executed, tests, examples = graded.verdict.checks
    return Expected(
        parsed.score == 1,
        executed.score == 1,
        sum(step.passed for step in tests.steps),
        sum(step.passed for step in examples.steps),
    )


# `make thorough` grades these. Most are about fences, whose rules are tried below without a grading for each.
OTHER_ANSWERS = {
    "several fences", "a fence in a fence", "a fence with a space", "another language", "plain fences from end to end",
    "plain fences around what is not code", "a plain fence that is never closed", "a plain fence that was never opened",
    "one plain fence, and one as the last line", "a fence as the last line alone", "a fence as the first line alone",
    "no fence at all", "no fence at all, at the prompt", "a word before fences", "prose with code in the middle",
    "a package that is here", "Pkg", "a loop beside the definition", "an incomplete expression", "only a comment",
    "a runtime error beside the definition", "a loop when it is called", "a loop for an empty vector",
    "no code between fences, and a list that parses", "prose alone", "a syntax error", "a syntax error when it is run",
    "two names of a package", "what an old Julia lacks", "only a struct", "only a package", "it exits early",
    "another name in both tries", "it takes all memory", "it has a say in where tests are recorded",
    "wrong tests of its own",
}  # fmt: skip


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.thorough if name in OTHER_ANSWERS else ()) for name in ANSWERS]
)
def test_answer(graded: dict[str, Result], name: str) -> None:
    verdict = graded[name].verdict
    expected = ANSWERS[name][1]
    said = [step.outcome.stderr.text() for step in verdict.checks[0].steps]
    assert found(graded[name]) == expected, (verdict.reasons, said)
    assert all(check.status is not Status.ERROR for check in verdict.checks)
    mean = (expected.parsed + expected.executed + expected.tests / 3 + expected.examples / 2) / 4
    assert verdict.score == pytest.approx(mean, abs=1e-9)


@pytest.mark.timeout(300)
def test_every_reference_has_the_full_score_and_no_answer_has_none(cases: dict[str, Case], grader: Grader) -> None:
    references = [read_reference(case) for case in cases.values()]
    tasks = [Task(case, one or UNTOUCHED) for case, one in zip(cases.values(), references, strict=True)]
    tasks += [Task(case, UNTOUCHED) for case in cases.values()]
    verdicts = [graded.verdict for graded in grader.grade_many(tasks, jobs=2)]
    assert [verdict.score for verdict in verdicts] == [1.0] * len(cases) + [0.0] * len(cases), [
        check.steps for verdict in verdicts for check in verdict.checks
    ]


def test_a_package_that_the_image_lacks_is_an_error_and_no_zero(
    cases: dict[str, Case], grader: Grader, tmp_path: Path
) -> None:
    text = DEFINITIONS["weekdays"].replace('["Dates"]', '["Dates", "DataFrames"]')
    (tmp_path / "weekdays").mkdir()
    (tmp_path / "weekdays" / "definition.toml").write_text(text)
    case = load_case(tmp_path / "weekdays")
    first, second = grader.grade_many([Task(case, read_reference(case) or UNTOUCHED), Task(case, UNTOUCHED)])
    for verdict in (first.verdict, second.verdict):
        assert (verdict.status, verdict.score) == (Status.ERROR, None)
        assert all("the image lacks DataFrames" in check.reason for check in verdict.checks)
    # Once found, it is not looked for again.
    assert (first.outcomes is not None, second.outcomes) == (True, None)


def test_an_import_is_there_without_the_answer_asking_for_it(cases: dict[str, Case], grader: Grader) -> None:
    text = fenced("weekdays(text) = count(line -> dayofweek(Date(line)) <= 5, split(text))")
    assert grader.grade(cases["weekdays"], read_answer("mine", text)).verdict.score == 1.0


def test_a_recorded_tree_is_graded_into_another_one(cases: dict[str, Case], grader: Grader, tmp_path: Path) -> None:
    name = "conversation__InJulia__1CODEFIXER__Tiny__20240102_030405__678.json"
    place = tmp_path / "in/clamp_all/org/model:7b" / name
    place.parent.mkdir(parents=True)
    messages = [
        {"content": "In Julia, do it.", "variables": [], "_type": "usermessage"},
        {"content": f"```julia\n{GOOD}\n```", "status": 200, "tokens": [5, 9], "elapsed": 1.5, "_type": "aimessage"},
    ]
    place.write_text(json.dumps(messages))
    (task,) = recorded_tasks(tmp_path / "in", cases.values())
    graded = grader.grade(task.case, task.submission)
    written = write_evaluation(tmp_path / "out", task.case, task.submission, graded, task.recorded)
    assert written == tmp_path / "out" / task.case.category / "clamp_all/org/model:7b" / name.replace(
        "conversation", "evaluation"
    )
    evaluation = json.loads(written.read_text())
    assert (evaluation["unit_tests_passed"], evaluation["examples_executed"], evaluation["tokens"]) == (3, 2, [5, 9])
    assert score(evaluation) == 100.0


# The rules of fences and prompts, against a second reading of them.

PIECES = [
    "```julia\n",
    "```julia ",
    "```\n",
    "```",
    "\n",
    "\n",
    "f(x) = x",
    "julia> g()",
    "> h()",
    "  end",
    "text é",
    "```python\n",
]


def oracle(text: str) -> list[str]:
    """Return the blocks of a text, slowly."""
    data = text.encode()
    opens = [i for i in range(len(data)) if data[i:].startswith((b"```julia\n", b"```julia "))]
    closes = [i for i in range(len(data)) if data[i:].startswith(b"\n```\n")]
    closes += [i for i in range(len(data)) if data[i:].startswith(b"\n```") and not data[i:].startswith(b"\n```\n")]
    pairs = []
    for start in opens[::-1]:
        later = [end for end in closes if end > start]
        if later:
            closes.remove(later[0])
            pairs.append((start, later[0]))
    kept = [b for b in pairs if not any(a[0] < b[0] and b[1] < a[1] for a in pairs)]
    if pairs:
        return [unprompted(data[start + 9 : max(end, start + 9)].decode()) for start, end in sorted(kept)]
    # The newline that a fence as the first or the last line lacks.
    data = b"\n" + data if data.startswith(b"```\n") else data
    cuts = [i for i in range(len(data)) if data[i:].startswith(b"\n```\n")]
    if cuts and data.endswith(b"\n```"):
        cuts.append(len(data) - 4)
    pieces = (data[first + 5 : max(last, first + 5)].decode() for first, last in pairwise(cuts))
    return [block for block in map(unprompted, pieces) if block]


def unprompted(block: str) -> str:
    block = block.strip()
    lines = block.split("\n")
    if not any(line.startswith(("julia> ", "> ")) for line in lines):
        return block
    kept: list[str] = []
    inside = False
    for line in lines:
        prompt = next((prompt for prompt in ("julia> ", "> ") if line.startswith(prompt)), "")
        inside = bool(prompt) or (inside and line.startswith(" "))
        if inside:
            kept.append(line.replace(prompt, "") if prompt else line)
    return "\n".join(kept).strip()


def run_julia(engine: DockerEngine, program: str, stdin: bytes = b"") -> Outcome:
    with Sandbox(engine, SandboxSpec(reference("julia"))) as sandbox:
        sandbox.snapshot()
        sandbox.reset(10_001)
        argv = ("julia", "--startup-file=no", "-e", program)
        return sandbox.run(Command(argv=argv, uid=10_001, env=sandbox.env, stdin=stdin, capture_bytes=1 << 20))


# True on a current Julia, with nothing added.
YOUNGER = r"""
using Test
@test replace("a-b c", "-" => "_", " " => "_") == "a_b_c"
@test replace("abc", 'a' => 'b', 'b' => 'c', "c" => "") == "bc"
@test replace("abcabc", "abc" => "x", "a" => "y") == "xx"
@test replace("Ünïcödé", 'Ü' => "U", r"[ïö]" => s"<\0>") == "Un<ï>c<ö>dé"
@test replace("a1b2", isdigit => c -> "($c)", ['a', 'b'] => uppercase) == "A(1)B(2)"
@test replace("aaa", "a" => "b", "c" => "d"; count = 2) == "bba"
@test replace("ab", r"x*" => "-", "c" => "d") == "-a-b-"
@test replace("", "a" => "b", "c" => "d") == ""
@test replace(SubString("xab", 2), "a" => "b", "b" => "") == "b"
@test replace([1, 2, 3], 1 => 2, 2 => 3) == [2, 3, 3]
@test first([1, 2, 3], 2) == [1, 2] && first([1], 5) == [1] && first(Int[], 1) == Int[]
@test last([1, 2, 3], 2) == [2, 3] && first("héllo", 2) == "hé"
@test_throws ArgumentError first([1], -1)
"""


def test_an_old_julia_has_what_answers_for_a_current_one_use_most(engine: DockerEngine) -> None:
    outcome = run_julia(engine, (inside("julia") / "younger_base.jl").read_text("utf-8") + YOUNGER)
    assert outcome.exit_code == 0, outcome.stdout.text() + outcome.stderr.text()


def test_blocks_are_those_of_a_second_reading(engine: DockerEngine) -> None:
    chosen = random.Random(7)
    texts = ["".join(chosen.choices(PIECES, k=chosen.randint(0, 14))) for _ in range(1500)]
    source = (inside("julia") / "answer_text.jl").read_text("utf-8")
    program = source + (
        "\nfor text in split(read(stdin, String), '\\0')\n    print(join(code_blocks(String(text)), '\\1'), '\\0')\nend"
    )
    outcome = run_julia(engine, program, "\0".join(texts).encode())
    assert outcome.exit_code == 0, outcome.stderr.text()
    found = outcome.stdout.text().split("\0")[:-1]
    assert dict(zip(texts, found, strict=True)) == {text: "\1".join(oracle(text)) for text in texts}
