# Items of Julia that are judged apart: the grader's process, and what it makes of what the submission has. Types and
# methods that the submission has are made here under their names. They come to be while an item is run, and in its
# process alone.

mutable struct Died <: Exception
    why::String
end
Base.showerror(io::IO, error::Died) = print(io, "CandidateDied: ", error.why)

# Comparisons decide here. Two objects of the submission may be compared by a method of its own; no other object may be.
const COMPARING = Symbol[:(==), :isequal, :isapprox, :(!=), :isless, :<, :<=, :>, :>=, :cmp, :in, :issubset, :hash, :(===), :≈, :∈]
# What else learns what a test expects: only types that the tests name have it, with data.
const HARMLESS = Symbol[
    :show, :print, :length, :size, :iterate, :getindex, :setindex!, :getproperty, :setproperty!, :propertynames, :showerror, :firstindex, :lastindex,
    :axes, :eltype, :ndims, :keys, :values, :first, :last, :IteratorSize, :IteratorEltype,
]

const WORKSPACE = Ref("")

function start(peer::Peer)
    words = split(read("/proc/self/cmdline", String), '\0'; keepempty = false)
    line = "exec 4<&0 3>&1 </dev/null 1>&2; exec \"\$@\""
    candidate = split(get(ENV, "GRADEBOX_CANDIDATE", "candidate"))
    command = Cmd(String[candidate; "sh"; "-c"; line; "sh"; words; "candidate"])
    process = open(pipeline(command; stderr = Base.RawFD(2)), "r+")
    peer.input, peer.output = process.out, process.in
end

function lose(peer::Peer, why::String)
    peer.is_lost || (peer.why = why)
    peer.is_lost = true
    throw(Died(peer.why))
end

# Ask the candidate's process. Whatever is wrong with its answer is the end of it.
function ask(peer::Peer, what::Char, parts::Vector{Any})
    peer.is_lost && throw(Died(peer.why))
    peer.input === devnull && start(peer)
    kind, result = try
        request(peer, what, parts)
    catch error
        error isa InterruptException && rethrow()
        error isa Malformed && lose(peer, "the process of the submission sent, or was sent, what cannot be passed: $(error.why)")
        error isa Union{EOFError,Base.IOError} && lose(peer, "the process of the submission ended, in the middle of a call")
        lose(peer, "the process of the submission sent what cannot be read: $(first(sprint(showerror, error), 300))")
    end
    kind == 'e' || return result
    result isa Exception || lose(peer, "the process of the submission threw what is no exception")
    throw(result)
end

called(what::Char, @nospecialize(subject), @nospecialize(arguments), @nospecialize(keywords)) =
    ask(PEER[], what, Any[subject, arguments, (; keywords...)])

(callable::CandidateFunction)(arguments...; keywords...) = called('c', callable.number, arguments, keywords)

# A name that the items see already keeps its meaning.
is_free(owner::Module, name::Symbol) =
    Base.isidentifier(name) && !(name in (:eval, :include, :Test, :Base, :Core, :Main)) && !isdefined(owner, name)

owners = Dict{String,Module}()

function mirror_type(peer::Peer, number::Int, name::Symbol, place::String, form::Char, count::Int, fields::Vector{Symbol}, @nospecialize(super), members)
    must(Base.isidentifier(name) && all(Base.isidentifier, fields), "a name is none")
    named = occursin(Regex("\\b\\Q$name\\E\\b"), peer.text)
    of_candidate = super isa Type && haskey(peer.type_numbers, Base.unwrap_unionall(super).name.wrapper)
    super isa Type && (of_candidate || super === Exception || named && isabstracttype(super) && is_mine(Base.unwrap_unionall(super)) && !(super <: Union{Type,Tuple,Function,Enum})) || (super = Any)
    owner = place == "" ? peer.program : get(owners, place, Module(:Unnamed))
    is_free(owner, name) || (owner = Module(:Submission))
    signature = count == 0 ? name : Expr(:curly, name, (Symbol("T", at) for at in 1:count)...)
    super isa UnionAll && (super = Any)
    head = Expr(:(<:), signature, super)
    if form == 'a'
        Core.eval(owner, Expr(:abstract, head))
    elseif form == 'e'
        must(!isempty(members) && allunique(first.(members)) && allunique(last.(members)), "an enum has no such members")
        all(member -> Base.isidentifier(member.first), members) || throw(Malformed("a name is none"))
        place = Module(:Submission)
        Core.eval(place, Expr(:macrocall, Symbol("@enum"), LineNumberNode(0), name, (Expr(:(=), member.first, member.second) for member in members)...))
        kind = getfield(place, name)
        peer.type_numbers[kind] = number
        return kind
    else
        # The constructor is never used, and keeps Julia from adding its own.
        never = Expr(:function, Expr(:call, name, Expr(:(::), Malformed)), Expr(:block, nothing))
        Core.eval(owner, Expr(:struct, form == 'm', head, Expr(:block, fields..., never)))
        kind = getfield(owner, name)
        Core.eval(owner, :((::Type{T})(arguments...; keywords...) where {T<:$kind} = $called('n', T, arguments, keywords)))
    end
    kind = getfield(owner, name)
    peer.type_numbers[kind] = number
    return kind
end

# Bind what a module of the submission holds.
function bind(peer::Peer, owner::Module, (found, methods)::Tuple, path::String)
    for each in found
        name, kind, value = each[1], each[2], each[3]
        name isa Symbol && Base.isidentifier(name) || continue
        owners[path] = owner
        is_program = path == ""
        if kind === :module
            inner = join(isempty(path) ? [name] : [path, name], ".")
            known = get(owners, inner, nothing)
            if known === nothing
                is_program && !is_free(owner, name) && continue
                known = Core.eval(owner, Expr(:module, false, name, Expr(:block)))
            end
            bind(peer, known, value, inner)
            exported = Symbol[word for word in each[4] if !Base.isexported(Base, word) && !Base.isexported(Core, word) && Base.isidentifier(word)]
            isempty(exported) || Core.eval(known, Expr(:export, exported...))
        elseif kind === :function
            made = CandidateFunction(value::Int, name)
            isdefined(owner, name) && getfield(owner, name) === made && continue
            (is_program ? is_free(owner, name) : !isdefined(owner, name)) && Core.eval(owner, :(const $name = $made))
        elseif (kind === :type || kind === :const) && (is_program ? is_free(owner, name) : !isdefined(owner, name))
            Core.eval(owner, :(const $name = $(QuoteNode(value))))
        elseif kind === :global && (is_program ? is_free(owner, name) : true)
            Core.eval(owner, Expr(:(=), name, QuoteNode(value)))
        end
    end
    methods === nothing || foreach(each -> extend(peer, each...), methods)
end

const EXTENDED = Set{Any}()

# Give a function of Base a method that asks the candidate's process: for types of the submission.
function extend(peer::Peer, name::Symbol, kinds::Tuple)
    (name, kinds) in EXTENDED && return
    push!(EXTENDED, (name, kinds))
    must(isdefined(Base, name) && getfield(Base, name) isa Function, "there is no such function")
    is_theirs(kind) = kind isa Type && (
        haskey(peer.type_numbers, kind isa Union ? kind : Base.unwrap_unionall(kind).name.wrapper) ||
        kind <: Type && kind isa DataType && length(kind.parameters) == 1 && kind.parameters[1] isa Type && is_theirs(kind.parameters[1]))
    any(is_theirs, kinds) || return
    is_named = any(kind -> is_theirs(kind) && occursin(Regex("\\b\\Q$(Base.unwrap_unionall(kind).name.name)\\E\\b"), peer.text), kinds)
    all_theirs = all(is_theirs, kinds)
    if name in COMPARING
        name in (:(==), :isequal, :isless, :<, :<=, :>, :>=, :isapprox) && all_theirs || name in (:in, :issubset) && is_named || return
    elseif !(is_named || all_theirs || name in HARMLESS)
        return
    end
    kinds = Any[kinds...]
    arguments, passed = Any[], Any[]
    for (at, kind) in enumerate(kinds)
        argument = Symbol("a", at)
        push!(arguments, kind === :... ? Expr(:..., argument) : Expr(:(::), argument, kind))
        push!(passed, kind === :... ? Expr(:..., argument) : argument)
    end
    Core.eval(peer.program, quote
        function (::$(typeof(getfield(Base, name))))($(arguments...); keywords...)
            return $called('b', $(QuoteNode(name)), ($(passed...),), keywords)
        end
    end)
end

# Files: those of the case are the items' own, all others are the submission's.

function case_text(path::String)
    file = try
        open(path)
    catch
        return nothing
    end
    try
        about = stat(file)
        mine = about.uid == 0 || about.uid == ccall(:geteuid, Cuint, ())
        same = readlink("/proc/self/fd/$(fd(file))") == path
        return isfile(about) && mine && about.nlink == 1 && same ? read(file, String) : nothing
    finally
        close(file)
    end
end

# What `include` does, in any module of the items: what the submission has comes to be in that module.
function load(peer::Peer, name::AbstractString, owner::Module = peer.program, transform = identity)
    before = get(task_local_storage(), :SOURCE_PATH, nothing)
    path = before === nothing ? abspath(name) : normpath(joinpath(dirname(before), name))
    text = is_installed(path) ? read(path, String) : case_text(path)
    text === nothing || return task_local_storage(:SOURCE_PATH, path) do
        include_string(expression -> loading(peer, transform(expression)), owner, text, path)
    end
    result, about = ask(peer, 'i', Any[path])
    bind(peer, owner, about, "")
    return result
end

is_installed(path::String) = isfile(path) && stat(path).uid == 0 && !startswith(realpath(path), WORKSPACE[] * "/")

# What `using` and `import` do with a package that is not loaded.
function require_installed(owner::Module, name::Symbol)
    package = Base.identify_package(owner, String(name))
    package === nothing && throw(ArgumentError("Package $name not found in current path."))
    file = haskey(Base.loaded_modules, package) ? nothing : Base.locate_package(package)
    file === nothing || is_installed(file) || case_text(file) !== nothing ||
        throw(ArgumentError("Import $name outside of a module: it is the submission's."))
    return Base.require(package)
end

const LOADED = Dict{String,Symbol}()

# `using` and `import` of a package of the submission's: its file is loaded by the candidate's process.
function loading(peer::Peer, @nospecialize(expression))
    expression isa Expr && expression.head in (:using, :import) || return expression
    expression = copy(expression)
    for path in expression.args
        while path isa Expr && path.head in (:(:), :as)
            path = path.args[1]
        end
        path isa Expr && path.head == :. && path.args[1] isa Symbol && path.args[1] != :. || continue
        name = path.args[1]
        package = name in (:Base, :Core, :Main) ? nothing : Base.identify_package(String(name))
        file = package === nothing || haskey(Base.loaded_modules, package) ? nothing : Base.locate_package(package)
        file !== nothing && startswith(file, WORKSPACE[] * "/") && case_text(file) === nothing || continue
        haskey(LOADED, file) || load(peer, file)
        LOADED[file] = name
        pushfirst!(path.args, :.)
    end
    return expression
end
