"""Verdicts say which tests passed with other answers than the reference's, and `contract: exact` fails them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from grading_bench import write

from gradebox.graders.cases import load
from gradebox.graders.grading.grader import Grader
from gradebox.graders.model.verdict import Status, Verdict
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

CASE = """
input: Write words.py. Its function words returns the words of a text, and save writes them to a file.
language: python
isolation: apart
contract: CONTRACT
examples:
  - from words import words; assert [*words("a b")] == ["a", "b"]
  - from words import words; assert len(words("")) == 0
assertions:
  - {type: examples, name: items}
  - {type: examples, name: shared, isolation: shared}
  - {type: code-grader, name: pytest, command: python3 -m pytest -q grading}
  - {type: code-grader, name: unittest, command: python3 -m unittest grading/test_words.py}
"""
TESTS = """
import os, tempfile, unittest
from words import keep, save, words

class Words(unittest.TestCase):
    def test_two(self):
        self.assertEqual([*words("a b")], ["a", "b"])

    def test_none(self):
        self.assertFalse(words(""))

    def test_save(self):
        with tempfile.TemporaryDirectory() as place:
            save("a b", os.path.join(place, "x"))
            with open(os.path.join(place, "x")) as file:
                self.assertIn("a b", file.read())
            self.assertEqual(os.listdir(place), ["x"])

    def test_kept(self):
        keep("a b")
        self.assertTrue(os.path.exists("kept") and not os.path.exists("lost") and os.readlink("link"))
"""
REFERENCE = "def words(text): return text.split()\ndef save(text, path): open(path, 'w').write(text)\n"
# The link leads nowhere.
REFERENCE += """
import os
def keep(text):
    open("kept", "w").write(text)
    os.path.islink("link") or os.symlink("none", "link")
"""
OTHER = (
    REFERENCE.replace("return", "return tuple(")
    .replace("split()", "split())")
    .replace("write(text)", "write(text * 2)")
)
ALL_OTHER = {"items": {"same": 0, "other": 2}, "pytest": {"same": 0, "other": 4, "unknown": 0}}
SAME = {"items": {"same": 2, "other": 0}, "pytest": {"same": 4, "other": 0, "unknown": 0}}

ITEMS = """
  - type: unit-tests
    name: items
    imports: [Test]
    setup: include("words.jl")
    items: ['@test abs(way("3 m") - 3) < 1e-9']
"""
SHARED = """
  - type: unit-tests
    name: shared
    isolation: shared
    imports: [Test]
    setup: include("words.jl")
    items:
      - '@test abs(way("3 m") - 3) < 1e-9'
      - '@test collect(words("a b")) == ["a", "b"] && LONGEST == 9'
      - '@test_throws DomainError way("3")'
      - '@test tags("tea jam fig egg") == Set(["fig", "egg", "jam", "tea"]) && collect(Down(3)) == [3, 2, 1]'
"""
SAVED = """
      - |
        save("a b", "kept")
        @test read("kept", String) == "a b"
"""
FILE = """
  - {type: code-grader, name: file, command: julia grading/runtests.jl}
"""
JULIA = """
input: Write words.jl.
language: julia
isolation: apart
contract: CONTRACT
assertions:
"""
JULIA_TESTS = """
using Test
include("../words.jl")
@testset "words" begin
    @test collect(words("a b")) == ["a", "b"] && LONGEST == 9
    @test abs(way("3 m") - 3) < 1e-9
    @test_throws DomainError way("3")
    @test tags("tea jam fig egg") == Set(["fig", "egg", "jam", "tea"]) && collect(Down(3)) == [3, 2, 1]
end
"""
JULIA_REFERENCE = """
struct Metres
    count::Float64
end
Base.:-(a::Metres, b::Real) = Metres(a.count - b)
Base.abs(a::Metres) = abs(a.count)
way(text) = endswith(text, "m") ? Metres(parse(Float64, text[1:1])) : throw(DomainError(text, "no metres"))
const LONGEST = 9
words(text) = split(text)
save(text, path) = write(path, text)
tags(text) = Set(split(text))
struct Down
    start::Int
end
Base.length(down::Down) = down.start
Base.iterate(down::Down, at = down.start) = at == 0 ? nothing : (at, at - 1)
"""
# Names that no test spells, another text of an exception, which its test does not read, another order of a set, another
# state of an iteration, another last line.
JULIA_COPY = JULIA_REFERENCE
for _old, _new in (
    ("no metres", "what?"),
    ("= split(text)", "= split(help(text))"),
    ("Set(split(text))", "union!(sizehint!(Set(split(text)), 1000), [])"),
    ("at = down.start) = at == 0", "n = 0) = n == down.start"),
    ("(at, at - 1)", "(down.start - n, n + 1)"),
):
    assert _old in JULIA_COPY
    JULIA_COPY = JULIA_COPY.replace(_old, _new)
JULIA_COPY += "const SEEN = Dict()\nhelp(x) = (SEEN[x] = 1; x)\nconst LAST = 1\n"
JULIA_OTHER = JULIA_REFERENCE.replace("split(text)", "Tuple(split(text))")
JULIA_FORGED = JULIA_REFERENCE.replace("a.count - b", "0").replace("parse(Float64, text[1:1])", "0")
_KINDS = ("same", "other", "unknown")
# By check: how many tests passed with the same answers, with others, and with answers that cannot be compared.


@pytest.mark.parametrize(
    ("contract", "work", "status", "told"),
    [
        ("recorded", "import re\n" + REFERENCE, Status.PASSED, SAME),
        ("recorded", OTHER, Status.PASSED, ALL_OTHER),
        ("exact", "import re\n" + REFERENCE, Status.PASSED, SAME),
        ("exact", OTHER, Status.FAILED, {"pytest": {"same": 0, "other": 0, "unknown": 0}}),
    ],
)
def test_verdicts_say_with_which_answers_tests_passed(
    engine: DockerEngine, tmp_path: Path, contract: str, work: str, status: Status, told: dict[str, dict[str, int]]
) -> None:
    case_text = CASE.replace("CONTRACT", contract)
    files = {"case.yaml": case_text, "grading/test_words.py": TESTS, "reference/words.py": REFERENCE}
    ((verdict, found),) = graded(engine, tmp_path, files, [{"words.py": work}])
    assert verdict.status is status, verdict.reasons
    compare(found, {**told, "unittest": told["pytest"]} | ({"shared": told["items"]} if "items" in told else {}))


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("contract", "checks", "works"),
    [
        # They start Julia more often than the last one.
        pytest.param(
            "recorded",
            ITEMS + SHARED + SAVED + FILE,
            {
                JULIA_OTHER: {"items": (1, 0, 0), "shared": (3, 1, 1), "file": (0, 1, 0)},
                JULIA_FORGED: {"items": (0, 1, 0), "shared": (3, 1, 1), "file": (0, 1, 0)},
            },
            marks=pytest.mark.thorough,
        ),
        # An item that looks at a file would fail here, also with the reference.
        pytest.param(
            "exact",
            SHARED,
            {JULIA_COPY: {"shared": (4, 0, 0)}, JULIA_FORGED: {"shared": (3, 0, 0)}},
            marks=pytest.mark.thorough,
        ),
        ("exact", FILE, {JULIA_COPY: {"file": (1, 0, 0)}, JULIA_FORGED: {"file": (0, 0, 0)}}),
    ],
)
def test_so_do_those_of_julia(
    engine: DockerEngine, tmp_path: Path, contract: str, checks: str, works: dict[str, dict[str, tuple[int, int, int]]]
) -> None:
    files = {
        "case.yaml": JULIA.replace("CONTRACT", contract) + checks,
        "grading/runtests.jl": JULIA_TESTS,
        "reference/words.jl": JULIA_REFERENCE,
    }
    graded_works = graded(engine, tmp_path, files, [{"words.jl": work} for work in works])
    for (verdict, found), (work, told) in zip(graded_works, works.items(), strict=True):
        is_right = contract == "recorded" or work == JULIA_COPY
        assert (verdict.status is Status.PASSED) is is_right, verdict.reasons
        # Other answers are no offence.
        assert verdict.tampering == (), verdict.reasons
        compare(found, {name: dict(zip(_KINDS, counts, strict=True)) for name, counts in told.items()})
        named = [test for check in ("items", "shared") for test in found.get(check, {}).get("tests", ())]
        assert all(("way" in test) is (work == JULIA_FORGED) for test in named), named


# What tests read of their own process in Julia, where no submission leaves a trace; and what only looks like that.
READ = [
    "@test twice(2) == 4 && pwd() == WHERE",
    '@test twice(2) == 4 && !haskey(ENV, "TRACE")',
    "@test twice(2) == 4 && Base.precision(BigFloat) == 256",
    "@test 4 == @test_logs min_level = Base.CoreLogging.Warn twice(2)",
    "io = IOBuffer(); @test twice(2) == 4 && position(io) == 0",
    "@test twice(2) == 4 && hasmethod(twice, Tuple{Int})",
]
UNREAD = [
    'ENV["TRACE"] = "1"; @test twice(2) == 4',
    "@test place((position = 2,).position) == 2",
    "rounding(x) = x; @test rounding(twice(2)) == 4",
]
TRACES = """
cd("/"); ENV["TRACE"] = "1"; setprecision(BigFloat, 99)
twice(x) = (@warn "a trace"; 2x)
place(x) = x
"""


@pytest.mark.timeout(600)
def test_what_a_julia_test_reads_of_its_own_process_is_unknown(engine: DockerEngine, tmp_path: Path) -> None:
    check = {"type": "unit-tests", "name": "all", "isolation": "shared", "imports": ["Test"]}
    check |= {"setup": 'include("words.jl"); const WHERE = @__DIR__', "items": READ + UNREAD}
    case = {"input": "Write words.jl.", "language": "julia", "isolation": "apart", "assertions": [check]}
    files = {"case.yaml": json.dumps(case), "reference/words.jl": "twice(x) = 2x\nplace(x) = x\n"}
    ((_, found),) = graded(engine, tmp_path, files, [{"words.jl": TRACES}])
    compare(found, {"all": {"same": len(UNREAD), "other": 0, "unknown": len(READ)}})


def graded(
    engine: DockerEngine, tmp_path: Path, files: dict[str, str], works: list[dict[str, str]]
) -> list[tuple[Verdict, dict[str, dict[str, Any]]]]:
    write(tmp_path, {f"case/{name}": text for name, text in files.items()})
    (case,) = load(tmp_path / "case").cases
    verdicts = []
    with Grader(engine=engine) as grader:
        for number, work in enumerate(works):
            write(tmp_path, {f"work{number}/{name}": text for name, text in work.items()})
            verdicts.append(grader.grade(case, read_submission(tmp_path / f"work{number}")).verdict)
    return [
        (verdict, {check.name: dict(check.details.get("answers", {})) for check in verdict.checks})
        for verdict in verdicts
    ]


def compare(found: dict[str, dict[str, Any]], wanted: dict[str, dict[str, int]]) -> None:
    for name, counts in wanted.items():
        assert {key: found[name].get(key) for key in counts} == counts, (name, found)
