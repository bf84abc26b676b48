"""Calls in every language, with the real engine: what honest functions return holds, whatever calls before them did."""

# ruff: noqa: ISC004 - files of a line each

from __future__ import annotations

from pathlib import Path

import pytest

from graders import Grader, Task, load_case
from graders.submissions.source import read_submission

_CALLS = """
      - {call: add, args: [1, 2], returns: 3}
      - {call: add, args: [0.1, 0.2], approx: 0.3}
"""
# Of processor time; where a call has no end.
SECONDS = {"python": 1}
CASES = {
    "python": (
        """
      - {call: both, args: [[1, 2]], returns: {$tuple: [1, {$set: [2]}]}}
      - {call: ends}
      - {call: spins}
      - {call: add, args: [a, 1], raises: {type: TypeError, match: concatenate}}
      - {call: add, kwargs: {one: {$decimal: "1.1"}, other: 1}, returns: {$decimal: "2.1"}}
      - {call: later, returns: true}
""",
        "import os\ndef add(one, other): return one + other\ndef both(x): return (x[0], {x[1]})\n"
        "def ends(): os._exit(0)\ndef spins():\n    while True: pass\nasync def later(): return True\n",
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
      - {call: absent}
""",
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
    suffix = {"python": "py", "javascript": "js", "typescript": "ts", "bash": "sh", "julia": "jl"}[language]
    name = f"solution.{suffix}"
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
