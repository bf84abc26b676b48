"""Items of Julia judged apart, with the real engine: the tests in one process, the submission in another."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from functools import reduce
from pathlib import Path

import pytest

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.languages.julia import LANGUAGE
from gradebox.graders.languages.language import INSIDE
from gradebox.graders.model.result import Result
from gradebox.graders.submissions.source import read_submission

TESTS = Path(__file__).parents[1]
REFERENCE = """
struct Point
    x::Float64
    y::Float64
end
Base.:+(a::Point, b::Point) = Point(a.x + b.x, a.y + b.y)
norm2(p::Point) = p.x^2 + p.y^2
mutable struct Stack
    items::Vector{Any}
    Stack() = new(Any[])
end
Base.push!(s::Stack, x) = (push!(s.items, x); s)
Base.length(s::Stack) = length(s.items)
struct Box{T}
    value::T
end
struct Wrong <: Exception
    code::Int
end
fail(n) = throw(Wrong(n))
root(x) = x < 0 ? throw(DomainError(x, "negative")) : sqrt(x)
double!(v) = (v .*= 2; v)
apply(f, x) = f(x)
adder(n) = x -> x + n
keyed(; a = 1, b = 2) = a + 10b
area(x::Int) = "int"
area(x::String) = "string"
@enum Color red green
pick() = green
render(io::IO, x) = print(io, "<", x, ">")
module Inner
export inc
inc(x) = x + 1
end
uid() = Int(ccall(:getuid, Cint, ()))
echo(x) = x
const KEPT = Any[]
keep(v) = (push!(KEPT, v); nothing)
add() = (push!(KEPT[1], 1); nothing)
wrong(x) = x == 4 ? 5 : x
macro twice(x) :(2 * $x) end
struct Scaled
    by::Int
end
(s::Scaled)(x) = s.by * x
evens(n) = (x for x in 1:n if iseven(x))
"""
HONEST = {
    "objects": """
@test norm2(Point(3, 4)) == 25
@test Point(1, 2).x === 1.0 && Point(1, 2) isa Point
@test Point(1, 2) + Point(1, 1) == Point(2, 3)
s = Stack()
push!(s, 3)
@test length(push!(s, "a")) == 2 && s.items == [3, "a"]
s.items = Any[1]
@test length(s) == 1
@test Box(3) isa Box{Int} && string(Box{Float64}(3)) == "Main.Program.Box{Float64}(3.0)"
@test pick() == green
""",
    "calls": """
@test_throws Wrong(3) fail(3)
@test_throws DomainError root(-1)
@test_throws MethodError area(1.0)
v = [1, 2]
@test double!(v) === v && v == [2, 4]
@test apply(x -> x + 1, 3) == 4 && apply(abs, -3) == 3 && adder(3)(4) == 7
@test keyed(b = 3) == 31 && area(1) == "int" && area("") == "string"
@test sprint(render, 3) == "<3>"
using .Inner
@test inc(3) == 4
@test uid() != ccall(:getuid, Cint, ())
push!(LOAD_PATH, pwd())
using Package
@test Package.uid() == uid()
module Inside
using Dates
include("sub.jl")
@enum Mine yours
end
@test Inside.norm2(Inside.Point(3, 4)) == 25 && Inside.Dates === Main.Program.Inside.Dates
""",
    "kept": """
include("helper.jl")
@test helper() == ccall(:getuid, Cint, ()) != uid()
include("linked.jl")
@test linked() == uid()
v = Any[]
keep(v)
add()
push!(v, 2)
@test add() === nothing && v == [1, 2, 1]
@test Scaled(3)(2) == 6 && collect(evens(5)) == [2, 4]
r = Ref(1)
@test echo(r) === r
""",
    "values": """
using Dates
for x in Any[nothing, missing, true, 0x02, big(2)^100, NaN, -0.0, Inf32, 1//2, 1+2im, 'a', "x\\xff", :s, (1, "a"),
        (a = 1,),
        [1.0 2.0; 3.0 4.0], Any[1, "a"], 1:3, 1:2:7, Dict("a" => [1]), Set([1, 2]), 1 => 2, Vector{Int}, trues(3),
        Union{Int,Missing}[1, missing], zeros(0, 3), Date(2020, 1, 2), DateTime(2020), Day(3)]
    @test isequal(echo(x), x) && typeof(echo(x)) === typeof(x)
end
""",
}
SOUND = "@test sound() == 4"
ATTACKS = """
import Base: ==
struct Always end
struct Int64 value end
struct Bool value end
Base.:(==)(::Always, ::Any) = true
Base.:(==)(::Any, ::Always) = true
Base.isequal(::Always, ::Any) = true
Base.isapprox(::Always, ::Any; _...) = true
Base.:-(::Always, ::Any) = 0.0
Base.abs(::Always) = 0.0
always() = Always()
lying() = Int64(4)
abs(x) = 0.0
isequal(a, b) = true
module Test
macro test(_...) nothing end
export @test
end
huge() = zeros(UInt8, 1 << 27)
deep() = foldl((a, _) -> Any[a], 1:100_000; init = 4)
reads() = (read("/proc/$(ccall(:getppid, Cint, ()))/environ"); 4)
wrong() = 5
uid() = ccall(:getuid, Cint, ())
sound() = 4
nothing
"""
ENDS = """
quits() = exit(0)
dies() = ccall(:_exit, Cvoid, (Cint,), 0)
rubbish() = (ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), 3, "\\x03\\0\\0\\0\\0\\0\\0\\0abc", 11); 4)
kills() = (ccall(:kill, Cint, (Cint, Cint), ccall(:getppid, Cint, ()), 9); ccall(:kill, Cint, (Cint, Cint), -1, 9); 5)
agrees() = (Core.eval(Base, :(==(::Int64, ::Int64) = true)); 5)
sound() = 4
"""
# Each must fail, whatever the submission says. These share a process.
FORGED = [
    "@test always() == 4",
    "@test isequal(always(), 4)",
    "@test 4 ≈ always()",
    "@test abs(always() - 4) < 1e-6",
    "@test abs(wrong() - 4) < 1e-6",
    "@test isequal(wrong(), 4)",
    "@test wrong() == 4",
    "@test lying() === 4",
    "@test lying() isa Int64 && lying() == 4",
    'module Inner include("sub.jl") end\n@test Inner.uid() == ccall(:getuid, Cint, ())',
    '@test evalfile("sub.jl") === nothing && false',
    "push!(LOAD_PATH, pwd())\nmodule Outer using Package end\n@test Outer.Package.uid() == ccall(:getuid, Cint, ())",
    "@test huge() isa Int",
    "@test deep() == 4",
    "@test reads() == 4",
]
# What a contract, or the lack of one, leaves undone: `-` and `abs` of types that are named like words of the items.
NAMED = """
struct x; v; end
struct always; v; end
Base.:-(::Union{x,always}, ::Any) = 0.0
Base.abs(::Union{x,always}) = 0.0
Base.:≠(::always, ::Any) = false
Base.iterate(::always) = (1, nothing)
f(v) = x(v)
g(v) = always(v)
struct Half; v; end
Base.:-(::Half, ::Any) = 0.0
Base.abs(::Half) = 0.0
Base.:-(::Half, ::Half) = Half(1)
Base.in(::Any, ::Half) = true
half(v) = Half(v)
odd(n) = Half(n)
mixed() = Any[Half(0), Half(2)]
keyed() = Dict("plain" => Half(0), "half" => Half(2))
named() = Dict(:plain => Half(0), :half => Half(2))
each(f, _) = (try f(0) catch end; nothing)
attempt(_) = 0
pair() = (Half(0), Half(2))
heard(f) = (try f(2) catch end; nothing)
asked(f) = (try f(0) catch end; 2)
sound() = 4
"""
TELLING = [
    "@test all(x -> abs(f(x) - x / 2) < 1e-9, [1.0, 3.0])",
    "always = 0.5\n@test abs(g(1.0) - always) < 1e-9",
    "@test !(g(1.0) ≠ 0.5)",
]
HALVES = """
half(v) = v / 2
odd(n) = [x for x in 1:n if isodd(x)]
struct Half; v; end
Base.:+(a::Half, b::Half) = Half(a.v + b.v)
Base.:-(a::Half, b::Half) = Half(a.v - b.v)
mixed() = Any[1.0, Half(2)]
keyed() = Dict("plain" => 1.0, "half" => Half(2))
named() = Dict(:plain => 1.0, :half => Half(2))
each(f, all) = foreach(f, all)
attempt(f) = try f() catch; "none" end
pair() = (1.0, Half(2))
heard(f) = try f(1) catch error error.msg end
asked(f) = f(1)
parts(text) = String.(split(text))
person() = (name = "Ada",)
letters() = ["a", "b"]
struct Bag; all; end
Base.in(x, bag::Bag) = x in bag.all
sound() = 4
"""
# Another way to do the same.
OTHERS = (
    ("[x for x in 1:n if isodd(x)]", "collect(x for x in 1:n if isodd(x))"),
    ("struct Half; v; end", "mutable struct Half; v; end\nBase.:(==)(a::Half, b::Half) = a.v == b.v"),
    ("String.(split(text))", "split(text)"),
    ('(name = "Ada",)', 'Person("Ada")\nstruct Person; name; end'),
    ('["a", "b"]', 'Channel(channel -> foreach(x -> put!(channel, x), "ab"))'),
    ("Base.in(x, bag::Bag) = x in bag.all", "Base.iterate(bag::Bag, at...) = iterate(bag.all, at...)"),
)
KNOWN = [
    "@test (Half(1) + Half(2)).v == 3 && abs(half(3.0) - 1.5) < 1e-9",
    "@test (mixed()[2] - Half(1)).v == 1 && abs(mixed()[1] - 1.0) < 1e-9",
    '@test (keyed()["half"] - Half(1)).v == 1 && abs(keyed()["plain"] - 1.0) < 1e-9',
    "@test (named()[:half] - Half(1)).v == 1 && abs(named()[:plain] - 1.0) < 1e-9",
    'n = Ref(0)\neach(x -> (n[] += 1; x == 1 || error("another")), [1])\n@test n[] == 1',
    'n = Ref(0)\n@test_throws ErrorException each(x -> (n[] += 1; x == 1 && error("on purpose")), [1])\n@test n[] == 1',
    '@test attempt(() -> error("no")) == "none" && attempt(() -> 1) == 1',
    "@test (pair()[2] - Half(1)).v == 1 && abs(pair()[1] - 1.0) < 1e-9",
    '@test !occursin("4242", heard(x -> @assert x == 4242)) && heard(x -> @assert x == 1) === nothing',
    "@test asked(x -> (@assert x == 1; 2)) == 2",
    "@test 3 in odd(4)",
    "@test odd(4) == [1, 3]",
    "@test Half(1) + Half(2) == Half(3) != Half(4)",
    '@test parts("a b") == ["a", "b"]',
    '@test person().name == "Ada"',
    '@test join(letters()) == "ab"',
    "@test 3 in Bag([1, 3]) && !(2 in Bag([1, 3]))",
]
# These end the process of the submission, which no item survives.
ENDING = [
    "@test_throws Exception quits()",
    "try quits() catch end",
    "@test_throws Exception dies()",
    "try rubbish() catch end",
    "@test kills() == 4",
    "@test agrees() == 4",
]


def written(
    base: Path, name: str, items: list[dict[str, str]], submission: str, isolation: str = "apart", reference: str = ""
) -> Task:
    case, work = base / f"case-{name}", base / name
    (case / "workspace").mkdir(parents=True)
    work.mkdir()
    (case / "workspace" / "helper.jl").write_text("helper() = ccall(:getuid, Cint, ())\n")
    if reference:
        (case / "reference").mkdir()
        (case / "reference" / "sub.jl").write_text(reference)
    check = {"type": "unit-tests", "items": items, "imports": ["Test"], "setup": 'include("sub.jl")'}
    check |= {"isolation": isolation}
    document = {"input": "x", "language": "julia", "isolation": "apart", "assertions": [check]}
    document["protect"] = ["helper.jl"]
    (case / "case.yaml").write_text(json.dumps(document))
    (work / "sub.jl").write_text(submission)
    (work / "Package.jl").write_text("module Package\nuid() = ccall(:getuid, Cint, ())\nend\n")
    (work / "linked.jl").symlink_to("really.jl")
    (work / "really.jl").write_text("linked() = Int(ccall(:getuid, Cint, ()))\n")
    return Task(load_case(case), read_submission(work))


# Julia starts some hundred times for these. tests/hostile/test_apart.py has items of Julia in every run.
@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    base = tmp_path_factory.mktemp("julia")

    def items(sources: Iterable[str]) -> list[dict[str, str]]:
        return [{"name": f"{number} {source}", "code": source} for number, source in enumerate(sources)]

    tasks = {
        "right": written(base, "right", items(HONEST.values()), REFERENCE),
        "forged": written(base, "forged", items([SOUND, *FORGED, SOUND]), ATTACKS, "shared"),
        "ending": written(base, "ending", items([SOUND, *ENDING]), ENDS),
        "named": written(base, "named", items([SOUND, *TELLING]), NAMED, "shared"),
        "known": written(base, "known", items([SOUND, *KNOWN]), NAMED, reference=HALVES),
        "honest": written(
            base,
            "honest",
            items([SOUND, *KNOWN]),
            reduce(lambda text, change: text.replace(*change), OTHERS, HALVES),
            reference=HALVES,
        ),
        "limits": written(base, "limits", items(["@test (@twice 3) == 6"]), REFERENCE),
    }
    with Grader() as grader:
        return dict(zip(tasks, grader.grade_many(list(tasks.values()), jobs=2), strict=True))


# Values are read and written by the golden vectors; answers count as `told_answers.jl` says, and objects are shared.
@pytest.mark.parametrize("program", ["golden_boundary.jl", "told_answers.jl", "shared_objects.jl"])
def test_what_needs_no_submission(tmp_path: Path, program: str) -> None:
    grading = tmp_path / "case" / "grading"
    grading.mkdir(parents=True)
    (grading / "apart.jl").write_text("\n".join(file.read_text("utf-8") for file in LANGUAGE.apart))
    for file in (INSIDE / "boundary.json", TESTS / "golden" / "boundary.jsonl", TESTS / "support" / program):
        shutil.copy(file, grading)
    words = [f"grading/{name}" for name in (program, "apart.jl", "boundary.json", "boundary.jsonl")]
    check = {"type": "code-grader", "command": ["julia", "--startup-file=no", *words], "timeout_seconds": 300}
    (tmp_path / "case" / "case.yaml").write_text(json.dumps({"input": "x", "language": "julia", "assertions": [check]}))
    work = tmp_path / "work"
    work.mkdir()
    with Grader() as grader:
        result = grader.grade(load_case(tmp_path / "case"), read_submission(work))
    assert result.verdict.status == "passed", result.verdict


@pytest.mark.thorough
@pytest.mark.timeout(1200)
def test_honest_work_passes(graded: dict[str, Result]) -> None:
    (check,) = graded["right"].verdict.checks
    assert (check.score, check.judged) == (1.0, "apart"), check


@pytest.mark.thorough
@pytest.mark.timeout(1200)
def test_what_the_contract_has_is_asked(graded: dict[str, Result]) -> None:
    (check,) = graded["honest"].verdict.checks
    assert (check.score, check.judged) == (1.0, "apart"), check


@pytest.mark.thorough
@pytest.mark.timeout(1200)
def test_a_macro_of_the_submission_is_a_limit(graded: dict[str, Result]) -> None:
    (check,) = graded["limits"].verdict.checks
    assert check.score == 0
    assert "a limit of `isolation: apart`: macros of the submission" in str(check), check


@pytest.mark.thorough
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("name", "sound", "all_of_them"),
    [
        ("forged", 2, len(FORGED) + 2),
        ("ending", 1, len(ENDING) + 1),
        ("named", 1, len(TELLING) + 1),
        ("known", 1, len(KNOWN) + 1),
    ],
)
def test_no_attack_passes(graded: dict[str, Result], name: str, sound: int, all_of_them: int) -> None:
    (check,) = graded[name].verdict.checks
    # A limit may have stopped an attack.
    assert (check.reason.partition("; a limit of")[0], check.judged) == (f"{sound} of {all_of_them} passed", "apart"), (
        check
    )
