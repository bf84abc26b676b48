# Items of Julia that are judged apart: what containers hold, read and put there. Nothing here is compiled for each type
# of a container: that would take longer than the rest of an item.

is_raw(@nospecialize(value)) = value isa BitArray || eltype(typeof(value)) isa DataType &&
    eltype(typeof(value)) <: PLAIN

function raw(@nospecialize(value))
    io = IOBuffer()
    write(io, value isa BitArray ? Array(value) : value)
    return codeunits(String(take!(io)))
end

names_of(kind::DataType) = Any[String(name) for name in fieldnames(kind)]

function fields(@nospecialize(value))
    found = Any[]
    for at in 1:nfields(value)
        push!(found, isdefined(value, at) ? getfield(value, at) : Undefined())
    end
    return found
end

function elements(@nospecialize(value))
    found = Any[]
    for at in 1:length(value)
        push!(found, isassigned(value, at) ? value[at] : Undefined())
    end
    return found
end

function pairs_of(@nospecialize(value))
    found = Any[]
    for pair in value
        push!(found, pair.first, pair.second)
    end
    return found
end

# The type of elements as they are written: what is passed as other data has another type then.
function written(@nospecialize(kind))
    kind isa Union && return Union{written(kind.a),written(kind.b)}
    kind isa DataType && is_library(kind) || return kind
    isconcretetype(kind) && kind <: AbstractString && return String
    isconcretetype(kind) && kind <: Union{AbstractArray,AbstractDict,AbstractSet} &&
        !(kind <: Union{Array,BitArray,UnitRange,StepRange,Dict,Set}) && return Any
    parts = Any[part isa Type ? written(part) : part for part in kind.parameters]
    return all(at -> parts[at] === kind.parameters[at], 1:length(parts)) ? kind : kind.name.wrapper{parts...}
end

# Reading

function decode_container(peer::Peer, tree::Vector{Any}, path::Path, known = nothing)
    must(length(tree) >= 3 && tree[3] isa String && tree[3] in get(TABLE.kinds, tree[1], ()),
        "there is no such container")
    tag, number, kind = tree[1], tree[2], tree[3]
    must(known !== nothing ? tag_of(known) == tag : is_new(peer, number), "a container has a wrong number")
    count = kind == "" || tag == "B" ? 0 : tag == "d" || tag == "l" ? 2 : 1
    must(length(tree) >= 3 + count, "a container is cut off")
    head = Any[at == 2 && tag == "l" ? take_size(tree[5]) : decode_type(peer, tree[3+at]) for at in 1:count]
    dims = count == 0 ? (length(tree) - 3,) : head[end]
    is_empty = tag == "l" && peer.is_grader && !isempty(path) && 0 in dims
    # It broadcasts with anything to nothing.
    is_empty && !allowed(peer.contract, path, "empty") && length(dims) > 1 && fail("an empty array of " *
        "$(length(dims)) dimensions came as $(join(path)), where the reference gave none that is empty")
    tag == "w" || replace!(kind -> is_open(peer, kind, path) ? kind : Any, head)
    made = known === nothing ? empty_container(peer, tag, kind, head) : known
    known === nothing && keep!(peer, number, made, Weak(made), path)
    push!(peer.kept, made)
    if tag == "B"
        must(length(tree) == 4 && tree[4] isa String, "a stream has other parts")
        fill_stream!(peer, peer.entries[number], made, bytes(tree[4]))
    elseif tag == "l"
        fill_array!(peer, made, tree[4+count:end], dims, path)
    elseif tag == "w"
        fill_fields!(peer, made, tree[5:end], path)
    else
        push!(peer.late, (number, made, decode_parts(peer, tree[4+count:end], path, tag == "d")))
    end
    return arrived(peer, path, kind == "struct" ? "object" : "data", made)
end

# What a set or a dictionary holds; the values of that arrive by their keys.
function decode_parts(peer::Peer, parts::Vector{Any}, path::Path, by_key::Bool)
    found = Any[]
    for part in parts
        is_value = by_key && isodd(length(found))
        push!(found, decode(peer, part, is_value ? item(peer.contract, path, last(found)) : step(path, "[]")))
    end
    return found
end

is_new(peer::Peer, @nospecialize(number)) =
    number isa Int && number != 0 && (number < 0) === peer.is_grader && !haskey(peer.entries, number)

tag_of(@nospecialize(made)) =
    made isa IO ? "B" : made isa Union{Array,BitArray} ? "l" : made isa Dict ? "d" : made isa Set ? "s" : "w"

# Whether elements can be of a type: not of one of the submission where the reference gave data.
function is_open(peer::Peer, @nospecialize(kind), path::Path)
    kind isa Union && return is_open(peer, kind.a, path) && is_open(peer, kind.b, path)
    inner = kind isa Type ? Base.unwrap_unionall(kind) : nothing
    inner isa DataType && is_theirs(peer, inner) && gave_data(peer.contract, path, "[") && return false
    return !(inner isa DataType) || all(each -> is_open(peer, each, path), inner.parameters)
end

function empty_container(peer::Peer, tag::String, kind::String, head::Vector{Any})
    tag == "B" && return IOBuffer(; read = true, write = true, append = true)
    tag == "s" && return kind == "" ? Set{Any}() : Set{head[1]}()
    tag == "d" && return kind == "" ? Dict{Any,Any}() : Dict{head[1],head[2]}()
    if tag == "w"
        kind == "RefValue" && return Ref{head[1]}()
        must(head[1] isa DataType && isconcretetype(head[1]) && is_mutable(head[1]) && is_theirs(peer, head[1]),
            "it is not such an object")
        return ccall(:jl_new_struct_uninit, Any, (Any,), head[1])
    end
    kind == "" && return Any[]
    must(prod(big.(head[2])) <= TABLE.bytes, "an array is too large")
    return kind == "BitArray" ? BitArray(undef, head[2]) : Array{head[1]}(undef, head[2])
end

function take_size(@nospecialize(tree))
    must(is_list(tree, "t", 1) && length(tree) <= 17 && all(count -> count isa Int && 0 <= count < 1 << 31,
        tree[2:end]), "it is not a size")
    return Tuple(Int[tree[2:end]...])
end

function fill_stream!(peer::Peer, entry::Entry, io::IO, data::Vector{UInt8})
    if peer.is_grader
        length(data) > entry.size && write(io, data[entry.size+1:end])
        entry.size = length(data)
    else
        truncate(io, 0)
        write(io, data)
    end
end

function fill_array!(peer::Peer, @nospecialize(made), parts::Vector{Any}, dims::Tuple, path::Path)
    must(length(dims) == ndims(made) && (size(made) == dims || ndims(made) == 1), "an array has another size")
    total = prod(big.(dims))
    if is_raw(made)
        must(length(parts) == 1 && is_list(parts[1], "b", 2) && parts[1][2] isa String, "an array has other parts")
        data = bytes(parts[1][2])
        kind = made isa BitArray ? Bool : eltype(made)
        must(length(data) == total * sizeof(kind), "an array has another size")
        kind === Bool && must(all(<=(0x01), data), "it is not a Bool")
        size(made) == dims || resize!(made, dims[1])
        copyto!(made, reinterpret(kind, data))
    else
        must(length(parts) == total, "an array has another size")
        size(made) == dims || resize!(made, dims[1])
        for (at, part) in enumerate(parts)
            part = decode(peer, part, item(peer.contract, path, at - 1))
            part isa Undefined && (must(!isbitstype(eltype(made)), "an element is missing"); continue)
            made[at] = fitting(part, eltype(made))
        end
    end
end

function fill_fields!(peer::Peer, @nospecialize(made), parts::Vector{Any}, path::Path)
    kind = typeof(made)
    must(length(parts) == fieldcount(kind), "an object has other fields")
    for (at, part) in enumerate(parts)
        part = decode(peer, part, step(path, string(".", fieldname(kind, at))))
        part isa Undefined && continue
        setfield!(made, at, fitting(part, fieldtype(kind, at)))
    end
end
# A value travels without the parameters of its type: a `Pair{String,Any}` comes as a `Pair{String,Int}`.
function fitting(@nospecialize(part), @nospecialize(kind))
    part isa kind && return part
    part isa Union{Opaque,Handle} && throw(Malformed(LIMIT * "an element of type $kind stays in its process"))
    return Base.invokelatest(convert, kind, part)
end

function fill_parts!(peer::Peer, @nospecialize(made), parts::Vector{Any})
    must(made isa Set || iseven(length(parts)), "a key has no value")
    kinds = made isa Set ? (eltype(made), eltype(made)) : (keytype(made), valtype(made))
    parts = Any[fitting(part, kinds[2-at%2]) for (at, part) in enumerate(parts)]
    empty!(made)
    Base.invokelatest(made isa Set ? union! : fill_dict!, made, parts)
end
function fill_dict!(made::Dict, parts::Vector{Any})
    for at in 1:2:length(parts)
        made[parts[at]] = parts[at+1]
    end
end
