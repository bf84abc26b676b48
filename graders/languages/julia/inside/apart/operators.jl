# Items of Julia that are judged apart: operators of the submission's types. Functions of Base get methods that ask the
# candidate's process, where the contract has the operator; elsewhere, an object is like one without this method.

# Comparisons decide here: the submission compares two objects of its own, and nothing else.
const COMPARING = Any[==, !=, isequal, isapprox, isless, <, <=, >, >=, cmp, issubset, ⊇, ⊊, ⊋, ⊈, ⊉, isdisjoint]
# What only reads: the answers stay the same until the tests do anything else.
const READING = Symbol[:length, :size, :isempty, :firstindex, :lastindex, :getindex, :haskey, :in, :getproperty]
# Where the reference has a field, a submission may have a property. The text of an exception decides nothing.
const ANYWAY = Symbol[:getproperty, :setproperty!, :showerror, :hash]

const EXTENDED = Set{Any}()

# Give functions of Base methods that ask the candidate's process: for types of the submission, as the contract has it.
function extend(peer::Peer, @nospecialize(found))
    must(is_list(found, "t", 1), "a method is described otherwise")
    for each in found[2:end]
        must(is_list(each, "t", 3) && each[2] isa String && is_list(each[3], "t", 1), "a method is described otherwise")
        kinds = Any[part == "..." ? part : decode_type(peer, part) for part in each[3][2:end]]
        key = (each[2], kinds)
        key in EXTENDED || extend(peer, Symbol(each[2]), kinds)
        push!(EXTENDED, key)
    end
end

function extend(peer::Peer, name::Symbol, kinds::Vector{Any})
    must(isdefined(Base, name) && getfield(Base, name) isa Function, "there is no such function")
    at = findfirst(kind -> kind isa Union, kinds)
    if at !== nothing
        foreach(kind -> extend(peer, name, Any[kinds[1:at-1]; kind; kinds[at+1:end]]), Base.uniontypes(kinds[at]))
        return
    end
    owned = Any[kind for kind in map(owned_type, kinds) if kind !== nothing]
    is_compared = any(compare -> compare === getfield(Base, name), COMPARING)
    (isempty(owned) || is_compared && length(owned) < length(kinds)) && return
    if is_kept(peer.contract) ? !(name in ANYWAY || name in (:(==), :isequal)) && !is_anywhere(peer.contract, name) :
        name !== :showerror && !any(kind -> is_named(peer.contract, kind), owned)
        return
    end
    name === :iterate && !hasmethod(length, Tuple{wrapper(owned[1])}) && add_size(peer, owned[1])
    called(@nospecialize(arguments), @nospecialize(keywords)) =
        use_operator(peer, name, owned, arguments, (; keywords...))
    words = Symbol[Symbol("a", at) for at in 1:length(kinds)]
    arguments = Any[kind == "..." ? Expr(:..., word) : Expr(:(::), word, kind) for (word, kind) in zip(words, kinds)]
    passed = Any[kind == "..." ? Expr(:..., word) : word for (word, kind) in zip(words, kinds)]
    Core.eval(peer.program, :((::$(typeof(getfield(Base,
        name))))($(arguments...); keywords...) = $called(($(passed...),), keywords)))
end

function use_operator(peer::Peer, name::Symbol, owned::Vector{Any}, @nospecialize(arguments), @nospecialize(keywords))
    paths = reduce(vcat, (CLASSES[wrapper(kind)] for kind in owned))
    found = find_word(peer.contract, paths, words_of(name))
    path, came = found === nothing ? property(peer, name, paths, arguments) : (found[1], step(found[1], "+$name"))
    if path === nothing
        name === :showerror || hear_use!(peer.answers, name)
        name === :showerror || return plain(peer, name, arguments, keywords)
        ask(peer, NOWHERE, NOWHERE, "operator", "showerror", arguments, keywords)
        return
    end
    name in READING || name === :iterate || empty!(peer.reads)
    before, MERELY_READING[] = MERELY_READING[], name in READING || name === :iterate
    result = try
        ask(peer, path, came, "operator", String(name), arguments, keywords)
    finally
        MERELY_READING[] = before
    end
    name in READING && isempty(keywords) && steady(peer, path, (name, arguments...), result)
    name === :iterate && count_items(peer, path, arguments, result)
    return result
end

# Where a property is asked for: the reference has a field of this name.
function property(peer::Peer, name::Symbol, paths::Vector{Path}, @nospecialize(arguments))
    name in (:getproperty, :setproperty!) && arguments[2] isa Symbol && !hasfield(typeof(arguments[1]), arguments[2]) ||
        return nothing, nothing
    places = Path[step(path, ".$(arguments[2])") for path in paths]
    at = findfirst(place -> is_known(peer.contract, place), places)
    return at === nothing ? (nothing, nothing) : (paths[at], places[at])
end

# As if the submission had no such method. The reference's objects are compared by their fields.
function plain(peer::Peer, name::Symbol, @nospecialize(arguments), @nospecialize(keywords))
    called = getfield(Base, name)
    name in (:(==), :isequal) && return same(called, arguments...)
    name === :hash && return foldr(hash, fields(arguments[1]); init = length(arguments) > 1 ? arguments[2] : UInt(0))
    return invoke(called, Tuple{(above(peer, each) for each in arguments)...}, arguments...; keywords...)
end
function above(peer::Peer, @nospecialize(value))
    value isa Type && return owned_type(Type{value}) === nothing ? Type{value} : Type
    kind = typeof(value)
    while is_theirs(peer, kind)
        kind = supertype(kind)
    end
    return kind
end

is_anywhere(contract::Contract, name::Symbol) =
    contract.record || any(words -> any(in(words), words_of(name)), values(contract.words))

# What iterates and has no length tells the library so, as a submission's type of which no method came.
add_size(peer::Peer, @nospecialize(kind)) =
    Core.eval(peer.program, :(Base.IteratorSize(::Type{<:$(wrapper(kind))}) = Base.SizeUnknown()))

# Whether an answer is the one that the tests read before.
function steady(peer::Peer, path::Path, question::Tuple, @nospecialize(answer))
    isbits(answer) || answer isa Union{String,Symbol} || return
    get!(peer.reads, question, answer) === answer && return
    is_kept(peer.contract) && allowed(peer.contract, path, "other $(question[1])") && return
    fail("$(question[1]) was $(peer.reads[question]) and is $answer, although the tests only read the object")
end

# The items of an iteration are as many as the length says.
function count_items(peer::Peer, path::Path, @nospecialize(arguments), @nospecialize(result))
    key = (:iterate, arguments[1])
    count, state = length(arguments) == 1 ? (0, nothing) : get(peer.reads, key, (-1, nothing))
    delete!(peer.reads, key)
    (count < 0 || length(arguments) > 1 && arguments[2] !== state) && return
    result === nothing && steady(peer, path, (:length, arguments[1]), count)
    result isa Tuple{Any,Any} && (peer.reads[key] = (count + 1, result[2]))
end

# Whether two objects have the same data.
same(compare::Function, @nospecialize(one), @nospecialize(other)) = typeof(one) === typeof(other) && all(
    at -> isdefined(one, at) && isdefined(other, at) && compare(getfield(one, at), getfield(other, at)), 1:nfields(one))

# The type of the submission that an argument has, or is.
function owned_type(@nospecialize(kind))
    kind isa TypeVar && return owned_type(kind.ub)
    inner = kind isa Type ? Base.unwrap_unionall(kind) : nothing
    inner isa DataType || return nothing
    haskey(CLASSES, inner.name.wrapper) && return inner
    return inner <: Type && length(inner.parameters) == 1 ? owned_type(inner.parameters[1]) : nothing
end
