# Items of Julia that are judged apart: what comes from the other side, as values. Whatever is no value is Malformed.
# Nothing that was sent is evaluated; of types, only names and names of fields come to be.

function take_count(io::IOBuffer, limit::Int = MAX_BYTES)
    count = read(io, Int)
    must(0 <= count <= limit, "a number is out of range")
    return count
end
function take_bytes(io::IOBuffer)
    count = take_count(io)
    must(count <= bytesavailable(io), "a text ends too early")
    return read(io, count)
end
take_text(io::IOBuffer) = String(take_bytes(io))
function take_name(io::IOBuffer)
    text = take_text(io)
    must(!occursin('\0', text) && sizeof(text) < 100_000, "a name is none")
    return Symbol(text)
end
take_tag(io::IOBuffer) = Char(read(io, UInt8))

# Make an object without calling any constructor.
function make(kind::DataType, parts::Vector{Any})
    return ccall(:jl_new_structv, Any, (Any, Ptr{Any}, UInt32), kind, parts, length(parts))
end

function decode_type(peer::Peer, io::IOBuffer, depth::Int)
    must(depth < MAX_DEPTH, "it is nested too deeply")
    tag = take_tag(io)
    tag == '0' && return Union{}
    tag == 'u' && return Union{decode_type(peer, io, depth + 1),decode_type(peer, io, depth + 1)}
    tag == 'w' && return decode_type(peer, io, depth + 1)
    if tag == 'b'
        name = take_name(io)
        must(isdefined(Base, name), "there is no such type")
        kind = getfield(Base, name)
        must(kind isa Type, "it is no type")
    elseif tag == 'c'
        kind = peer.types[take_count(io, length(peer.types))]
    else
        must(tag == 'd' && peer.is_grader, "it is no type")
        kind = learn_type(peer, io, depth)
    end
    parameters = Any[]
    for _ in 1:take_count(io, 1000)
        what = take_tag(io)
        must(what == 't' || what == 'v', "it is no parameter")
        found = what == 't' ? decode_type(peer, io, depth + 1) : decode(peer, Exchange(), io, depth + 1)
        must(found isa Union{Type,Symbol,Bool} || found isa Int && abs(found) <= 100_000, "it is no parameter")
        push!(parameters, found)
    end
    kind === NTuple && return Tuple
    return isempty(parameters) && !(kind === Tuple && false) ? kind : kind{parameters...}
end

function learn_type(peer::Peer, io::IOBuffer, depth::Int)
    number = take_count(io, MAX_TYPES)
    must(number == length(peer.types) + 1, "a type has a wrong number")
    name, place, form = take_name(io), take_text(io), take_tag(io)
    parameters = take_count(io, 50)
    fields = Symbol[take_name(io) for _ in 1:take_count(io, 1000)]
    must(allunique(fields), "two fields have one name")
    push!(peer.types, Any)
    super = decode_type(peer, io, depth + 1)
    members = Pair{Symbol,Int64}[take_name(io) => read(io, Int64) for _ in 1:take_count(io, 10_000)]
    return peer.types[number] = mirror_type(peer, number, name, place, form, parameters, fields, super, members)
end

function decode(peer::Peer, exchange::Exchange, io::IOBuffer, depth::Int)
    must(depth < MAX_DEPTH, "it is nested too deeply")
    tag = take_tag(io)
    tag == 'n' && return nothing
    tag == '?' && return missing
    tag == 's' && return take_text(io)
    tag == 'y' && return take_name(io)
    tag == 'T' && return decode_type(peer, io, depth + 1)
    if tag == 'p'
        kind = NUMBERS[read(io, UInt8)]
        kind === Bool && return read(io, UInt8) & 0x01 == 0x01
        return kind === Char ? reinterpret(Char, read(io, UInt32)) : read(io, kind)
    elseif tag == 'i'
        text = take_text(io)
        must(sizeof(text) < 1 << 20, "a number is too long")
        return parse(BigInt, text; base = 16)
    elseif tag == 'h'
        bits = take_count(io, 100_000)
        return setprecision(() -> parse(BigFloat, take_text(io)), BigFloat, max(bits, 2))
    elseif tag == '('
        return Tuple(decode_all(peer, exchange, io, depth, 100_000))
    elseif tag == 'N'
        names = Tuple(decode_all(peer, exchange, io, depth, 1000))
        return NamedTuple{names}(Tuple(decode_all(peer, exchange, io, depth, 1000)))
    elseif tag == '#'
        return exchange.containers[take_count(io)]
    elseif tag in "ABKSo"
        return decode_container(peer, exchange, io, tag, depth)
    end
    return decode_other(peer, exchange, io, tag, depth)
end

function decode_all(peer::Peer, exchange::Exchange, io::IOBuffer, depth::Int, limit::Int = 1000)
    return Any[decode(peer, exchange, io, depth + 1) for _ in 1:take_count(io, limit)]
end

function decode_other(peer::Peer, exchange::Exchange, io::IOBuffer, tag::Char, depth::Int)
    if tag in "=/crxDE"
        return compose(peer, tag, decode_all(peer, exchange, io, depth))
    elseif tag == 'X'
        return known_object(peer, read(io, Int))
    elseif tag == 'f'
        must(!peer.is_grader, "it names a function")
        return getfield(Base, take_name(io))
    elseif tag == 'F'
        number, name = take_number(peer, io), take_name(io)
        return peer.is_grader ? CandidateFunction(number, name) : GraderFunction(number)
    elseif tag == 'H'
        return Handle(take_number(peer, io), take_name(io))
    elseif tag == 'R'
        return peer.objects[take_count(io, typemax(Int))]
    elseif tag == 'e'
        kind = decode_type(peer, io, depth + 1)
        must(kind isa DataType && kind <: Enum && haskey(peer.type_numbers, kind), "it is no enum")
        return enum_member(kind, read(io, Int64))
    end
    must(tag == 'M' || tag == 'I', "it is no value")
    return decode_object(peer, exchange, io, tag, depth)
end

enum_member(kind, value) = Base.invokelatest(kind, value)

function known_object(peer::Peer, number::Int)
    must((number < 0) == peer.is_grader, "it names an object that was not sent")
    return peer.objects[number]
end

# The number of an object of the other side's.
function take_number(peer::Peer, io::IOBuffer)
    number = read(io, Int)
    must((number > 0) == peer.is_grader, "an object has a wrong number")
    return number
end

function compose(peer::Peer, tag::Char, parts::Vector{Any})
    tag == '=' && return Pair(parts[1], parts[2])
    if tag == '/' || tag == 'c'
        must(typeof(parts[1]) === typeof(parts[2]) && parts[1] isa Real && isconcretetype(typeof(parts[1])) && typeof(parts[1]) in NUMBERS || parts[1] isa BigInt && parts[2] isa BigInt, "it is no number")
        tag == 'c' && return Complex(parts[1], parts[2])
        must(parts[1] isa Integer && parts[2] isa Integer, "it is no fraction")
        return parts[1] // parts[2]
    elseif tag == 'r'
        must(all(part -> typeof(part) in NUMBERS && part isa Union{Integer,Char} || part isa BigInt, parts), "it is no range")
        return length(parts) == 2 ? (parts[1]:parts[2]) : (parts[1]:parts[2]:parts[3])
    elseif tag == 'x'
        must(parts[1] isa String && parts[2] isa Int, "it is no pattern")
        return Regex(parts[1], UInt32(parts[2]) | Base.DEFAULT_COMPILER_OPTS, Base.DEFAULT_MATCH_OPTS)
    elseif tag == 'D'
        must(parts[1] in DATED && parts[2] isa Int64, "it is no date")
        dates = Base.require(DATES)
        return Base.invokelatest(compose_date, dates, parts[1], parts[2])
    end
    must(parts[1] isa Symbol && isdefined(Base, parts[1]), "there is no such exception")
    kind = getfield(Base, popfirst!(parts))
    must(kind isa DataType && kind <: Exception && isconcretetype(kind) && is_mine(kind), "it is no exception of Julia's")
    must(length(parts) <= fieldcount(kind), "an exception has other fields")
    must(all(at -> parts[at] isa fieldtype(kind, at), 1:length(parts)), "a field of an exception is of another type")
    must(length(parts) == fieldcount(kind) || !any(at -> isbitstype(fieldtype(kind, at)), length(parts)+1:fieldcount(kind)), "an exception lacks a field")
    return make(kind, parts)
end

function compose_date(dates::Module, name::Symbol, value::Int64)
    kind = getfield(dates, name)
    name === :Date && return dates.Date(dates.UTD(value))
    name === :DateTime && return dates.DateTime(dates.UTM(value))
    return name === :Time ? dates.Time(dates.Nanosecond(value)) : kind(value)
end

function decode_object(peer::Peer, exchange::Exchange, io::IOBuffer, tag::Char, depth::Int)
    number = tag == 'M' ? take_count(io, typemax(Int)) : 0
    kind = decode_type(peer, io, depth + 1)
    must(kind isa DataType && haskey(peer.type_numbers, kind.name.wrapper), "it is no type of the submission's")
    must(isconcretetype(kind) && is_mutable(kind) == (tag == 'M'), "it is no such object")
    if tag == 'M'
        must(peer.is_grader && !haskey(peer.objects, number) && length(peer.objects) < 1_000_000, "an object has a wrong number")
        made = ccall(:jl_new_struct_uninit, Any, (Any,), kind)
        peer.objects[number] = made
        peer.numbers[made] = number
        decode_fields!(peer, exchange, io, made, depth)
        return made
    end
    parts = Any[]
    for at in 1:fieldcount(kind)
        if bytesavailable(io) > 0 && Base.peek(io) == UInt8('U')
            read(io, UInt8)
            must(!peer.is_grader || at > length(parts), "it has no such field")
            continue
        end
        must(length(parts) == at - 1, "a field is missing")
        part = decode(peer, exchange, io, depth + 1)
        push!(parts, part isa fieldtype(kind, at) ? part : Base.invokelatest(convert, fieldtype(kind, at), part))
    end
    return make(kind, parts)
end

function decode_fields!(peer::Peer, exchange::Exchange, io::IOBuffer, @nospecialize(value), depth::Int)
    kind = typeof(value)
    for at in 1:fieldcount(kind)
        if bytesavailable(io) > 0 && Base.peek(io) == UInt8('U')
            read(io, UInt8)
            continue
        end
        part = decode(peer, exchange, io, depth + 1)
        setfield!(value, at, part isa fieldtype(kind, at) ? part : Base.invokelatest(convert, fieldtype(kind, at), part))
    end
end

function decode_container(peer::Peer, exchange::Exchange, io::IOBuffer, tag::Char, depth::Int)
    if tag == 'o'
        made = IOBuffer(; read = true, write = true, append = true)
    else
        kind = decode_type(peer, io, depth + 1)
        if tag == 'A'
            return decode_array(peer, exchange, io, kind, depth)
        elseif tag == 'B'
            made = BitArray(undef, 0)
            return decode_array(peer, exchange, io, Bool, depth, true)
        elseif tag == 'K'
            made = Dict{kind,decode_type(peer, io, depth + 1)}()
        else
            made = Set{kind}()
        end
    end
    register!(exchange, made)
    fill_content!(peer, exchange, io, made, depth)
    return made
end

function take_size(io::IOBuffer)
    dims = Int[take_count(io, Int(typemax(Int32))) for _ in 1:take_count(io, 16)]
    total = reduce(Base.checked_mul, dims; init = 1)
    must(total <= MAX_BYTES, "an array is too large")
    return Tuple(dims), total
end

function decode_array(peer::Peer, exchange::Exchange, io::IOBuffer, @nospecialize(kind), depth::Int, bits::Bool = false)
    dims, total = take_size(io)
    raw = kind in NUMBERS && !bits
    must(total * (raw ? sizeof(kind) : 1) <= bytesavailable(io), "an array ends too early")
    made = bits ? BitArray(undef, dims) : Array{kind}(undef, dims)
    register!(exchange, made)
    fill_array!(peer, exchange, io, made, depth)
    return made
end

function fill_array!(peer::Peer, exchange::Exchange, io::IOBuffer, @nospecialize(made), depth::Int)
    if is_raw(made)
        if eltype(made) === Bool
            for at in 1:length(made)
                made[at] = read(io, UInt8) & 0x01 == 0x01
            end
        else
            read!(io, made)
        end
        return
    end
    for at in 1:length(made)
        if bytesavailable(io) > 0 && Base.peek(io) == UInt8('U')
            read(io, UInt8)
            must(made isa Array && !isbitstype(eltype(made)), "an element is missing")
            continue
        end
        part = decode(peer, exchange, io, depth + 1)
        must(part isa eltype(made), "an element is of another type")
        made[at] = part
    end
end

# What a container holds, in place of what it held.
function fill_content!(peer::Peer, exchange::Exchange, io::IOBuffer, @nospecialize(made), depth::Int)
    if made isa IO
        data = take_bytes(io)
        written = made isa Base.GenericIOBuffer && made.readable && peer.is_grader ? bytesavailable(made) : 0
        length(data) > written && write(made, data[written+1:end])
    elseif made isa Union{Array,BitArray}
        dims, total = take_size(io)
        must(length(dims) == ndims(made) && total <= bytesavailable(io), "an array has another size")
        size(made) == dims || (must(ndims(made) == 1, "an array has another size"); resize!(made, dims[1]))
        fill_array!(peer, exchange, io, made, depth)
    else
        empty!(made)
        for _ in 1:take_count(io)
            part = decode(peer, exchange, io, depth + 1)
            must(part isa (made isa Dict ? keytype(made) : eltype(made)), "a part is of another type")
            if made isa Dict
                other = decode(peer, exchange, io, depth + 1)
                must(other isa valtype(made), "a part is of another type")
                made[part] = other
            else
                push!(made, part)
            end
        end
    end
end
