# Items of Julia that are judged apart: the grader's process, and what it makes of what the submission has. Types and
# methods that the submission has are made here under their names, while an item is run and in its process alone.

mutable struct Died <: Exception
    why::String
end
Base.showerror(io::IO, error::Died) = print(io, "CandidateDied: ", error.why)

const TURN = ReentrantLock()

# What apart cannot do is told to the host, too.
const REPORT = Ref{Any}(nothing)
# Where the submission prints, wherever the tests redirect their own.
const PRINTED = Ref(Base.RawFD(2))
function begin_report(token::String)
    # Not for child processes: F_DUPFD_CLOEXEC is 1030 on Linux.
    copied(descriptor) = ccall(:fcntl, Cint, (Cint, Cint, Clong), descriptor, 1030, 100)
    REPORT[], PRINTED[] = (Base.fdio(copied(3), true), token), Base.RawFD(copied(2))
    ccall(:close, Cint, (Cint,), 3)
end
function report(words::String, token::String = REPORT[][2])
    io = REPORT[][1]
    write(io, words == "" ? "$token\n" : "$token $words\n")
    flush(io)
end
function limit(why::String)
    report("limit " * replace(why, '\n' => ' '))
    throw(Limit(why))
end

function start(peer::Peer)
    words = String[get(ENV, "GRADEBOX_CANDIDATE", "candidate"), "sh", "-c",
        "exec 4<&0 3>&1 </dev/null 1>&2; exec \"\$@\"", "sh"]
    append!(words, split(unwatched(() -> read("/proc/self/cmdline", String)), '\0'; keepempty = false))
    HAS_LOOKED[] |= CHILDREN[] != children()
    process = open(pipeline(Cmd(push!(words, "candidate")); stderr = PRINTED[]), "r+")
    CHILDREN[] = children()
    peer.input, peer.output = process.out, process.in
end

function lose(peer::Peer, why::String)
    peer.why == "" && (peer.why = why; close(peer.output))
    throw(Died(peer.why))
end

# Ask the candidate's process, and read what comes of it. Whatever is wrong with that is the end of the process.
function asked(@nospecialize(read), peer::Peer, path::Path, what::String, parts::Vector{Any})
    peer.why == "" || throw(Died(peer.why))
    peer.input === devnull && start(peer)
    lock(TURN)
    before, peer.path = peer.path, path
    answers = peer.answers
    outer, answers.request = answers.request, what == "operator" ? parts[1] : what
    is_well, result, failures = try
        is_well, tree = request(peer, what, parts)
        result = is_well ? read(tree) : decode(peer, tree, step(path, "!"))
        must(!(result isa Undefined) && (is_well || result isa Exception || result isa Opaque),
            "it threw what is not an exception")
        settle!(peer, peer.fresh)
        empty!(peer.kept)
        # Of functions that were called meanwhile, and not while one of them waited for a request of its own.
        own = filter(failure -> failure[1] > length(peer.open), peer.failures)
        filter!(failure -> failure[1] <= length(peer.open), peer.failures)
        is_well, result, own
    catch error
        error isa Union{InterruptException,Died} && rethrow()
        error isa Limit && limit(error.why)
        error isa Malformed && startswith(error.why, LIMIT) && (report("limit $(error.why)"); lose(peer, error.why))
        error isa Malformed && lose(peer, "the process of the submission sent what cannot be: $(error.why)")
        error isa Union{EOFError,Base.IOError} && lose(peer,
            "the process of the submission ended, in the middle of a call")
        lose(peer, "the process of the submission sent what cannot be read: $(first(sprint(showerror, error), 300))")
    finally
        peer.path, answers.request = before, outer
        unlock(TURN)
    end
    passed_on = raise(peer, is_well, result, failures)
    is_well && return result
    throw(passed_on !== nothing ? passed_on : result isa Opaque ? held(result) : result)
end

# What functions of the tests threw that the submission called. What it passed on is returned. If it caught a failed
# assertion, or with a contract anything and threw nothing, the tests fail, unless the reference does the same.
function raise(peer::Peer, is_well::Bool, @nospecialize(result), failures::Vector{Any})
    passed_on = nothing
    for (_, path, error, sent) in failures
        !is_well && same(isequal, result, sent) && (passed_on = error; continue)
        error isa AssertionError || is_well && is_kept(peer.contract) || continue
        is_kept(peer.contract) && allowed(peer.contract, path, "catch $(nameof(typeof(error)))") && continue
        fail("the submission caught what a function of the tests threw: $(first(sprint(showerror, error), 300))")
    end
    return passed_on
end

# Whatever the tests catch.
function fail(why::String)
    FAILED[] += 1
    say("$why\n")
end

function call(peer::Peer, paths::Vector{Path}, @nospecialize(subject), @nospecialize(arguments),
    @nospecialize(keywords))
    found = find_word(peer.contract, paths, ["call"])
    if found === nothing
        why = "$(join(get(paths, 1, NOWHERE))) is not asked: with the reference, the tests did not do this (call)."
        fail(why)
        throw(ArgumentError(why))
    end
    empty!(peer.reads)
    return ask(peer, found[1], step(found[1], "()"), "call", subject, arguments, keywords)
end

ask(peer::Peer, path::Path, came::Path, what::String, @nospecialize(subject), @nospecialize(arguments),
    @nospecialize(keywords)) = asked(tree -> decode(peer, tree, came), peer, path, what,
        Any[subject, arguments, keywords, gave_data(peer.contract, came)])

function (callable::Remote)(arguments...; keywords...)
    peer = PEER[]
    peer.is_grader || return call_back(peer, callable, arguments, (; keywords...))
    return call(peer, callable.paths, callable, arguments, (; keywords...))
end

# Types of the submission

# A name that the items see already keeps its meaning.
is_free(owner::Module, name::Symbol) =
    Base.isidentifier(name) && !(name in (:eval, :include, :Test, :Base, :Core, :Main)) && !isdefined(owner, name)
const BOUND = Set{Tuple{Module,Symbol}}()
const OWNERS = Dict{Vector{String},Module}()  # By their place in the submission.

function learn_type(peer::Peer, number::Int, @nospecialize(super), @nospecialize(about))
    must(super isa Vector{Any} && length(super) == 1 && about isa Dict && length(about) == 7,
        "a type is described otherwise")
    words(key) = (found = get(about, key, nothing); must(is_list(found, "t", 1) && length(found) <= 1000,
        "a type is described otherwise"); found[2:end])
    name, fields, place, members = about["name"], words("fields"), words("module"), words("members")
    must(are_names(Any[name]) && are_names(fields) && all(is_text, place), "a name is none")
    count = about["parameters"]
    must(count isa Int && 0 <= count <= 50 && length(CLASSES) < 1000, "a type is described otherwise")
    keep!(peer, number, Any, Any)
    above = decode_type(peer, super[1])
    is_above = above isa DataType && (is_theirs(peer, above) && isabstracttype(above) || above === Exception)
    place = push!(String[word for word in place], name)
    path, owner = path_of(place), get(OWNERS, place[1:end-1], Module(:Unnamed))
    is_free(owner, Symbol(name)) && allowed(peer.contract, path, "class") || (owner = Module(:Unnamed))
    form = about["form"]
    kind = if form == "enum"
        make_enum(Symbol(name), members)
    else
        make_type(owner, Symbol(name), form, count, Symbol[Symbol(field) for field in fields], is_above ? above : Any)
    end
    came = step(path, "()")
    CLASSES[kind] = is_kept(peer.contract) ? Path[came] : Path[]
    keep!(peer, number, kind, kind)
    form in ("struct", "mutable") && add_calls(peer, owner, kind, about["calls"] === true)
    return kind
end

is_text(@nospecialize(name)) = name isa String
is_name(@nospecialize(name)) = name isa String && Base.isidentifier(name)
are_names(found::Vector{Any}) = all(is_name, found) && allunique(found)

function make_enum(name::Symbol, members::Vector{Any})
    pairs = Pair{Symbol,Int64}[]
    for member in members
        must(is_list(member, "t", 3) && member[2] isa String && Base.isidentifier(member[2]) && member[3] isa Int,
            "an enum has no such members")
        push!(pairs, Symbol(member[2]) => member[3])
    end
    must(!isempty(pairs) && allunique(first.(pairs)) && allunique(last.(pairs)), "an enum has no such members")
    place = Module(:Unnamed)
    Core.eval(place, Expr(:macrocall, Symbol("@enum"), LineNumberNode(0), name,
        (Expr(:(=), pair...) for pair in pairs)...))
    return getfield(place, name)
end

function make_type(owner::Module, name::Symbol, @nospecialize(form), count::Int, fields::Vector{Symbol},
    @nospecialize(super))
    must(form in ("abstract", "primitive", "struct", "mutable"), "there is no such form of types")
    signature = count == 0 ? name : Expr(:curly, name, (Symbol("T", at) for at in 1:count)...)
    head = Expr(:(<:), signature, super)
    if form in ("abstract", "primitive")
        Core.eval(owner, Expr(:abstract, head))
    else
        # The constructor is never used, and keeps Julia from adding its own.
        never = Expr(:function, Expr(:call, name, Expr(:(::), Malformed)), Expr(:block, nothing))
        Core.eval(owner, Expr(:struct, form == "mutable", head, Expr(:block, fields..., never)))
    end
    return getfield(owner, name)
end

function add_calls(peer::Peer, owner::Module, @nospecialize(kind), calls::Bool)
    constructors() = Path[path[1:end-1] for path in CLASSES[kind] if length(path) > 1 && last(path) == "()"]
    construct(@nospecialize(made), @nospecialize(arguments), @nospecialize(keywords)) =
        call(peer, constructors(), made, arguments, keywords)
    Core.eval(owner, :((::Type{T})(arguments...; keywords...) where {T<:$kind} = $construct(T, arguments,
        (; keywords...))))
    calls || return
    push!(CALLED, kind)
    use(@nospecialize(made), @nospecialize(arguments), @nospecialize(keywords)) =
        call(peer, CLASSES[kind], made, arguments, keywords)
    Core.eval(owner, :((made::$kind)(arguments...; keywords...) = $use(made, arguments, (; keywords...))))
end

# Names of the submission

# Bind what a module of the submission holds, at its place there.
function bind(peer::Peer, owner::Module, @nospecialize(found), place::Vector{String})
    must(is_list(found, "t", 1), "a module is described otherwise")
    OWNERS[place] = owner
    for each in found[2:end]
        must(is_list(each, "t", 4) && each[2] isa String, "a module is described otherwise")
        name, form = Symbol(each[2]), each[3]
        can_be = Base.isidentifier(name) && is_free(owner, name)
        inner = push!(copy(place), each[2])
        if form == "module"
            known = get(OWNERS, inner, nothing)
            known === nothing && !can_be && continue
            known === nothing && (known = Core.eval(owner, Expr(:module, false, name, Expr(:block))))
            bind(peer, known, each[4], inner)
            length(each) == 5 && export_names(known, each[5])
        elseif form == "macro"
            word = Symbol(each[2][2:end])
            Base.isidentifier(word) && !isdefined(owner, name) || continue
            Core.eval(owner, Expr(:macro, Expr(:call, word, :(_...)), :($limit("macros of the submission"))))
        else
            path = is_kept(peer.contract) ? path_of(inner) : NOWHERE
            value = decode(peer, each[4], path)
            # The tests may get any other name from elsewhere.
            isempty(path) || is_known(peer.contract, path) || continue
            isempty(path) || push!(peer.answers.names, (join(path), each[2], each[4]))
            peer.contract.record && !haskey(peer.contract.noted, join(path)) && allowed(peer.contract, path, "data")
            form == "const" && can_be && push!(BOUND, (owner, name))
            form == "const" && can_be && Core.eval(owner, :(const $name = $(QuoteNode(value))))
            is_changed = form == "global" && Base.isidentifier(name) &&
                (can_be || !isconst(owner, name) && isempty(place) == false)
            is_changed && Core.eval(owner, Expr(:(=), name, QuoteNode(value)))
        end
    end
end

function export_names(owner::Module, @nospecialize(found))
    must(is_list(found, "t", 1), "a module is described otherwise")
    names = Symbol[
        Symbol(word) for word in found[2:end]
        if word isa String && Base.isidentifier(word) && !any(place -> Base.isexported(place, Symbol(word)),
            (Base, Core))
    ]
    isempty(names) || Core.eval(owner, Expr(:export, names...))
end
