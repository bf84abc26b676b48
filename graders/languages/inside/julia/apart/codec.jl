# Items of Julia that are judged apart: values as the two processes pass them to each other. `peer.jl` and `items.jl` go
# on from here. No method of a function of Base is added here: that would slow down all that Julia does.
#
# A value is a tag of one byte and what follows it. Numbers lie in it as they lie in memory. Containers (arrays, dicts,
# sets, streams) get indices in the order in which they come in a request and its answer, so that both sides know them.
# Types and objects of the candidate have numbers, and are described when they come for the first time.

module GradeboxApart

Base.Experimental.@optlevel 0

const MAX_BYTES = 64 << 20
const MAX_DEPTH = 200
const MAX_TYPES = 1000

struct Malformed <: Exception
    why::String
end
must(holds::Bool, why::String) = holds || throw(Malformed(why))

const NUMBERS = DataType[Int8, Int16, Int32, Int64, Int128, UInt8, UInt16, UInt32, UInt64, UInt128, Float16, Float32, Float64, Char, Bool]
const DATES = Base.PkgId(Base.UUID("ade2ca70-3891-5945-98fb-dc099432e06a"), "Dates")
const DATED = Symbol[:Date, :DateTime, :Time, :Year, :Month, :Week, :Day, :Hour, :Minute, :Second, :Millisecond, :Microsecond, :Nanosecond]

# A function of the submission, as the grader has it, and one of the grader's, as the candidate has it.
struct CandidateFunction <: Function
    number::Int
    name::Symbol
end
struct GraderFunction <: Function
    number::Int
end
# Anything else of the other side's: it can only be passed back.
struct Handle
    number::Int
    kind::Symbol
end

# The containers of a request and of its answer.
struct Exchange
    containers::Vector{Any}
    indices::IdDict{Any,Int}
end
Exchange() = Exchange(Any[], IdDict{Any,Int}())
function register!(exchange::Exchange, @nospecialize(value))
    push!(exchange.containers, value)
    exchange.indices[value] = length(exchange.containers)
end

# One side, and what it knows of the other.
mutable struct Peer
    is_grader::Bool
    input::IO
    output::IO
    numbers::IdDict{Any,Int}  # Of objects: below 0 the grader's, above 0 the candidate's.
    objects::Dict{Int,Any}
    before::Dict{Int,Vector{UInt8}}  # Fields of mutable objects as the other side knows them.
    types::Vector{Any}  # The candidate's, by number.
    type_numbers::IdDict{Any,Int}
    last::Int
    program::Module
    text::String  # Of the tests.
    is_lost::Bool
    why::String
end
Peer(is_grader, input, output, program) = Peer(
    is_grader, input, output, IdDict{Any,Int}(), Dict{Int,Any}(), Dict{Int,Vector{UInt8}}(),
    Any[], IdDict{Any,Int}(), 0, program, "", false, "",
)

put(io::IOBuffer, tag::Char) = write(io, UInt8(tag))
put_count(io::IOBuffer, count::Int) = write(io, count)
put_bytes(io::IOBuffer, text::String) = (put_count(io, sizeof(text)); write(io, text))
put_name(io::IOBuffer, name::Symbol) = put_bytes(io, String(name))

is_mutable(kind::DataType) = VERSION < v"1.7" ? kind.mutable : Base.ismutabletype(kind)
is_mine(kind::DataType) = (root = Base.moduleroot(kind.name.module); root === Base || root === Core)

function number_of(peer::Peer, @nospecialize(value))
    get!(peer.numbers, value) do
        peer.last += peer.is_grader ? -1 : 1
        peer.objects[peer.last] = value
        peer.last
    end
end

# Types

function encode_type(peer::Peer, io::IOBuffer, @nospecialize(kind), depth::Int)
    must(depth < MAX_DEPTH, "it is nested too deeply")
    if kind === Union{}
        put(io, '0')
    elseif kind isa Union
        put(io, 'u')
        encode_type(peer, io, kind.a, depth + 1)
        encode_type(peer, io, kind.b, depth + 1)
    elseif kind isa UnionAll
        put(io, 'w')
        encode_type(peer, io, Base.unwrap_unionall(kind).name.wrapper isa UnionAll ? Base.unwrap_unionall(kind) : kind.body, depth + 1)
    elseif kind isa DataType
        encode_data_type(peer, io, kind, depth)
    else
        put(io, 'b'); put_name(io, :Any); put_count(io, 0)
    end
end

function encode_data_type(peer::Peer, io::IOBuffer, kind::DataType, depth::Int)
    wrapper = kind.name.wrapper
    parameters = Any[kind.parameters...]
    any(each -> each isa TypeVar || !(each isa Union{Type,Int,Symbol,Bool}), parameters) && kind !== Tuple && (parameters = Any[])
    number = get(peer.type_numbers, wrapper, 0)
    if number > 0
        put(io, 'c')
        put_count(io, number)
    elseif kind <: Function
        put(io, 'b'); put_name(io, :Function); put_count(io, 0)
        return
    elseif is_mine(kind)
        put(io, 'b')
        put_name(io, kind.name.name)
    elseif peer.is_grader
        put(io, 'b'); put_name(io, :Any); put_count(io, 0)
        return
    else
        describe_type(peer, io, wrapper, depth)
    end
    put_count(io, length(parameters))
    for parameter in parameters
        parameter isa Type ? (put(io, 't'); encode_type(peer, io, parameter, depth + 1)) :
            (put(io, 'v'); encode(peer, Exchange(), io, parameter, depth + 1))
    end
end

# Of the candidate's, for the first time.
function describe_type(peer::Peer, io::IOBuffer, @nospecialize(wrapper), depth::Int)
    kind = Base.unwrap_unionall(wrapper)
    push!(peer.types, wrapper)
    peer.type_numbers[wrapper] = length(peer.types)
    put(io, 'd')
    put_count(io, length(peer.types))
    put_name(io, kind.name.name)
    place = fullname(kind.name.module)
    start = findlast(isequal(:Program), place)
    put_bytes(io, start === nothing ? "?" : join(place[start+1:end], "."))
    put(io, isabstracttype(kind) ? 'a' : kind <: Enum ? 'e' : isprimitivetype(kind) ? 'o' : is_mutable(kind) ? 'm' : 's')
    put_count(io, length(kind.parameters))
    fields = isabstracttype(kind) || isprimitivetype(kind) ? () : fieldnames(kind)
    put_count(io, length(fields))
    foreach(name -> put_name(io, name), fields)
    encode_type(peer, io, Base.unwrap_unionall(supertype(kind)), depth + 1)
    members = kind <: Enum ? Base.invokelatest(Base.Enums.namemap, kind) : ()
    put_count(io, length(members))
    for (member, name) in members
        put_name(io, name)
        write(io, Int64(member))
    end
end

# Values

function encode(peer::Peer, exchange::Exchange, io::IOBuffer, @nospecialize(value), depth::Int)
    must(depth < MAX_DEPTH, "it is nested too deeply")
    must(io.size < MAX_BYTES, "it is too large")
    kind = typeof(value)
    code = findfirst(isequal(kind), NUMBERS)
    if value === nothing
        put(io, 'n')
    elseif value === missing
        put(io, '?')
    elseif code !== nothing
        put(io, 'p')
        write(io, UInt8(code))
        write(io, value isa Char ? reinterpret(UInt32, value) : value)
    elseif value isa String || value isa SubString{String}
        put(io, 's'); put_bytes(io, String(value))
    elseif value isa Symbol
        put(io, 'y'); put_name(io, value)
    elseif value isa BigInt
        put(io, 'i'); put_bytes(io, string(value; base = 16))
    elseif value isa BigFloat
        put(io, 'h'); put_count(io, precision(value)); put_bytes(io, string(value))
    elseif value isa Tuple
        put(io, '('); encode_all(peer, exchange, io, value, depth)
    elseif value isa NamedTuple
        put(io, 'N'); encode_all(peer, exchange, io, keys(value), depth); encode_all(peer, exchange, io, Tuple(value), depth)
    elseif haskey(exchange.indices, value)
        put(io, '#'); put_count(io, exchange.indices[value])
    elseif value isa Union{Array,BitArray,Dict,Set,IO} && (is_mine(kind) || value isa IO)
        encode_container(peer, exchange, io, value, depth)
    elseif value isa Type
        put(io, 'T'); encode_type(peer, io, value, depth + 1)
    else
        encode_other(peer, exchange, io, value, depth)
    end
    return
end

function encode_all(peer::Peer, exchange::Exchange, io::IOBuffer, @nospecialize(values), depth::Int)
    put_count(io, length(values))
    for value in values
        encode(peer, exchange, io, value, depth + 1)
    end
end

is_dated(@nospecialize(value)) = nameof(typeof(value)) in DATED && Base.PkgId(typeof(value).name.module) == DATES

function encode_other(peer::Peer, exchange::Exchange, io::IOBuffer, @nospecialize(value), depth::Int)
    kind = typeof(value)
    each(tag, parts) = (put(io, tag); encode_all(peer, exchange, io, parts, depth))
    if value isa Pair
        each('=', (value.first, value.second))
    elseif value isa Rational
        each('/', (numerator(value), denominator(value)))
    elseif value isa Complex
        each('c', (real(value), imag(value)))
    elseif value isa Union{UnitRange,Base.OneTo}
        each('r', (first(value), last(value)))
    elseif value isa StepRange
        each('r', (value.start, value.step, value.stop))
    elseif value isa Regex
        each('x', (value.pattern, Int(value.compile_options & ~Base.DEFAULT_COMPILER_OPTS)))
    elseif is_dated(value)
        dates = kind.name.module
        each('D', (nameof(kind), Int64(value isa dates.Period || value isa dates.TimeType ? Base.invokelatest(dates.value, value) : 0)))
    elseif value isa AbstractArray && is_mine(kind) && length(value) <= MAX_BYTES
        encode_container(peer, exchange, io, collect(value), depth)
    elseif value isa Exception && is_mine(kind)
        each('E', (kind.name.name, (getfield(value, at) for at in 1:fieldcount(kind) if isdefined(value, at))...))
    elseif value isa Union{CandidateFunction,GraderFunction,Handle}
        put(io, 'X'); put_count(io, value.number)
    elseif value isa Function && peer.is_grader && isdefined(Base, nameof(value)) && getfield(Base, nameof(value)) === value
        put(io, 'f'); put_name(io, nameof(value))
    elseif value isa Function
        put(io, 'F'); put_count(io, number_of(peer, value)); put_name(io, nameof(value))
    elseif haskey(peer.type_numbers, kind.name.wrapper) || !peer.is_grader && !is_mine(kind) && !(value isa Module)
        encode_object(peer, exchange, io, value, depth)
    else
        put(io, 'H'); put_count(io, number_of(peer, value)); put_name(io, kind.name.name)
    end
end

# An instance of a type of the candidate's.
function encode_object(peer::Peer, exchange::Exchange, io::IOBuffer, @nospecialize(value), depth::Int)
    kind = typeof(value)
    if value isa Enum
        put(io, 'e'); encode_type(peer, io, kind, depth + 1); write(io, Int64(Integer(value)))
    elseif isprimitivetype(kind)
        put(io, 'H'); put_count(io, number_of(peer, value)); put_name(io, kind.name.name)
    elseif is_mutable(kind) && haskey(peer.numbers, value)
        put(io, 'R'); put_count(io, peer.numbers[value])
    else
        put(io, is_mutable(kind) ? 'M' : 'I')
        is_mutable(kind) && put_count(io, number_of(peer, value))
        encode_type(peer, io, kind, depth + 1)
        encode_fields(peer, exchange, io, value, depth)
    end
end

function encode_fields(peer::Peer, exchange::Exchange, io::IOBuffer, @nospecialize(value), depth::Int)
    for at in 1:fieldcount(typeof(value))
        isdefined(value, at) ? encode(peer, exchange, io, getfield(value, at), depth + 1) : put(io, 'U')
    end
end

function encode_container(peer::Peer, exchange::Exchange, io::IOBuffer, @nospecialize(value), depth::Int)
    register!(exchange, value)
    if value isa IO
        put(io, 'o')
    elseif value isa Union{Array,BitArray}
        put(io, value isa Array ? 'A' : 'B')
        encode_type(peer, io, eltype(value), depth + 1)
    else
        put(io, value isa Dict ? 'K' : 'S')
        encode_type(peer, io, value isa Dict ? keytype(value) : eltype(value), depth + 1)
        value isa Dict && encode_type(peer, io, valtype(value), depth + 1)
    end
    encode_content(peer, exchange, io, value, depth)
end

is_raw(@nospecialize(value)) = value isa Array && eltype(value) in NUMBERS

function encode_content(peer::Peer, exchange::Exchange, io::IOBuffer, @nospecialize(value), depth::Int)
    if value isa IO
        # What can be read of it; the candidate's answer is what was written to it.
        data = value isa Base.GenericIOBuffer && value.readable ? value.data[(peer.is_grader ? value.ptr : 1):value.size] : UInt8[]
        put_bytes(io, String(copy(data)))
    elseif value isa Union{Array,BitArray}
        put_count(io, ndims(value))
        foreach(count -> put_count(io, count), size(value))
        if is_raw(value)
            must(sizeof(value) < MAX_BYTES, "it is too large")
            write(io, value)
        else
            for at in 1:length(value)
                value isa BitArray || isassigned(value, at) ? encode(peer, exchange, io, value[at], depth + 1) : put(io, 'U')
            end
        end
    else
        put_count(io, length(value))
        for part in value
            value isa Dict ? (encode(peer, exchange, io, part.first, depth + 1); encode(peer, exchange, io, part.second, depth + 1)) :
                encode(peer, exchange, io, part, depth + 1)
        end
    end
end
