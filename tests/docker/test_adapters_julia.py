"""The runner of Julia's tests, and items in Julia: what is caught, and what is left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from adapter_bench import Ran, Yard, open_yard
from item_bench import open_workshop

from gradebox.graders.languages.item_protocol import completed, controls
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference

GOOD = "add(a, b) = a + b\n"
WRONG = "add(a, b) = a - b\n"
TESTS = """
using Test
include("../src/add.jl")
@testset "sums" begin
    @test add(1, 2) == 3
    @testset "again" begin
        @test add(1, 1) == 2
    end
end
@test add(2, 2) == 4
"""
NO_FAILURE = "Test.record(set::Test.FallbackTestSet, result::Test.Fail) = result\n"

# Ways to pass without the work, and what is said of each; all of them end with status 0.
# Honest programs call `exit`, too.
FORGERIES = {
    "exits when loaded": ("exit(0)", ""),
    "exits when loaded through Julia's own C": ("ccall(:_exit, Cvoid, (Cint,), 0)", "token-missing"),
    "exits through libc in a test": ("add(a, b) = ccall(:_exit, Cvoid, (Cint,), 0)", "token-missing"),
    "exits at exit": (f"atexit(() -> ccall(:_exit, Cvoid, (Cint,), 0))\n{WRONG}", "token-missing"),
    "forgets failures": (
        f"{NO_FAILURE}Test.record(set::Test.DefaultTestSet, result::Test.Fail) = result\n{WRONG}",
        "control-passed",
    ),
    "makes passes of results": (
        ("Test.do_test(result::Test.ExecutionResult, original) =\n"
        f"    Test.record(Test.get_testset(), Test.Pass(:test, nothing, nothing, nothing))\n{WRONG}"),
        "control-passed",
    ),
    "finishes without an error": (f"{NO_FAILURE}Test.finish(s::Test.DefaultTestSet) = s\n{WRONG}", "control-passed"),
    "equals every number": ("struct Same end\nBase.:(==)(::Same, ::Int) = true\nadd(a, b) = Same()", "control-passed"),
    "is no number": (
        ("struct Same <: Integer end\nBase.promote_rule(::Type{Same}, ::Type{Int}) = Same\nSame(::Int) = Same()\n"
        "Base.:(==)(::Same, ::Same) = true\nadd(a, b) = Same()"),
        "control-passed",
    ),
}  # fmt: skip
MACRO = "macro test(expression)\n    true\nend\n"
SETS = """
struct Kept <: Test.AbstractTestSet
    results::Vector{Any}
end
Kept(name; options...) = Kept([])
Test.record(set::Kept, result) = push!(set.results, result)
function Test.finish(set::Kept)
    Test.get_testset_depth() > 0 && Test.record(Test.get_testset(), set)
    any(result -> result isa Union{Test.Fail,Test.Error}, set.results) && error("failed")
    return set
end
"""
# Honest work in unusual forms: the file of tests, how many tests run.
HONEST = {
    "with all kinds of tests and types": (
        TESTS + "@test_throws ErrorException error()\n@test_broken 1 == 2\n@testset for i in 1:3\n@test i > 0\nend\n"
        "struct Odd x end\nBase.:(==)(a::Odd, b::Odd) = missing\nBase.isequal(a::Odd, b) = error()\n"
        "struct Same x end\nBase.:(==)(a::Same, b::Same) = a.x == b.x\n@test Same(1) == Same(1)\n"
        "struct Whatever end\nBase.:(==)(a::Whatever, b) = true\n@test [Whatever()] == [add(1, 2)]",
        9,
    ),
    "with sets of its own, and one that it opens itself": (
        TESTS + "struct Quiet <: Test.AbstractTestSet end\nQuiet(name; options...) = Quiet()\n"
        "Test.record(set::Quiet, result) = result\nTest.finish(set::Quiet) = set\n"
        '@testset Quiet "quiet" begin\n@test add(1, 2) == 3\n@test false\nend\n'
        'Test.push_testset(Test.DefaultTestSet("open"))\n@test add(1, 1) == 2\nTest.finish(Test.pop_testset())',
        4,
    ),
    "with a set that lies beside the tests": (
        ('using Test\ninclude("../src/add.jl")\ninclude("../src/sets.jl")\n'
        '@testset Kept "kept" begin\n@test add(1, 2) == 3\n@test_throws DomainError sqrt(-1.0)\n'
        '@test_throws DomainError(-1.0, "no") throw(DomainError(-1.0, "no"))\nend'),
        1,
    ),
    "ending itself in a function": (
        TESTS + "function main()\n    exit(0)\nend\ntry\n    main()\ncatch\n    exit(1)\nend",
        3,
    ),
    "as a program": (
        TESTS + '@test ARGS == ["a", "-b"] && abspath(PROGRAM_FILE) == @__FILE__\n'
        '@test read(stdin, String) == "{}" && basename(@__DIR__) == "test" \natexit(() -> print("bye"))',
        5,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    engine = DockerEngine()
    yield from open_yard(engine, reference("julia"))
    engine.close()


def run(yard: Yard, work: str, tests: str = TESTS) -> Ran:
    return yard.run(
        "julia", "--color=no", "test/runtests.jl", "a", "-b",
        work={"src/add.jl": work, "src/sets.jl": SETS}, judge={"test/runtests.jl": tests}, stdin=b"{}",
    )  # fmt: skip


def test_what_bends_julias_tests_is_caught(yard: Yard) -> None:
    for name, (work, kind) in FORGERIES.items():
        ran = run(yard, work)
        assert ran.outcome.exit_code == 0, (name, ran.printed)
        assert not ran.passed, name
        kinds = [found.kind for found in ran.judged.tampering]
        assert kind in kinds if kind else kinds == [], (name, ran.report, ran.printed)


def test_honest_work_passes(yard: Yard) -> None:
    for name, (tests, count) in HONEST.items():
        ran = run(yard, GOOD, tests)
        assert ran.passed, (name, ran.report, ran.printed)
        assert ran.report.done == (count, 0), name
        assert ran.step.token not in ran.printed


def test_wrong_work_fails_plainly_and_no_tests_are_no_success(yard: Yard) -> None:
    ran = run(yard, WRONG)
    assert (ran.outcome.exit_code, ran.judged.reason, ran.judged.tampering) == (1, "", ())
    assert "Some tests did not pass: 0 passed, 2 failed" in ran.printed
    ran = run(yard, GOOD, 'include("../src/add.jl")\nadd(1, 2)')
    assert (ran.outcome.exit_code, ran.judged.reason) == (0, "no test was run")


# the candidate's work, the item, whether it was bent; where it was not, it passes. test_julia_controls.py has the names
# that no work can replace; here, they are called in another way.
ITEMS = [
    ("==(a, b) = true", "1 == 2 || error()", True),
    ("Base.:(==)(a::Vector{Int}, b::Vector{Int}) = true", "@assert [1] == [2]", True),
    ("error(text...) = nothing", '1 == 2 || foreach(error, ["wrong"])', True),
    ("macro assert(expressions...)\nend", 'include_string(@__MODULE__, "@assert 1 == 2")', True),
    (f"import Test\n{NO_FAILURE}", "using Test\n@test 1 == 2", True),
    ("struct Odd x end\nBase.:(==)(a::Odd, b::Odd) = missing", "@assert ismissing(Odd(1) == Odd(2))", False),
    ("struct Odd x end\nBase.:(==)(a::Odd, b) = error()", "using Test\n@test_throws ErrorException Odd(1) == 2", False),
    ("struct Same end\nBase.:(==)(a::Same, b) = true", "@assert Same() == 3", True),
    ("struct Same end\nBase.:(==)(a::Same, b) = true", "Same() == 3 || error(1)", True),
    ("struct Same end\nBase.:(==)(a::Same, b::String) = true", 'using Test\n@test [(Same(), 1)] == [("a", 1)]', True),
    ("struct Same end\nBase.:(==)(::Array{Same}, ::Array{String}) = true", 'using Test\n@test [Same()] == ["a"]', True),
    (
        "struct Same <: AbstractString end\nBase.cmp(::Same, ::AbstractString) = 0",
        'using Test\n@test Same() == "a"',
        True,
    ),
    ("Base.:(==)(::Tuple{Int}, ::Tuple{Char}) = true", "using Test\n@test (1,) == ('a',)", True),
    ("", "struct Own end\nBase.:(==)(a::Own, b) = true\n@assert Own() == 3", False),
    ("struct One x end\nBase.:(==)(a::One, b) = a.x == b.x", "@assert One(1) == One(1)\n1 == 1 || error(1)", False),
    ("all(values) = 3\nimport Base: isapprox\nisapprox(a::Symbol, b) = true", "@assert all([1]) == 3", False),
]  # fmt: skip


def test_what_bends_items_is_caught_and_nothing_else(engine: DockerEngine) -> None:
    for workshop in open_workshop(engine, "julia", {f"work{i}.jl": work for i, (work, _, _) in enumerate(ITEMS)}):
        for number, (work, item, bent) in enumerate(ITEMS):
            ran = workshop.run(f'include("work{number}.jl")', item=item)
            report = ran.outcome.report.content()
            assert bool(controls(ran.token, report)) == bent, (work, item, ran.printed)
            assert completed(ran.token, report) != bent, (work, item, ran.printed)
        passed, _ = workshop.share("", ITEMS[0][0], "")
        assert passed == [True, False, False]
