"""Items of Julia judged apart by a reference: other ways to write the same pass, and what lies about it fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.submissions.source import read_submission

REFERENCE = """
struct Circle
    r::Float64
end
Base.show(io::IO, c::Circle) = print(io, "circle of ", c.r)
parse_shape(text) = Circle(parse(Float64, split(text)[2]))
struct Queue
    items::Vector{Int}
end
Base.length(q::Queue) = length(q.items)
Base.iterate(q::Queue, i = 1) = i > length(q.items) ? nothing : (q.items[i], i + 1)
Base.last(q::Queue) = last(q.items)
make_queue(items) = Queue(copy(items))
struct Point
    x::Int
end
total(xs) = sum(xs)
midpoints(xs) = [(xs[i] + xs[i+1]) / 2 for i in 1:length(xs)-1]
struct Box
    w::Float64
    h::Float64
    area::Float64
    Box(w, h) = new(w, h, w * h)
end
const NORTH, EAST = :north, :east
turn(direction) = direction === NORTH ? EAST : NORTH
adder(n) = x -> x + n
double(x) = 2x
parse_age(text) = (age = parse(Int, text); age < 0 ? error("a negative age") : age)
settings() = ["a" => 1, "b" => "x"]
mutable struct Calculator
    steps::Int
end
calculator() = Calculator(0)
step!(c) = (c.steps += 1; c)
roots(xs) = [sqrt(x) for x in xs]
means!(f, xs) = foreach(n -> f(sum(xs[1:n]) / n), eachindex(xs))
refuse() = error("nobody")
after(seconds) = (at = time() + seconds; () -> time() > at)
weekday(n) = n
both!(f, g) = (f(5); g(5); nothing)
ordered(xs) = sort(xs)
smooth(xs) = xs ./ 2
mutable struct Basket
    all::Vector{Any}
end
basket() = Basket([])
add!(b::Basket, x) = (push!(b.all, x); b)
goods(b::Basket) = copy(b.all)
Base.length(b::Basket) = length(b.all)
mutable struct Bus
    all::Dict{Int,Any}
end
bus() = Bus(Dict{Int,Any}())
subscribe!(b, f) = (b.all[length(b.all)+1] = f; length(b.all))
cancel!(b, n) = (delete!(b.all, n); nothing)
publish(b, x) = foreach(f -> f(x), values(b.all))
"""
# The same, written in other ways.
HONEST = """
module Kit
export parse_shape, make_queue, Point, total, midpoints, Box, NORTH, EAST, turn, adder, double, parse_age, settings
export calculator, step!, roots, means!, refuse, after, weekday, both!
struct Disc r::Float64 end
struct Square r::Float64 end
Base.show(io::IO, c::Union{Disc,Square}) = print(io, "circle of ", c.r)
parse_shape(text) = Disc(parse(Float64, split(text)[2]))
struct Fifo items::Vector{Int} end
Base.iterate(q::Fifo, i = 1) = i > length(q.items) ? nothing : (q.items[i], i + 1)
Base.length(q::Fifo) = length(q.items)
Base.firstindex(::Fifo) = 1
Base.lastindex(q::Fifo) = length(q.items)
Base.getindex(q::Fifo, i::Int) = q.items[i]
make_queue(items) = Fifo(copy(items))
struct Place all::Vector{Int} end
Base.:(==)(a::Place, b::Place) = a.all == b.all
Base.hash(a::Place, h::UInt) = hash(a.all, h)
Point(x) = Place([x])
const total = sum
midpoints(xs::AbstractRange) = [x + step(xs) / 2 for x in xs[1:end-1]]
struct Box w::Float64; h::Float64 end
Base.getproperty(box::Box, name::Symbol) = name === :area ? box.w * box.h : getfield(box, name)
@enum Direction NORTH EAST
turn(direction) = direction === NORTH ? EAST : NORTH
struct Adder n::Int end
(a::Adder)(x) = x + a.n
adder(n) = Adder(n)
struct Scale n::Int end
(s::Scale)(x) = x * s.n
const double = Scale(2)
struct AgeError <: Exception age::Int end
Base.showerror(io::IO, e::AgeError) = print(io, "a negative age: ", e.age)
parse_age(text) = (age = parse(Int, text); age < 0 ? throw(AgeError(age)) : age)
settings() = Pair{String,Any}["a" => 1, "b" => "x"]
mutable struct Calculator
    ops::Dict{String,Function}
    steps::Int
end
calculator() = Calculator(Dict{String,Function}("+" => (a, b) -> a + b), 0)
step!(c) = (c.steps += 1; c)
roots(xs) = fetch.([Threads.@spawn(sqrt(x)) for x in xs])
means!(f, xs) = foreach(n -> f(sum(xs[1:n]) / n), eachindex(xs))
refuse() = error("nobody")
after(seconds) = (done = Ref(false); Timer(_ -> done[] = true, seconds); () -> done[])
weekday(n) = n
both!(f, g) = (f(5); g(5); nothing)
export ordered, smooth, basket, add!, goods, bus, subscribe!, cancel!, publish
ordered(xs) = sort!(xs)
smooth(xs) = (xs ./= 2; xs)
struct Basket <: AbstractVector{Int} all::Vector{Int} end
Base.size(b::Basket) = size(b.all)
Base.getindex(b::Basket, i::Int) = b.all[i]
basket() = Basket(Int[])
add!(b::Basket, x) = (push!(b.all, x); b)
goods(b::Basket) = b.all
mutable struct Subscription f::Any end
bus() = Subscription[]
subscribe!(b, f) = (push!(b, Subscription(f)); b[end])
cancel!(b, s) = (filter!(each -> each !== s, b); nothing)
publish(b, x) = foreach(each -> each.f(x), b)
end
using .Kit
"""
# None of LIED_TO passes.
DISHONEST = """
mutable struct Queue; asked::Int end
Base.length(q::Queue) = (q.asked += 1; q.asked == 1 ? 9 : q.asked == 2 ? 0 : 3)
Base.iterate(::Queue) = nothing
make_queue(items) = Queue(first(items) == 1 ? 0 : 2)
function means!(f, xs)
    for n in eachindex(xs)
        told = try f("?") catch error; error isa MethodError && error.args isa Tuple ? error.args[end] : 0.0 end
        try f(told) catch end
    end
end
both!(f, g) = (try f(0) catch end; try g(0) catch end; nothing)
refuse() = throw(AssertionError("assertion 1 of the tests"))
const Monday = 7
weekday(_) = 7
ordered(xs) = (empty!(xs); Int[])
smooth(xs) = zeros(1, 0)
mutable struct Basket n::Int; given::Vector{Any} end
basket() = Basket(0, [])
add!(b::Basket, _) = (b.n += 1; b)
goods(b::Basket) = (b.given = Any[0 for _ in 1:b.n])
Base.length(b::Basket) = (empty!(b.given); b.n)
"""
ITEMS = [
    '@assert string(parse_shape("circle 2")) == "circle of 2.0"',
    "queue = make_queue([3, 1, 2])\n@assert collect(queue) == [3, 1, 2] && length(queue) == 3 && last(queue) == 2",
    "@assert length(Set([Point(1), Point(1), Point(2)])) == 2",
    "@assert total([1, 2, 3]) == 6 && midpoints(0:0.5:2) == [0.25, 0.75, 1.25, 1.75]",
    "@assert Box(2.0, 3.0).area == 6.0",
    "@assert turn(NORTH) == EAST && turn(turn(NORTH)) == NORTH",
    "add3 = adder(3)\n@assert add3(4) == 7 && double(21) == 42",
    'message = try parse_age("-1") catch error sprint(showerror, error) end\n@assert occursin("negative", message)',
    '@assert settings() == ["a" => 1, "b" => "x"]',
    "c = calculator()\nstep!(c)\nc.steps = 10\n@assert step!(c).steps == 11",
    "@assert roots([4.0, 9.0]) == [2.0, 3.0]\n@assert try roots([-1.0]); false catch; true end",
    "is_over = after(0.5)\nsleep(3)\n@assert is_over()",
    """
told, b = Int[], bus()
first_one = subscribe!(b, x -> push!(told, x))
subscribe!(b, x -> push!(told, 2x))
cancel!(b, first_one)
publish(b, 4)
@assert told == [8]""",
]
LIED_TO = [
    "queue = make_queue([1, 2, 3])\n@assert length(queue) > 2 && length(queue) < 4",
    "queue = make_queue([4, 5, 6])\n@assert length(queue) == 3\nfor item in queue\n    @assert item > 3\nend",
    """
means, n = [3.0, 6.0], Ref(0)
means!([3.0, 9.0]) do mean
    @assert abs(mean - means[n[]+1]) < 1e-9
    n[] += 1
end
@assert n[] == 2""",
    """
calls = Ref(0)
one(x) = (calls[] += 1; @assert x == 5)
both!(one, _ -> try refuse() catch end)
@assert calls[] == 1""",
    "using Dates\n@assert weekday(1) == Monday",
    "xs = [3, 1, 2]\nys = ordered(xs)\n@assert length(ys) == length(xs) && issorted(ys) && Set(ys) == Set(xs)",
    "@assert all(abs.(smooth([2.0, 6.0]) .- [1.0, 3.0]) .< 1e-9)",
    "b = add!(basket(), 3)\ngot = goods(b)\n@assert length(got) == length(b)\nfor x in got\n    @assert x == 3\nend",
]
# Without a reference: a failed `@test` in a file of the case, which the submission catches.
HELPER = "using Test\ncheck(x) = @test x == 4\n"
CATCHES = "call(f) = (try f(5) catch end; nothing)\n"


def written(base: Path, reference: str, items: list[str]) -> Path:
    check = {
        "type": "unit-tests",
        "isolation": "shared",
        "setup": 'include("kit.jl")',
        "items": [{"name": f"item {number}", "code": source} for number, source in enumerate(items)],
    }
    case = {"input": "x", "language": "julia", "isolation": "apart", "assertions": [check], "protect": ["helper.jl"]}
    files = {"case.yaml": json.dumps(case), "workspace/helper.jl": HELPER}
    for name, text in (files | ({"reference/kit.jl": reference} if reference else {})).items():
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(text)
    return base


# Julia starts twelve times for these.
@pytest.mark.thorough
@pytest.mark.timeout(1200)
def test_other_ways_to_write_it_pass_and_lies_do_not(tmp_path: Path) -> None:
    known = load_case(written(tmp_path / "known", REFERENCE, ITEMS + LIED_TO))
    unknown = load_case(written(tmp_path / "unknown", "", ['include("helper.jl")\ncall(check)']))
    tasks = []
    for name, case, text in (("a", known, HONEST), ("b", known, DISHONEST), ("c", unknown, CATCHES)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kit.jl").write_text(text)
        tasks.append(Task(case, read_submission(tmp_path / name)))
    with Grader() as grader:
        checks = [result.verdict.checks[0] for result in grader.grade_many(tasks, jobs=1)]
    assert [check.judged for check in checks] == ["apart"] * 3, checks
    assert [check.score for check in checks] == [1.0, 0.0, 0.0], checks
