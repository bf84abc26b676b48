# The checkpoint of Julia, for a liar (gates.py): one connection after another, of which each lends some objects and uses
# what comes. What is secret may neither be sent nor be matched; nothing that was not lent may change; no method may be
# there that is not for a type of the submission. All connections share a process: what one makes stays there, types and
# methods of functions of Base, but no other has it. A forked process could not compile: Julia writes what it compiles
# through the memory of the process that it began with.

using Dates, Random, SHA

# Compiled in the image, if it is the program there.
const APART = let digest = bytes2hex(sha256(PROGRAM))
    programs = isdefined(Main, :GradeboxPrograms) ? Main.GradeboxPrograms : nothing
    if programs !== nothing && haskey(programs.PROGRAMS, digest)
        programs.apart.GradeboxApart
    else
        task_local_storage(() -> include_string(Main, PROGRAM, "gradebox"), :gradebox_program, _ -> nothing)
        GradeboxApart
    end
end

module Tests  # What they have, and lend.
mutable struct Own
    value::Int
    secret::String
end
struct Point
    x::Int
    y::Vector{Any}
end
struct Refused <: Exception
    why::String
end
end

module Gate
Base.Experimental.@optlevel 0
using ..Main: APART, LESSONS, Tests, Dates, Random

const IS_OVER, BEGINS = 0xffffffff, 0xfffffffe
const SECRET, NUMBER, FLOAT = "secret$(rand(UInt64))", rand(UInt64) | 1 << 63, 1.5 + rand()
const FORMS = String[SECRET, string(NUMBER), string(NUMBER; base = 16), string(FLOAT)]
const NEVER = Tests.Own(1, SECRET)
const FINDINGS = String[]
finding(text::String) = push!(FINDINGS, text)

const TOLD, TAKEN = UInt8[], IOBuffer()

tell(kind::Char, text::Vector{UInt8}) =
    append!(TOLD, [reinterpret(UInt8, [hton(UInt32(length(text) + 1))]); UInt8(kind); text])

# What was told leaves only when nothing has come yet.
function take(count::Int)
    while bytesavailable(TAKEN) < count
        done = 0
        while done < length(TOLD)
            put = GC.@preserve TOLD ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), 1, pointer(TOLD, done + 1), length(TOLD) - done)
            put < 0 && Libc.errno() == Libc.EPIPE && ccall(:_exit, Cvoid, (Cint,), 0)
            put > 0 && (done += put)
        end
        empty!(TOLD)
        part = Vector{UInt8}(undef, 1 << 16)
        got = GC.@preserve part ccall(:read, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), 0, pointer(part), length(part))
        got == 0 && ccall(:_exit, Cvoid, (Cint,), 0)
        got > 0 && (rest = read(TAKEN); truncate(TAKEN, 0); write(TAKEN, rest, view(part, 1:Int(got))); seekstart(TAKEN))
    end
    return read(TAKEN, count)
end
take_length() = ntoh(reinterpret(UInt32, take(4))[1])
take_number() = ntoh(reinterpret(UInt64, take(8))[1])

# The other end of a connection is the liar.
mutable struct Chunks <: IO
    count::Int
    has_begun::Bool
    rest::Vector{UInt8}
    is_closed::Bool
end
function Base.write(io::Chunks, data::Vector{UInt8})
    text = data[5:end]
    any(form -> occursin(form, String(copy(text))), FORMS) && finding("a secret was sent: $(first(String(copy(text)), 1000))")
    tell('m', text)
    return length(data)
end
function Base.unsafe_read(io::Chunks, place::Ptr{UInt8}, count::UInt)
    # What the last connection left unread comes first.
    while !io.has_begun
        size = take_length()
        size == BEGINS ? (io.has_begun = take_number() == io.count) : size == IS_OVER || take(Int(size))
    end
    while length(io.rest) < count
        size = io.is_closed ? IS_OVER : take_length()
        io.is_closed = size == IS_OVER
        io.is_closed && throw(EOFError())
        append!(io.rest, take(Int(size)))
    end
    unsafe_copyto!(place, pointer(io.rest), count)
    deleteat!(io.rest, 1:Int(count))
    return nothing
end
Base.read(io::Chunks, ::Type{UInt8}) = read!(io, UInt8[0])[1]
Base.eof(io::Chunks) = io.is_closed
Base.flush(::Chunks) = nothing
Base.close(io::Chunks) = (io.is_closed = true; nothing)

lent() = Any[
    Tests.Own(1, SECRET), Tests.Point(1, Any[2]), Tests.Own, Tests.Point, (args...; words...) -> length(args), x -> x, sort, +,
    _ -> throw(Tests.Refused(SECRET)), _ -> throw(AssertionError(SECRET)), Any[1, [2]], Dict{Any,Any}("a" => Any[1]), Set([1]), Ref(5), IOBuffer("a"),
    [1.0 2.0], 1:3, (n for n in 1:3), Tests.Refused("own"), :own, (a = 1, b = "x"), big(2)^70, Dates.Date(2024), nothing, missing,
]

# How tests use what a submission gives.
const USES = Function[
    (it, own) -> it(1, "x"), (it, own) -> it(rand(own), rand(own)), (it, own) -> it(rand(own)), (it, own) -> it(),
    (it, own) -> it(own[5], own[6], own[9], own[10]), (it, own) -> map(it, own), (it, own) -> it(rand(own); b = rand(own)),
    (it, own) -> own[6](it), (it, own) -> getfield(it, 1), (it, own) -> it.value, (it, own) -> it.items, (it, own) -> it.x,
    (it, own) -> (it.value = rand(own)), (it, own) -> push!(it, rand(own)), (it, own) -> pop!(it), (it, own) -> it[1],
    (it, own) -> it["a"], (it, own) -> (it[1] = 5), (it, own) -> collect(it), (it, own) -> first(it), (it, own) -> [x for x in it],
    (it, own) -> iterate(it), (it, own) -> length(it), (it, own) -> size(it), (it, own) -> isempty(it), (it, own) -> sum(it),
    (it, own) -> it + 1, (it, own) -> it + it, (it, own) -> -it, (it, own) -> it * "a", (it, own) -> it * 2, (it, own) -> abs(it),
    (it, own) -> it == it, (it, own) -> it == rand(own), (it, own) -> isless(it, it), (it, own) -> sort([it, it]), (it, own) -> hash(it),
    (it, own) -> string(it), (it, own) -> repr(it), (it, own) -> sprint(show, it), (it, own) -> copy(it), (it, own) -> deepcopy(it),
    (it, own) -> convert(Int, it), (it, own) -> Float64(it), (it, own) -> it isa Number, (it, own) -> typeof(it), (it, own) -> throw(it),
    (it, own) -> propertynames(it), (it, own) -> Dict(it => 1)[it], (it, own) -> Set([it]), (it, own) -> it .+ 1, (it, own) -> it(x -> x),
    (it, own) -> read(it, String), (it, own) -> write(own[15], it), (it, own) -> keys(it), (it, own) -> round(it; digits = 2),
    (it, own) -> Base.invokelatest(showerror, IOBuffer(), it), (it, own) -> reduce(+, it), (it, own) -> split(it), (it, own) -> it ? 1 : 2,
]
# None of them may hold, whatever it is.
const MATCHES = Function[
    it -> it == NUMBER, it -> it == SECRET, it -> SECRET == it, it -> it === SECRET, it -> isequal(it, SECRET), it -> !(it != NUMBER),
    it -> it == [SECRET], it -> [SECRET] == it, it -> it == Dict("a" => NUMBER), it -> it == (NUMBER, SECRET), it -> it == Set([SECRET]),
    it -> it in [SECRET, NUMBER], it -> SECRET in [it], it -> haskey(Dict(SECRET => 1), it), it -> isapprox(it, FLOAT), it -> it ≈ FLOAT,
    it -> FLOAT - 1e-9 <= it <= FLOAT + 1e-9, it -> abs(it - FLOAT) < 1e-9, it -> string(it) == SECRET, it -> "$it" == SECRET,
    it -> Tests.Own(1, SECRET).secret == it, it -> (a = it,) == (a = SECRET,), it -> Dict("a" => NUMBER, "b" => it) == Dict("a" => NUMBER, "b" => SECRET),
    it -> it == big(NUMBER) // 3, it -> Symbol(it) === Symbol(SECRET), it -> String(it) == SECRET, it -> findfirst(isequal(SECRET), [it]) == 1,
    it -> !isless(it, FLOAT - 1e-9) && !isless(FLOAT + 1e-9, it), it -> it == Tests.Refused(SECRET), it -> occursin(it, "a$SECRET") && length(it) > 9,
    it -> collect(it) == [SECRET], it -> sum(it) == NUMBER, it -> cmp(it, SECRET) == 0, it -> issubset(it, [SECRET]) && !isempty(it),
]
# Where the contract has nothing of it, an object of the submission is asked none of this.
const ASKS = Function[
    it -> startswith(it, SECRET), it -> SECRET in it, it -> haskey(it, SECRET), it -> issubset([SECRET], it), it -> it - NUMBER == 0,
    it -> NUMBER - it == 0, it -> count(==(SECRET), it) == 1, it -> it[SECRET] == 1, it -> get(it, SECRET, 0) == 1, it -> occursin(SECRET, it),
    it -> findfirst(SECRET, it) == 1, it -> it > NUMBER - 1 && it < NUMBER + 1, it -> it >= Set([SECRET]), it -> endswith(it, SECRET),
]
const CONTRACT = Ref{Any}(nothing)

# What a message may make: data, what stands for the submission's, or what was lent. `getfield` gives the parts of a type.
is_harmless(@nospecialize(made)) =
    made isa Union{Nothing,Missing,Number,AbstractString,AbstractChar,Symbol,AbstractArray,AbstractDict,AbstractSet,Tuple,NamedTuple,Pair,Base.RefValue,
        IOBuffer,Exception,Type,Core.TypeName,TypeVar,Regex,Some,VersionNumber,CartesianIndex,Dates.AbstractTime,APART.Remote,APART.Handle,APART.Opaque,Base.CodeUnits} ||
    haskey(APART.CLASSES, typeof(made).name.wrapper) || parentmodule(typeof(made)) === Tests || made isa Function

function use(peer, program::Module, own::Vector{Any}, things::Vector{Any})
    names_of(place) = [name for name in names(place; all = true) if isdefined(place, name) && !(name in (:eval, :include, nameof(place))) && !startswith(string(name), '#')]
    known = names_of(program)
    it = isempty(things) || rand() < 0.3 && !isempty(known) ? getfield(program, rand(known)) : rand(things)
    kind = rand(1:10)
    if kind <= 6
        made = Base.invokelatest(rand() < 0.5 ? rand(USES[1:8]) : rand(USES), it, own)
        is_harmless(made) || kind > 3 || finding("a message made $(typeof(made))")
        length(things) < 60 && push!(things, made)
        return
    end
    match = kind < 9 ? rand(MATCHES) : rand(ASKS)
    matched = Base.invokelatest(match, it)
    matched === true && finding("it matched: $(first(methods(match)).line) $(typeof(it))")
end

function episode(count::Int, is_data::Bool)
    program = Core.eval(Main, Expr(:module, true, :Program, Expr(:block)))
    foreach(empty!, (APART.OWNERS, APART.CLASSES, APART.CALLED, APART.EXTENDED, APART.PACKAGES))
    chunks = Chunks(count - 1, false, UInt8[], false)
    peer = APART.PEER[] = APART.Peer(true, chunks, chunks, program)
    is_data && (peer.contract.words = CONTRACT[])
    own, things = lent(), Any[]
    steps = Any[() -> APART.load(peer, "solution_$(rand(("structs", "callbacks"))).jl"); fill(() -> use(peer, program, own, things), 20)]
    for step in steps
        peer.why == "" || break
        try
            Base.invokelatest(step)
        catch
        end
    end
    for kind in keys(APART.CLASSES)
        above = supertype(Base.unwrap_unionall(kind))
        above in (Any, Exception) || above <: Enum || APART.is_theirs(peer, above) || finding("a type is below $above")
    end
    own[1].value == 1 && own[1].secret == SECRET && NEVER.value == 1 && NEVER.secret == SECRET || finding("what was not lent has changed")
end

# What must not change in a process: the globals of the library, and the methods of its functions but for the submission's types.
const LIBRARY = Module[Base, Core, Dates, Random, Base.Math, Base.Iterators, Base.Filesystem, APART]
const FREE = Set([:PROGRAM_FILE, :ans, :err, :_])
globals() = Dict{Tuple{Module,Symbol},UInt}((place, name) => objectid(getfield(place, name)) for place in LIBRARY for name in names(place; all = true) if isdefined(place, name) && !(name in FREE) && !isa(getfield(place, name), Ref))
function changed(before::Dict, world::UInt)
    after = globals()
    for (key, value) in after
        # Julia makes these where a function gets its first method with keywords, here for a type of the submission.
        endswith(string(key[2]), "##kw") && !haskey(before, key) && continue
        get(before, key, UInt(0)) == value || finding("$(key[2]) of $(key[1]) has changed")
    end
    for name in names(Base; all = true)
        called = isdefined(Base, name) ? getfield(Base, name) : nothing
        called isa Function && !(called isa Core.Builtin) || continue
        for method in methods(called).ms
            method.primary_world > world || continue
            any(part -> APART.owned_type(part) !== nothing, Base.unwrap_unionall(method.sig).parameters[2:end]) || finding("a method was added: $(method.sig)")
        end
    end
end

function serve(seed::UInt64, count::Int)
    Random.seed!(seed)
    is_watched = count % 16 == 2
    world, before = ccall(:jl_get_world_counter, UInt, ()), is_watched ? globals() : nothing
    episode(count, rand() < 0.5)
    before === nothing || changed(before, world)
    foreach(text -> tell('f', Vector{UInt8}(text)), FINDINGS)
    empty!(FINDINGS)
end

function main()
    APART.read_table()
    union!(APART.LIBRARY, filter(place -> place !== Main, collect(values(Base.loaded_modules))))
    APART.WORKSPACE[] = "/workspace/"
    APART.REPORT[] = (IOBuffer(), "token")
    found = APART.read_json(Vector{UInt8}(codeunits(LESSONS)), 1_000_000, 50)
    CONTRACT[] = Dict{String,Set{String}}(path => Set{String}(words) for (path, words) in found)
    redirect_stderr(open("/dev/null", "w"))
    seed, further = take_number(), take_number()
    for count in Iterators.countfrom(1)
        tell('r', UInt8[])
        Base.invokelatest(serve, seed + (count - 1) * further, count)
    end
end
end

Gate.main()
