# Items of Julia that are judged apart: what boundary.json allows, and what the contract lists at paths. A path begins
# with a name of the submission. What a class has is kept at the path of what its constructor returns.

# What boundary.json says, read when the process begins.
mutable struct Table
    bytes::Int
    parts::Int
    depth::Int
    kinds::Dict{String,Set{String}}
    values::Set{String}
    constants::Set{String}
    to_grader::Dict{String,Any}
end
const TABLE = Table(0, 0, 0, Dict{String,Set{String}}(), Set{String}(), Set{String}(), Dict{String,Any}())

function read_table()
    found = read_json(Vector{UInt8}(codeunits(Main.BOUNDARY)), 100_000, 50)
    TABLE.bytes, TABLE.parts, TABLE.depth = (found["limits"][name] for name in ("message_bytes", "parts", "depth"))
    TABLE.kinds = Dict(tag => Set{String}(get(kinds, "julia", ())) for (tag, kinds) in found["kinds"])
    TABLE.values, TABLE.constants = Set{String}(found["values"]["julia"]), Set{String}(found["julia"]["constants"])
    TABLE.to_grader = found["to_grader"]
end

# What the tests do and what cannot cross.
struct Limit <: Exception
    why::String
end
const LIMIT = "a limit of `isolation: apart`: "
Base.showerror(io::IO, error::Limit) = print(io, LIMIT, error.why)

const Path = Vector{String}
const NOWHERE = String[]
const STEPS = 12
# As in the other languages: which items have a path of their own, and how many paths the host takes.
const POSITIONS, CHARACTERS, NOTED = 16, 32, 4000

mutable struct Contract
    words::Union{Nothing,Dict{String,Set{String}}}
    record::Bool
    noted::Dict{String,Set{String}}
    text::String  # Of the tests.
    takes_values::Bool  # The tests use what an `include` returns.
end
Contract() = Contract(nothing, false, Dict{String,Set{String}}(), "", false)

# Add a text of the tests.
function read_text!(contract::Contract, text::String)
    contract.text *= "\n" * text
    contract.takes_values |= takes_value(Base.parse_input_line(text))
end

# Whether a part of the tests may use what an `include` returns: it is neither a statement of a file or a module, nor
# one that others follow.
function takes_value(@nospecialize(part), is_used::Bool = false)
    part isa QuoteNode && return takes_value(part.value, true)
    part isa Union{Symbol,String} && return occursin(r"\binclude\b", String(part))
    part isa Expr || return false
    head, parts = part.head, part.args
    if head === :call && parts[1] in (:include, :(Base.include), :(Main.include))
        return is_used || any(each -> takes_value(each, true), parts[2:end])
    elseif head in (:toplevel, :module)
        return any(takes_value, parts)
    elseif head === :block
        return any(takes_value, parts[1:end-1]) || !isempty(parts) && takes_value(last(parts), is_used)
    elseif head in (:if, :elseif, :&&, :||, :let, :for, :while)
        is_used &= !(head in (:for, :while))
        return takes_value(parts[1], true) || any(each -> takes_value(each, is_used), parts[2:end])
    end
    return any(each -> takes_value(each, true), parts)
end

is_kept(contract::Contract) = contract.record || contract.words !== nothing

function step(path::Path, next::String)
    isempty(path) && return path
    last(path) == next && (length(next) == 2 || next[1] != '[') && return path
    longer = push!(copy(path), next)
    return length(longer) > STEPS ? [longer[1:STEPS÷2]; longer[end-STEPS÷2+1:end]] : longer
end

# Where an item of a container arrives: by its key or position, if the reference has such a path.
function item(contract::Contract, path::Path, @nospecialize(key))
    isempty(path) && return path
    key = key isa Union{Symbol,Char} ? repr(key) : key
    is_near = key isa Int && key < POSITIONS || key isa String && length(key) <= CHARACTERS
    io = IOBuffer()
    is_near && (key isa String ? put_text(io, key) : print(io, key))
    own = "[$(String(take!(io)))]"
    start = join(path) * own
    is_apart = contract.record ? length(contract.noted) < NOTED :
        contract.words !== nothing && any(known -> startswith(known, start), keys(contract.words))
    return step(path, is_near && is_apart ? own : "[]")
end

# Of a name in a module of the submission.
path_of(names::Vector{String}) = String[at == 1 ? names[1] : string(".", names[at]) for at in 1:length(names)]

# Whether this may be, or is noted where the reference is run to learn it.
function allowed(contract::Contract, path::Path, words::String...)
    if contract.record
        isempty(path) || push!(get!(Set{String}, contract.noted, join(path)), words[1])
        return true
    end
    contract.words === nothing && return true
    return any(in(get(contract.words, join(path), Set{String}())), words)
end

# An object, a function or a class of the reference came here. What the tests request of it is noted where it came
# first, and other paths say so: "as PATH". So it does not matter under which of its names a submission's is used.
function came!(contract::Contract, paths::Vector{Path}, path::Path)
    isempty(path) && return
    if !contract.record
        words = get(contract.words, join(path), ())
        others = Path[split(word[4:end], ' ') for word in words if startswith(word, "as ")]
        foreach(each -> length(paths) < 50 && !(each in paths) && push!(paths, each), [[path]; others])
    elseif isempty(paths)
        push!(paths, path)
    elseif path != first(paths)
        is_nameless(path) = any(part -> part[1] == '[' || occursin(' ', part), path)
        from = path
        is_nameless(first(paths)) && !is_nameless(path) && ((from, paths[1]) = (paths[1], path))
        is_nameless(first(paths)) || allowed(contract, from, "as " * join(first(paths), ' '))
    end
end

# The first of some paths at which one of these words is allowed, with this word.
function find_word(contract::Contract, paths::Vector{Path}, words::Vector{String})
    is_kept(contract) || return NOWHERE, words[1]
    for path in paths, word in words
        allowed(contract, path, word) && return path, word
    end
    return nothing
end
is_known(contract::Contract, path::Path) = contract.record || haskey(contract.words, join(path))

# What takes the place of other operators: what gives items or their number, and one of a few that mean the same.
const GIVING = Symbol[:iterate, :length, :size, :eltype, :isempty, :firstindex, :lastindex, :isdone]
const LOOKING = Symbol[GIVING; :in; :first; :last; :collect; :sum; :prod; :any; :all; :count; :map; :filter; :foreach;
    :maximum; :minimum; :extrema; :getindex; :keys; :values; :pairs; :eachindex]
const ALIKE = (Symbol[:isless, :<], Symbol[:(==), :isequal], Symbol[:show, :print, :string, :repr])

# The words by which the contract has an operator.
function words_of(name::Symbol)
    others = name in GIVING ? copy(LOOKING) : name === :getindex ? Symbol[:first, :last] : Symbol[]
    foreach(alike -> name in alike && append!(others, alike), ALIKE)
    return String["operator $other" for other in [name; others]]
end

# Without a reference: what the tests construct or import by a name of their own choice.
function is_named(contract::Contract, @nospecialize(kind))
    class, owner = String(kind.name.name), kind.name.module
    bound = isdefined(owner, Symbol(class)) && getfield(owner, Symbol(class)) === kind.name.wrapper
    return bound && isuppercase(first(class)) && nameof(owner) !== :Unnamed && occursin(
        Regex("\\b\\Q$class\\E\\s*(\\{[^{}]*\\}\\s*)?\\(|^\\s*(using|import)\\b[^\\n]*:[^\\n]*\\b\\Q$class\\E\\b",
            "m"), contract.text,
    )
end

# Whether the reference gave nothing but data here, and below, or in what follows by such a step.
function gave_data(contract::Contract, path::Path, next::String = "")
    (contract.record || contract.words === nothing) && return false
    start = join(path) * (isempty(path) ? "" : next)
    return !any(pair -> startswith(pair.first, start) && any(in(("object", "function", "class")), pair.second),
        contract.words)
end

# What was noted, as the host reads it.
function noted(contract::Contract)
    io = IOBuffer()
    for (at, (path, words)) in enumerate(contract.noted)
        print(io, at == 1 ? "" : ",")
        put_text(io, path)
        print(io, ":[")
        for (at, word) in enumerate(sort!(collect(words)))
            print(io, at == 1 ? "" : ",")
            put_text(io, word)
        end
        print(io, "]")
    end
    return "{$(String(take!(io)))}"
end
