"""Calls in every language, with the real engine: what honest functions return holds, whatever calls before them did."""

# ruff: noqa: ISC004 - files of a line each

from __future__ import annotations

from pathlib import Path

import pytest
from golden_boundary import VALUES

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.checks.calls.call import CallCheck, CallEntry
from gradebox.graders.checks.calls.data_values import decoded, is_same
from gradebox.graders.model.case import Case, Place
from gradebox.graders.submissions.source import read_submission

_CALLS = """
      - {call: add, args: [1, 2], returns: 3}
      - {call: add, args: [0.1, 0.2], approx: 0.3}
"""
# Of processor time; where a call has no end.
SECONDS = {"python": 1}
SUFFIXES = {"python": "py", "javascript": "js", "typescript": "ts", "bash": "sh", "julia": "jl"}
CASES = {
    "python": (
        """
      - {call: both, args: [[1, 2]], returns: {$tuple: [1, {$set: [2]}]}}
      - {call: ends}
      - {call: spins}
      - {call: add, args: [a, 1], raises: {type: TypeError, match: concatenate}}
      - {call: add, kwargs: {one: {$decimal: "1.1"}, other: 1}, returns: {$decimal: "2.1"}}
      - {call: later, returns: true}
      - {call: slim, returns: {$object: [Slim, {x: 1}]}}
      - {call: hidden, returns: {$object: [Hidden, {x: 1}]}}
      - {call: keys, returns: {$set: [a]}}
      - {call: chained, returns: {a: 1}}
      - {call: loud, returns: a}
      - {call: user, returns: a}
""",
        "import collections, enum, os\ndef add(one, other): return one + other\ndef both(x): return (x[0], {x[1]})\n"
        "def ends(): os._exit(0)\ndef spins():\n    while True: pass\nasync def later(): return True\n"
        "class Slim:\n    __slots__ = 'x'\n    def __init__(self): self.x = 1\n"
        "class Hidden:\n    def __init__(self): self._x = 1\n    x = property(lambda self: self._x)\n"
        "class Loud(str, enum.Enum):\n    A = 'a'\n    def __str__(self): return 'A!'\n"
        "slim, hidden, loud = Slim, Hidden, lambda: Loud.A\ndef keys(): return {'a': 1}.keys()\n"
        "def chained(): return collections.ChainMap({'a': 1})\ndef user(): return collections.UserString('a')\n",
        ["ends()", "spins()"],
    ),
    "javascript": (
        """
      - {call: both, args: [[1, 2]], returns: {$set: [1, 2]}}
      - {call: ends}
      - {call: fails, raises: {type: RangeError, match: far}}
      - {call: add, args: [{$int: "9007199254740993"}, {$int: "9007199254740993"}], returns: 18014398509481986}
      - {call: later, returns: {a: null}}
""",
        "exports.add = (a, b) => a + b\nexports.both = (x) => new Set(x)\nexports.ends = () => process.exit(0)\n"
        "exports.fails = () => { throw new RangeError('too far') }\nexports.later = async () => ({ a: undefined })\n",
        ["ends()"],
    ),
    "typescript": (
        """
      - {call: Text.twice, args: [x], returns: xx}
      - {call: ends}
      - {call: point, returns: {$object: [Point, {x: 1}]}}
""",
        "export const add = (a: number, b: number): number => a + b\n"
        "export class Text { static twice(x: string) { return x + x } }\n"
        "export const ends = () => process.exit(0)\nclass Point { x = 1 }\nexport const point = () => new Point()\n",
        ["ends()"],
    ),
    "bash": (
        """
      - {call: greet, args: [a b, "'"], returns: "a b and '"}
      - {call: fails, raises: {type: status, match: "^2$"}}
      - {call: stops, raises: {type: status, match: "^1$"}}
      - {call: absent}
""",
        "set -euo pipefail\nstops() { false; echo never; }\n"
        "add() { echo $1 $2 | awk '{ print $1 + $2 }'; }\nfails() { exit 2; }\n"
        'greet() { printf "%s and %s\\n\\n" "$1" "$2"; }\n',
        ["absent"],
    ),
    "julia": (
        """
      - {call: both, args: [[1, 2]], returns: {$tuple: [1, {$fraction: 1/2}]}}
      - {call: fails, raises: {type: DomainError}}
      - {call: add, args: [1], kwargs: {other: $x}, raises: MethodError}
""",
        "add(a, b) = a + b\nboth(x) = (x[1], 1 // x[2])\nfails() = throw(DomainError(1))\n",
        [],
    ),
}


@pytest.mark.parametrize("language", CASES)
def test_functions_of_every_language_are_called(language: str, tmp_path: Path) -> None:
    calls, solution, wrong = CASES[language]
    name = f"solution.{SUFFIXES[language]}"
    head = (
        f"input: x\nlanguage: {language}\nassertions:\n- type: call\n  timeout_seconds: {SECONDS.get(language, 20)}\n"
    )
    case = f"{head}  calls:{_CALLS.rstrip()}{calls}"
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "case.yaml").write_text(case)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / name).write_text(solution)
    with Grader() as grader:
        (result,) = grader.grade_many([Task(load_case(tmp_path / "case"), read_submission(tmp_path / "work"))])
    (check,) = result.verdict.checks
    assert [step.name for step in check.steps if not step.passed] == wrong, check.steps
    assert check.judged == "apart"


GOLDEN = {
    "python": ("python", "def f{number}(): return {source}\n"),
    "javascript": ("javascript", "exports.f{number} = () => ({source})\n"),
    "typescript": ("javascript", "export const f{number} = (): any => ({source})\n"),
    "julia": ("julia", "f{number}() = {source}\n"),
}
MODULES = "import collections, datetime, decimal, fractions, functools, pathlib, uuid, zoneinfo\n"


@pytest.mark.parametrize("language", GOLDEN)
def test_golden_values_arrive_as_the_data_that_an_author_writes(language: str, tmp_path: Path) -> None:
    written, function = GOLDEN[language]
    vectors = [
        vector
        for vector in VALUES
        # A nan in other data is not the same as itself.
        if written in vector["languages"] and "call" in vector and is_same(*map(decoded, [vector["call"]] * 2))
    ]
    calls = tuple(CallEntry(call=f"f{number}", returns=vector["call"]) for number, vector in enumerate(vectors))
    name = f"solution.{SUFFIXES[language]}"
    place = Place(tmp_path / "case.yaml")
    check = CallCheck(name="call", place=place, language=language, file=name, calls=calls, timeout_seconds=20)
    case = Case(id="case", place=place, directory=tmp_path, checks=(check,))
    functions = (function.format(number=number, source=each[written]) for number, each in enumerate(vectors))
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / name).write_text(MODULES * (written == "python") + "".join(functions))
    with Grader() as grader:
        (result,) = grader.grade_many([Task(case, read_submission(tmp_path / "work"))])
    (found,) = result.verdict.checks
    assert (found.score, found.reason) == (1.0, f"{len(calls)} of {len(calls)} calls hold")


@pytest.mark.parametrize(
    ("language", "solution", "what"),
    [
        ("python", "def gives(): return gives", "a function"),
        ("javascript", "exports.gives = () => exports.gives", "a function"),
        ("typescript", "export const gives = () => gives", "a function"),
        ("julia", "gives() = gives", "a #gives"),
        ("bash", "gives() { printf '%01000001d' 0; }", "a text of more than a million characters"),
    ],
)
def test_why_there_is_no_value_is_said_in_every_language(
    language: str, solution: str, what: str, tmp_path: Path
) -> None:
    head = f"language: {language}\nassertions:\n- {{type: call, calls: [{{call: gives}}, {{call: absent}}]}}\n"
    for name, text in {"loaded": f"{solution}\n", "broken": "(", "case": head}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / ("case.yaml" if name == "case" else f"solution.{SUFFIXES[language]}")).write_text(text)
    case = load_case(tmp_path / "case")
    with Grader() as grader:
        tasks = [Task(case, read_submission(tmp_path / name)) for name in ("loaded", "broken")]
        loaded, broken = (result.verdict.checks[0] for result in grader.grade_many(tasks))
    no_data, absent = (step.reason for step in loaded.steps)
    assert no_data == f"did not return data: {what}"
    assert absent == "was not made: there is no function absent"
    assert all(step.reason.startswith("was not made: ") for step in broken.steps), broken.steps


_LOOKS = """
import os, re
def looks(_):
    found, wanted = [], b"nee" + b"dle"
    for pid in {*filter(str.isdigit, os.listdir("/proc"))} - {str(os.getpid())}:
        try:
            for name in os.listdir(f"/proc/{pid}/fd"):
                held = os.open(f"/proc/{pid}/fd/{name}", os.O_RDONLY | os.O_NONBLOCK)
                found.append(wanted in os.read(held, 1 << 20))
        except OSError:
            pass
        try:
            memory = open(f"/proc/{pid}/mem", "rb", 0)
            for line in open(f"/proc/{pid}/maps"):
                start, end = (int(part, 16) for part in re.match("(\\\\w+)-(\\\\w+) r", line).groups())
                memory.seek(start)
                found.append(wanted in memory.read(end - start))
        except (OSError, AttributeError, OverflowError, ValueError):
            pass
    return any(found)
"""


def test_nothing_in_the_sandbox_that_the_candidate_can_read_has_a_later_call(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "solution.py").write_text(_LOOKS)
    place = Place(tmp_path / "case.yaml")
    calls = (
        CallEntry(call="looks", args=(1,), returns=False),
        CallEntry(call="looks", args=("needle",), returns=False),
    )
    check = CallCheck(name="call", place=place, language="python", file="solution.py", calls=calls)
    case = Case(id="case", place=place, directory=tmp_path, checks=(check,))
    with Grader() as grader:
        (result,) = grader.grade_many([Task(case, read_submission(tmp_path / "work"))])
    (found,) = result.verdict.checks
    assert found.reason == "2 of 2 calls hold"
