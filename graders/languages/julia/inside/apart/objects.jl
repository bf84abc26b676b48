# Items of Julia that are judged apart: types, and what is not data of the library. The candidate's process describes a
# type of the submission once, by names alone; the grader's process makes a type of this name with these fields.

const LIBRARY = Set{Module}()  # What is loaded when the process begins.
# The submission's types, as the grader has them, and where their objects came; what a constructor returns has the first
# path. Objects of those in CALLED can be called.
const CLASSES = IdDict{Any,Vector{Path}}()
const CALLED = Base.IdSet{Any}()

# What came where the reference gives data: it can only be passed back, and fields that came with it can be read.
struct Opaque
    held::Any
end
Base.getproperty(opaque::Opaque, name::Symbol) = held(opaque) isa Union{Remote,Handle} ?
    limit("an object where the reference gives data has no `$name`") : getfield(held(opaque), name)
held(opaque::Opaque) = getfield(opaque, :held)

is_library(place::Module) =
    (root = Base.moduleroot(place); root === Base || root === Core || root in LIBRARY ||
        nameof(place) === :GradeboxApart)
is_library(kind::DataType) = is_library(kind.name.module)
wrapper(@nospecialize(kind)) = Base.unwrap_unionall(kind).name.wrapper
is_theirs(peer::Peer, kind::DataType) = peer.is_grader ? haskey(CLASSES, kind.name.wrapper) : !is_library(kind)

# Types

function encode_type(peer::Peer, io::IOBuffer, @nospecialize(kind), depth::Int)
    depth < TABLE.depth || throw(Limit("a type has more than $(TABLE.depth) levels"))
    inner = kind isa UnionAll ? Base.unwrap_unionall(kind) : kind
    kind isa Union && return tagged(peer, io, depth, Any["v", "Union"], Any[kind.a, kind.b])
    inner isa DataType || return print(io, kind === Union{} ? "[\"k\",\"Union{}\"]" : "[\"k\",\"Any\"]")
    name = inner <: Function ? "Function" : String(inner.name.name)
    is_known = name in TABLE.constants && is_library(inner) || inner <: Function
    is_described = !is_known && (number_of(peer, inner.name.wrapper) != 0 || !peer.is_grader && !is_library(inner))
    is_parameter(each) = each isa Union{Type,Int,Symbol,Bool} && !(each isa Type && Base.has_free_typevars(each)) &&
        !Base.isvarargtype(each)
    parameters = name == "Function" || !all(is_parameter, inner.parameters) || !(is_known || is_described) ? () :
        Tuple(inner.parameters)
    isempty(parameters) || print(io, "[\"v\",\"Type\",")
    if !is_described
        tagged(peer, io, depth, Any["k", is_known ? name : "Any"], Any[])
    elseif (number = number_of(peer, inner.name.wrapper)) != 0
        print(io, "[\"o\",", number, "]")
    else
        encode_class(peer, io, inner.name.wrapper, depth + 1)
    end
    for each in parameters
        print(io, ",")
        each isa Type ? encode_type(peer, io, each, depth + 1) : encode(peer, io, each, depth + 1)
    end
    isempty(parameters) || print(io, "]")
    return
end

# Where the submission has a type or a module: what follows `Program`, or the package.
place_of(owner::Module) = Any[String(name) for name in fullname(owner) if !(name in (:Main, :Program))]

function encode_class(peer::Peer, io::IOBuffer, @nospecialize(known), depth::Int)
    kind = Base.unwrap_unionall(known)
    print(io, "[\"c\",", lend!(peer, known), ",[")
    encode_type(peer, io, Base.unwrap_unionall(supertype(kind)), depth + 1)
    is_bare = isabstracttype(kind) || isprimitivetype(kind)
    form = isabstracttype(kind) ? "abstract" : kind <: Enum ? "enum" : isprimitivetype(kind) ? "primitive" :
        is_mutable(kind) ? "mutable" : "struct"
    members = Any[]
    for (member, name) in (kind <: Enum ? Base.invokelatest(Base.Enums.namemap, kind) : ())
        push!(members, (String(name), Int64(member)))
    end
    print(io, "],{\"name\":")
    put_text(io, String(kind.name.name))
    print(io, ",\"form\":\"", form, "\",\"parameters\":", length(kind.parameters), ",\"calls\":", has_calls(kind))
    for (key, values) in ("module" => place_of(kind.name.module), "fields" => is_bare ? Any[] : names_of(kind),
        "members" => members)
        print(io, ",\"", key, "\":")
        tagged(peer, io, depth, Any["t"], values)
    end
    print(io, "}]")
end

function decode_type(peer::Peer, @nospecialize(tree))
    must(is_list(tree, "kvco", 2), "it is not a type")
    if tree[1] == "k"
        must(length(tree) == 2 && tree[2] in TABLE.constants, "there is no such type")
        kind = tree[2] == "Union{}" ? Union{} : isdefined(Base, Symbol(tree[2])) ? getfield(Base, Symbol(tree[2])) :
            nothing
        must(kind isa Type, "it is not a type")
        return kind
    elseif tree[1] == "c"
        must(peer.is_grader && length(tree) == 4 && is_new(peer, tree[2]), "a type has a wrong number")
        return learn_type(peer, tree[2], tree[3], tree[4])
    elseif tree[1] == "o"
        entry = get(peer.entries, tree[2], nothing)
        must(length(tree) == 2 && entry !== nothing && entry.held isa Type, "it is not a type")
        return entry.held
    end
    must(tree[2] in ("Type", "Union") && 3 < length(tree) < 1000, "it is not a type")
    kinds = Any[is_list(part, "kvco", 2) && part[2] != "Symbol" ? decode_type(peer, part) :
        decode(peer, part) for part in tree[3:end]]
    tree[2] == "Union" && return Union{kinds...}
    must(kinds[1] isa Type && all(each -> each isa Union{Type,Symbol,Bool} || each isa Int && abs(each) <= 100_000,
        kinds), "it is not a type")
    return kinds[1]{kinds[2:end]...}
end

# Objects

# What came from the other side, if it may be here; else it is opaque. A function may be here: it cannot be called.
function arrived(peer::Peer, path::Path, word::String, @nospecialize(value))
    contract = peer.contract
    isempty(path) && return value
    contract.record && allowed(contract, path, word)
    word == "data" && return value
    if value isa Remote
        came!(contract, value.paths, path)
    elseif value isa Type
        if !contract.record && !allowed(contract, path, "class")
            allowed(contract, path, "function") || return Opaque(value)
            made = Remote(number_of(peer, wrapper(value)), nameof(value), Path[])
            came!(contract, made.paths, path)
            return made
        end
        came!(contract, CLASSES[wrapper(value)], step(path, "()"))
    else
        kind = wrapper(typeof(value))
        can_be = allowed(contract, path, "object") || kind in CALLED && allowed(contract, path, "function")
        can_be || return Opaque(value)
        haskey(CLASSES, kind) && came!(contract, CLASSES[kind], path)
    end
    return value
end

function encode_object(peer::Peer, io::IOBuffer, @nospecialize(value), depth::Int)
    kind = typeof(value)
    if value isa Opaque
        encode(peer, io, held(value), depth)
    elseif (other = as_data(peer, value)) !== value
        encode(peer, io, other, depth)
    elseif value isa Exception && is_library(kind) && String(kind.name.name) in TABLE.constants
        print(io, "[\"e\",0,[\"k\",\"", kind.name.name, "\"],")
        parts = value isa TaskFailedException ? Any[value.task.exception] : fields(value)
        tagged(peer, io, depth + 1, Any["t"], filter(field -> !(field isa Undefined), parts))
        print(io, ",{}]")
    elseif peer.is_grader && value isa Function && is_library(parentmodule(value)) && (name = name_of(value)) != ""
        print(io, "[\"k\",\"", name, "\"]")
    elseif value isa Union{Function,Type}
        stays(peer, io, value, "function", String(nameof(value)))
    elseif value isa Enum && is_theirs(peer, kind)
        tagged(peer, io, depth, Any["n", kind], Any[Int64(Integer(value))])
    elseif is_theirs(peer, kind) && !isprimitivetype(kind) && !(value isa Module)
        tagged(peer, io, depth, Any["n", kind], fields(value))
    else
        peer.is_grader && is_theirs(peer, supertype(kind)) &&
            throw(Limit("a type of the tests is below a type of the submission"))
        stays(peer, io, value, "object", String(kind.name.name))
    end
end

function stays(peer::Peer, io::IOBuffer, @nospecialize(value), kind::String, name::String)
    print(io, "[\"x\",", lend!(peer, value), ",\"", kind, "\",null,{\"name\":")
    put_text(io, name)
    print(io, "}]")
end

# A function of the library that both sides have.
function name_of(value::Function)
    root = Base.moduleroot(parentmodule(value))
    name = nameof(value)
    isdefined(root, name) && getfield(root, name) === value || return ""
    return root === Base || root === Core ? String(name) : "$(nameof(root)).$name"
end

# What is passed as other data: views and iterators of the library; and where the tests want data, also the
# submission's.
function as_data(peer::Peer, @nospecialize(value))
    value isa Union{Function,Type,Module} && return value
    is_library(typeof(value)) || peer.wants_data || return value
    value isa AbstractIrrational && return Float64(value)
    value isa AbstractArray && length(value) <= TABLE.bytes && return collect(value)
    value isa AbstractDict && return Dict(value)
    value isa AbstractSet && return Set(value)
    value isa AbstractString && return String(value)
    is_iterator = Base.typename(typeof(value)).module === Base.Iterators ||
        value isa Union{Base.Generator,Base.ValueIterator,Base.EachLine}
    is_library(typeof(value)) && !is_iterator && !peer.wants_data && return value
    if value isa Number
        return value isa Integer ? big(value) : convert(Float64, value)
    elseif applicable(iterate, value) && !(Base.IteratorSize(value) isa Base.IsInfinite)
        found = collect(Iterators.take(value, 1_000_001))
        length(found) <= 1_000_000 && return found
    end
    return value
end

function decode_object(peer::Peer, tree::Vector{Any}, path::Path)
    tag = tree[1]
    if tag == "n" && is_list(tree[2], "t", 1) || tree[2] == Any["t"]
        names = tree[2][2:end]
        must(length(names) == length(tree) - 2 && allunique(names) &&
            all(name -> name isa String && !occursin('\0', name), names), "it is not a named tuple")
        return NamedTuple{Tuple(Symbol[Symbol(name) for name in names])}(Tuple(Any[decode(peer, part,
            step(path, ".$name")) for (name, part) in zip(names, tree[3:end])]))
    elseif tag == "n"
        return decode_struct(peer, tree, path)
    elseif tag == "e"
        must(length(tree) == 5 && tree[2] === 0 && tree[5] == Dict{String,Any}() && is_list(tree[3], "k", 2),
            "it is not an exception")
        return make_exception(decode_type(peer, tree[3]), decode(peer, tree[4], path))
    elseif tag == "x"
        must(length(tree) == 5 && is_new(peer, tree[2]) && tree[3] in TABLE.kinds["x"] && tree[4] === nothing,
            "it is not an object")
        must(tree[5] isa Dict && get(tree[5], "name", nothing) isa String && length(tree[5]) == 1,
            "it is not an object")
        name = Symbol(tree[5]["name"])
        made = tree[3] == "function" ? Remote(tree[2], name, Path[]) : Handle(tree[2], name)
        keep!(peer, tree[2], made, Weak(made), path)
        push!(peer.kept, made)
        return arrived(peer, path, tree[3], made)
    elseif tag in ("o", "#")
        entry = get(peer.entries, tree[2], nothing)
        must(length(tree) == 2 && entry !== nothing && (tag == "#") == is_container(peer, held(entry)),
            "it was not sent before")
        entry.is_back |= !IS_CHANGE[]
        tree[2] > 0 === peer.is_grader && tag == "o" && return held(entry)
        value = held(entry)
        return arrived(peer, path, value isa Type ? "class" : value isa Remote ? "function" : value isa Handle ||
            !is_base(value) && tag == "#" && !(value isa IO) ? "object" : "data", value)
    elseif tag == "k" && !peer.is_grader && tree[2] isa String && !(tree[2] in TABLE.constants)
        return library_function(tree[2])
    end
    kind = decode_type(peer, tree)
    return arrived(peer, path, tag == "k" || !(kind isa Union{DataType,UnionAll}) ||
        !is_theirs(peer, Base.unwrap_unionall(kind)) ? "data" : "class", kind)
end

function decode_struct(peer::Peer, tree::Vector{Any}, path::Path)
    kind = decode_type(peer, tree[2])
    must(kind isa DataType && isconcretetype(kind) && is_theirs(peer, kind) && !is_mutable(kind),
        "it is not such an object")
    if kind <: Enum
        must(length(tree) == 3 && tree[3] isa Int, "it is not an enum")
        return arrived(peer, path, "object", Base.invokelatest(kind, tree[3]))
    end
    parts = Any[decode(peer, part, step(path, ".$(fieldname(kind, at))")) for (at, part) in enumerate(tree[3:end])]
    while !isempty(parts) && last(parts) isa Undefined
        pop!(parts)
    end
    must(length(tree) - 2 == fieldcount(kind) && !any(part -> part isa Undefined, parts), "an object has other fields")
    return arrived(peer, path, "object", make(kind, Any[fitting(part, fieldtype(kind, at)) for (at,
        part) in enumerate(parts)]))
end

# Make an object without calling any constructor.
make(kind::DataType, parts::Vector{Any}) = ccall(:jl_new_structv, Any, (Any, Ptr{Any}, UInt32), kind, parts,
    length(parts))

function make_exception(@nospecialize(kind), @nospecialize(parts))
    must(kind isa DataType && kind <: Exception && isconcretetype(kind) && parts isa Tuple,
        "it is not an exception of Julia's")
    must(length(parts) <= fieldcount(kind), "an exception has other fields")
    kind === TaskFailedException && (parts = map(failed, parts))
    must(all(at -> parts[at] isa fieldtype(kind, at), 1:length(parts)), "a field of an exception is of another type")
    must(!any(at -> isbitstype(fieldtype(kind, at)), length(parts)+1:fieldcount(kind)), "an exception lacks a field")
    return make(kind, Any[parts...])
end

# A task that ended with an exception.
function failed(@nospecialize(error))
    task = schedule(Task(() -> throw(error isa Opaque ? held(error) : error)))
    try
        wait(task)
    catch
    end
    return task
end

function library_function(name::String)
    words = split(name, '.')
    found = length(words) == 1 ? Base :
        first(place for place in values(Base.loaded_modules) if String(nameof(place)) == words[1])
    value = getfield(found, Symbol(last(words)))
    must(value isa Function, "it is not a function")
    return value
end
