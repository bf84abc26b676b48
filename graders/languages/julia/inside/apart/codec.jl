# Items of Julia that are judged apart: values as trees of JSON, written and read (docs/explanation/boundary.md).
# Reading makes data: nothing is evaluated, and no constructor of anybody's is called. `sharing.jl` knows which objects
# have numbers, `types.jl` how types are written.

using Base64: base64decode, base64encode

# A tuple of which Julia makes no type.
struct Parts
    values::Vector{Any}
end
# In place of a field or an element that has no value yet.
struct Undefined end

const PLAIN = Union{Int8,Int16,Int32,Int64,Int128,UInt8,UInt16,UInt32,UInt64,UInt128,Float16,Float32,Float64,Bool,Char}
const NARROW = Dict{String,DataType}(
    string(kind) => kind for kind in (Int8, Int16, Int32, Int128, UInt8, UInt16, UInt32, UInt64, UInt128, BigInt)
)
const DATES = Base.PkgId(Base.UUID("ade2ca70-3891-5945-98fb-dc099432e06a"), "Dates")

# Writing

function encode(peer::Peer, io::IOBuffer, @nospecialize(value), depth::Int = 0)
    depth < TABLE.depth || throw(Limit("a value has more than $(TABLE.depth) levels"))
    io.size < TABLE.bytes || throw(Limit("a value has more than $(TABLE.bytes >> 20) MiB"))
    number = 0
    if value === nothing
        print(io, "null")
    elseif value isa Union{Bool,Int64,Float64}
        put_number(io, value)
    elseif value isa Union{String,SubString{String}} && isvalid(value)
        put_text(io, value)
    elseif value === missing || value isa Undefined
        print(io, "[\"k\",\"", value isa Undefined ? "#undef" : "missing", "\"]")
    elseif value isa Union{Tuple,Parts}
        tagged(peer, io, depth, Any["t"], value isa Parts ? value.values : fields(value))
    elseif value isa NamedTuple
        put_named(peer, io, value, depth)
    elseif value isa Base.CodeUnits
        print(io, "[\"b\",\"", base64encode(Vector{UInt8}(value)), "\"]")
    elseif value isa Type
        encode_type(peer, io, value, depth)
    elseif (number = number_of(peer, value)) != 0
        print(io, is_container(peer, value) ? "[\"#\"," : "[\"o\",", number, "]")
    elseif is_container(peer, value)
        encode_container(peer, io, value, share!(peer, value), depth)
    else
        name, parts = taken_apart(value)
        name == "" ? encode_object(peer, io, value, depth) : tagged(peer, io, depth, Any["v", name], parts)
    end
    return
end

# Nothing here is compiled for each type of a value.
function tagged(peer::Peer, io::IOBuffer, depth::Int, head::Vector{Any}, parts::Vector{Any})
    length(parts) < TABLE.parts || throw(Limit("a value has more than $(TABLE.parts) parts"))
    comma = "["
    for values in (head, parts), value in values
        print(io, comma)
        encode(peer, io, value, depth + 1)
        comma = ","
    end
    print(io, "]")
end

function put_named(peer::Peer, io::IOBuffer, @nospecialize(value), depth::Int)
    print(io, "[\"n\",")
    tagged(peer, io, depth + 1, Any["t"], names_of(typeof(value)))
    for part in fields(value)
        print(io, ",")
        encode(peer, io, part, depth + 1)
    end
    print(io, "]")
end

function put_number(io::IOBuffer, value::Union{Bool,Int64,Float64})
    if value isa Float64 && (!isfinite(value) || value === -0.0)
        print(io, "[\"f\",\"", isnan(value) ? "nan" : value == 0 ? "-0" : value > 0 ? "inf" : "-inf", "\"]")
    elseif value isa Int64 && !(-SAFE < value < SAFE)
        print(io, "[\"i\",\"", string(value; base = 16), "\"]")
    else
        print(io, value)
    end
end

# A value of the library as the table names it, with its parts.
function taken_apart(@nospecialize(value))
    kind = typeof(value)
    if value isa BigInt || haskey(NARROW, string(kind))
        return string(kind), Any[typemin(Int64) <= value <= typemax(Int64) ? Int64(value) : string(value; base = 16)]
    end
    value isa Union{Float16,Float32} && return string(kind), Any[Float64(value)]
    value isa Char && return "Char", Any[isvalid(value) ? string(value) : Int64(reinterpret(UInt32, value))]
    value isa Union{String,SubString{String}} && return "String", Any[codeunits(String(value))]
    value isa Symbol && return "Symbol", Any[String(value)]
    value isa BigFloat && return "BigFloat", Any[precision(value), string(value)]
    value isa Union{Pair,Rational,Complex,StepRange,Some} && return string(nameof(kind)), fields(value)
    value isa Union{UnitRange,Base.OneTo} && return "UnitRange", Any[first(value), last(value)]
    value isa StepRangeLen{Float64,Base.TwicePrecision{Float64}} && return "StepRangeLen",
        Any[value.ref.hi, value.ref.lo, value.step.hi, value.step.lo, value.len, value.offset]
    value isa Regex && return "Regex", Any[value.pattern, Int(value.compile_options & ~Base.DEFAULT_COMPILER_OPTS)]
    value isa VersionNumber && return "VersionNumber", Any[string(value)]
    value isa CartesianIndex && return "CartesianIndex", fields(value.I)
    name = string("Dates.", nameof(kind))
    name in TABLE.values && Base.PkgId(kind.name.module) == DATES || return "", Any[]
    return name, Any[Int64(Base.invokelatest(kind.name.module.value, value))]
end

# A container with its number and all that it holds.
function encode_container(peer::Peer, io::IOBuffer, @nospecialize(value), number::Int, depth::Int)
    kind = typeof(value)
    head, parts = if value isa IO
        print(io, "[\"B\",", number, ",\"IOBuffer\",\"", base64encode(readable(peer, value)), "\"]")
        return
    elseif kind === Vector{Any}
        Any["l", number, ""], elements(value)
    elseif value isa Union{Array,BitArray}
        sizeof(value) <= TABLE.bytes || throw(Limit("a value has more than $(TABLE.bytes >> 20) MiB"))
        Any["l", number, value isa Array ? "Array" : "BitArray", written(eltype(kind)), size(value)],
        is_raw(value) ? Any[raw(value)] : elements(value)
    elseif value isa Dict
        kind === Dict{Any,Any} ? Any["d", number, ""] : Any["d", number, "Dict", written(keytype(kind)),
            written(valtype(kind))], pairs_of(value)
    elseif value isa Set
        kind === Set{Any} ? Any["s", number, ""] : Any["s", number, "Set", written(eltype(kind))], Any[value...]
    else
        Any["w", number, value isa Base.RefValue ? "RefValue" : "struct", value isa Base.RefValue ? eltype(kind) :
            kind], fields(value)
    end
    tagged(peer, io, depth, head, parts)
end

# Reading

is_list(tree, tags::String, count::Int) =
    tree isa Vector{Any} && length(tree) >= count && tree[1] isa String && length(tree[1]) == 1 &&
        occursin(tree[1], tags)

function decode(peer::Peer, @nospecialize(tree), path::Path = NOWHERE)
    tree isa Union{Nothing,Bool,Int,Float64,String} && return arrived(peer, path, "data", tree)
    must(is_list(tree, "iftbkvlds#Bnweoxc", 2) || tree == Any["t"], "it is not a value")
    tag = tree[1]
    if tag == "t"
        return Tuple(Any[decode(peer, part, item(peer.contract, path, at - 1)) for (at,
            part) in enumerate(tree[2:end])])
    elseif occursin(tag, "ldsBw")
        return decode_container(peer, tree, path)
    elseif occursin(tag, "nexco#") || tag == "k" && !(tree[2] in ("missing", "#undef")) || tag == "v" &&
        tree[2] in ("Type", "Union")
        return decode_object(peer, tree, path)
    elseif tag == "v"
        must(tree[2] isa String && tree[2] in TABLE.values, "there is no such value")
        return arrived(peer, path, "data", put_together(tree[2],
            Any[decode(peer, part, step(path, "[]")) for part in tree[3:end]]))
    end
    must(length(tree) == 2 && tree[2] isa String, "a value has other parts")
    tag == "k" && return tree[2] == "missing" ? missing : Undefined()
    return arrived(peer, path, "data", tag == "b" ? codeunits(String(bytes(tree[2]))) : decode_number(tag, tree[2]))
end

function decode_number(tag::String, text::String)
    if tag == "f"
        at = findfirst(isequal(text), ("nan", "inf", "-inf", "-0"))
        must(at !== nothing, "it is not a float")
        return (NaN, Inf, -Inf, -0.0)[at]
    end
    number = large(text)
    must(!(-SAFE < number < SAFE), "an integer is written so that need not be")
    return typemin(Int64) <= number <= typemax(Int64) ? Int64(number) : number
end

function large(text::String)
    must(sizeof(text) < 1 << 20 && occursin(r"^-?[1-9a-f][0-9a-f]*\z", text), "it is not an integer")
    return parse(BigInt, text; base = 16)
end

function bytes(text::String)
    must(occursin(r"^[A-Za-z0-9+/]*={0,2}\z", text), "it is not base64")
    data = base64decode(text)
    must(base64encode(data) == text, "it is not base64")
    return data
end

function must_hold(parts::Vector{Any}, kinds::Vector{Any})
    must(length(parts) == length(kinds) && all(pair -> pair[1] isa pair[2], zip(parts, kinds)),
        "a value has other parts")
end
is_whole(@nospecialize(part)) = part isa PLAIN && part isa Union{Integer,Char} || part isa BigInt
is_counted(@nospecialize(part)) = is_whole(part) || Base.PkgId(parentmodule(typeof(part))) == DATES

# A value of the library. Its parts are of the kinds that it has when it is written.
function put_together(name::String, parts::Vector{Any})
    if haskey(NARROW, name)
        must_hold(parts, Any[Union{Int64,String}])
        number = parts[1] isa String ? large(parts[1]) : parts[1]
        must(parts[1] isa Int64 || !(typemin(Int64) <= number <= typemax(Int64)),
            "an integer is written so that need not be")
        name == "BigInt" && return BigInt(number)
        must(typemin(NARROW[name]) <= number <= typemax(NARROW[name]), "an integer is too large")
        return NARROW[name](number)
    elseif name == "Float16" || name == "Float32"
        must_hold(parts, Any[Float64])
        return name == "Float16" ? Float16(parts[1]) : Float32(parts[1])
    elseif name == "Char"
        must_hold(parts, Any[Union{Int64,String}])
        char = parts[1] isa String ? first(parts[1]) : reinterpret(Char, UInt32(parts[1]))
        must(parts[1] isa String ? length(parts[1]) == 1 : !isvalid(char), "it is not a character")
        return char
    elseif name == "String"
        must_hold(parts, Any[Base.CodeUnits])
        return String(parts[1].s)
    elseif name == "Symbol" || name == "VersionNumber"
        must_hold(parts, Any[String])
        must(!occursin('\0', parts[1]), "a name is none")
        return name == "Symbol" ? Symbol(parts[1]) : VersionNumber(parts[1])
    elseif name == "BigFloat"
        must_hold(parts, Any[Int64, String])
        must(2 <= parts[1] <= 100_000 && sizeof(parts[2]) < 200_000, "it is not a number")
        return setprecision(() -> parse(BigFloat, parts[2]), BigFloat, parts[1])
    elseif name == "Pair" || name == "Some"
        must_hold(parts, name == "Pair" ? Any[Any, Any] : Any[Any])
        return name == "Pair" ? Pair(parts[1], parts[2]) : Some(parts[1])
    elseif name == "Rational" || name == "Complex"
        must_hold(parts, Any[name == "Complex" ? Union{PLAIN,BigInt,BigFloat} : Integer, typeof(parts[1])])
        must(!(parts[1] isa Char) && (name == "Complex" || is_whole(parts[1])), "it is not a number")
        return name == "Complex" ? Complex(parts[1], parts[2]) : parts[1] // parts[2]
    elseif name == "UnitRange" || name == "StepRange"
        must(length(parts) == (name == "UnitRange" ? 2 : 3) && all(is_counted, parts), "it is not a range")
        return length(parts) == 2 ? (parts[1]:parts[2]) : (parts[1]:parts[2]:parts[3])
    elseif name == "StepRangeLen"
        must_hold(parts, Any[Float64, Float64, Float64, Float64, Int64, Int64])
        must(0 <= parts[5] && 1 <= parts[6] <= max(1, parts[5]), "it is not a range")
        return StepRangeLen{Float64}(Base.TwicePrecision(parts[1], parts[2]), Base.TwicePrecision(parts[3], parts[4]),
            parts[5], parts[6])
    elseif name == "Regex"
        must_hold(parts, Any[String, Int64])
        return Regex(parts[1], UInt32(parts[2]) | Base.DEFAULT_COMPILER_OPTS, Base.DEFAULT_MATCH_OPTS)
    elseif name == "CartesianIndex"
        must(0 < length(parts) <= 100 && all(part -> part isa Int64, parts), "it is not an index")
        return CartesianIndex(parts...)
    end
    must_hold(parts, Any[Int64])
    return Base.invokelatest(dated, Base.invokelatest(Base.require, DATES), Symbol(name[7:end]), parts[1])
end

function dated(dates::Module, name::Symbol, value::Int64)
    kind = getfield(dates, name)
    name === :Date && return dates.Date(dates.UTD(value))
    name === :DateTime && return dates.DateTime(dates.UTM(value))
    return name === :Time ? dates.Time(dates.Nanosecond(value)) : kind(value)
end
