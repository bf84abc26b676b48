# Items of Julia that are judged apart: files and packages. The host lists the files of the case, with their digests;
# the standard library is the image's. All else is the submission's, whatever it is called and wherever it leads: only
# the candidate's process opens it.

const WORKSPACE = Ref("")
const CASE_FILES = Dict{String,String}()  # Digests, by paths in the workspace.
const PACKAGES = Dict{Symbol,Module}()
const LIBRARY_PATH = String[]  # Where packages of the image are looked for.

# What the host tells this process.
function told(peer::Peer)
    WORKSPACE[] = pwd() * "/"
    append!(LIBRARY_PATH, filter(entry -> startswith(entry, "@v") || entry == "@stdlib", LOAD_PATH))
    place = pop!(ENV, "GRADEBOX_APART", "")
    isabspath(place) || return
    about = read_json(read(place), 1_000_000, 50)
    WORKSPACE[] = get(about, "workspace", pwd()) * "/"
    for (path, digest) in about["files"]
        CASE_FILES[path] = digest
    end
    peer.contract.record, peer.answers.rewording = about["record"] === true, Int(get(about, "reword", 0))
    about["contract"] === nothing && return
    peer.contract.words = Dict{String,Set{String}}(path => Set{String}(words) for (path, words) in about["contract"])
    expect!(peer.answers, pop!(peer.contract.words, "#answers", ()), get(about, "exact", false) === true)
end

# What else the tests use, which is not compared: files, and programs. Texts have methods of their own here, which Base
# has not, and which the image has compiled.
const HAS_LOOKED = Ref(false)
const TEXT = Union{String,SubString{String}}
const DEVICES = ("/dev/null", "/dev/random", "/dev/urandom", "/dev/zero")
look(path::TEXT) = HAS_LOOKED[] || path in DEVICES || is_of_case(abspath(path)) || (HAS_LOOKED[] = true)
function is_of_case(path::String)
    digest = startswith(path, WORKSPACE[]) ? get(CASE_FILES, path[sizeof(WORKSPACE[])+1:end], nothing) : nothing
    digest === nothing && return startswith(path, Sys.STDLIB * "/")
    return try
        file = invoke(open, Tuple{AbstractString}, path)
        found = bytes2hex(sha256(file))
        close(file)
        found == digest
    catch
        false
    end
end
for name in (:stat, :lstat, :readlink, :readdir)
    Core.eval(Base.Filesystem, :($name(path::$TEXT; keywords...) = ($look(path); invoke($name, Tuple{AbstractString},
        path; keywords...))))
end
Core.eval(Base, :(open(path::$TEXT; keywords...) = ($look(path); invoke(open, Tuple{AbstractString}, path;
    keywords...))))
Core.eval(Base.Filesystem, :(open(path::$TEXT, flags::Integer, mode::Integer) = ($look(path); invoke(open,
    Tuple{AbstractString,Integer,Integer}, path, flags, mode))))

# What the programs that have ended have used, and which run.
const CHILDREN = Ref{Any}(nothing)
function children()
    usage = zeros(Clong, 18)
    ccall(:getrusage, Cint, (Cint, Ptr{Clong}), -1, usage)
    running = "/proc/self/task/$(getpid())/children"
    return usage, unwatched(() -> isfile(running) ? read(running, String) : "")
end
function unwatched(action::Function)
    before = HAS_LOOKED[]
    try
        return action()
    finally
        HAS_LOOKED[] = before
    end
end

# What tests read of this process whatever the submission does to its own: as functions of Base, and otherwise.
const OF_PROCESS = (:pwd, :ENV, :precision, :rounding, :position, :isopen, :hasmethod, :applicable, :methods, :which)
const OTHERS_OF_PROCESS =
    r"@test_(logs|warn|nowarn|deprecated)\b|\b((Test|Simple|Console)Logger|redirect_std(out|err)|WeakRef|GC\.gc)\b"
# Where modules and files are looked for, and what the submission's process gets.
const NO_READ = r"(LOAD_PATH\s*,|joinpath\()\s*pwd\(\)|\bENV\[[^\]]*\]\s*=(?!=)"
const PART = Ref("")  # The text of the case that this part of the tests has run.
function reads_process(peer::Peer, text::String)
    text = replace(text, NO_READ => "")
    is_read(name) = occursin(Regex("((?<![\\w!@.])|(?<=Base\\.))$name[(\\[,)]"), text) &&
        isdefined(peer.program, name) && getfield(peer.program, name) === getfield(Base, name)
    return occursin(OTHERS_OF_PROCESS, text) || any(is_read, OF_PROCESS)
end

# End a part of the tests; return whether it has passed.
function end_part!(peer::Peer, test::String, passed::Bool)
    before, CHILDREN[] = CHILDREN[], children()
    has_looked = HAS_LOOKED[] || before != CHILDREN[] || reads_process(peer, PART[])
    why = end_part!(peer.answers, peer.contract, test, passed, has_looked)
    HAS_LOOKED[], PART[] = IS_CONNECTED[], ""
    why == "" || say("$why\n")
    peer.contract.record && report("contract $(noted(peer.contract))")
    report_answers(peer.answers)
    return passed && why == ""
end
# Packages with which tests can reach another process.
const CONNECTING, IS_CONNECTED = (:Sockets, :Distributed), Ref(false)

# The text of a file of the case or of the standard library; nothing for the submission's. It is decided by name.
function own_text(peer::Peer, path::String)
    startswith(path, Sys.STDLIB * "/") && return read(path, String)
    digest = startswith(path, WORKSPACE[]) ? get(CASE_FILES, path[sizeof(WORKSPACE[])+1:end], nothing) : nothing
    digest === nothing && return nothing
    data = read(path)
    bytes2hex(sha256(data)) == digest || error("$path is not what the case has.")
    text = String(data)
    read_text!(peer.contract, text)
    PART[] *= text * "\n"
    hear_names!(peer.answers, peer.contract.text)
    return text
end

# What `include` does, in any module of the items: what the submission has comes to be in that module.
function load(peer::Peer, name::AbstractString, owner::Module = peer.program, transform = identity)
    before = get(task_local_storage(), :SOURCE_PATH, nothing)
    path = before === nothing ? abspath(name) : normpath(joinpath(dirname(before), name))
    text = own_text(peer, path)
    text === nothing || return task_local_storage(:SOURCE_PATH, path) do
        include_string(transform, owner, text, path)
    end
    return brought(peer, owner, String[], "import", Any[path]) do tree
        is_kept(peer.contract) || return decode(peer, tree)
        # Only where the tests use it, and the reference's file ends with a value. Later parts may refer to types in it.
        came = peer.contract.takes_values ? [basename(path), "()"] : NOWHERE
        value = tree === nothing ? nothing : decode(peer, tree, came)
        isempty(came) && return nothing
        tree === nothing || is_known(peer.contract, came) || return nothing
        push!(peer.answers.names, ("()", "", tree))
        return value
    end
end

# Ask for a file or a package of the submission, and bind what it holds.
function brought(@nospecialize(first_part), peer::Peer, owner::Module, place::Vector{String}, what::String,
    parts::Vector{Any})
    return asked(peer, NOWHERE, what, parts) do tree
        must(is_list(tree, "t", 4) && length(tree) == 4, "a module is described otherwise")
        result = first_part(tree[2])
        bind(peer, owner, tree[3], place)
        extend(peer, tree[4])
        hear_names!(peer.answers, peer.contract.text)
        return result
    end
end

# Look for packages where the image has them, and never in the workspace.
function in_library(action::Function)
    paths, project = copy(LOAD_PATH), Base.ACTIVE_PROJECT[]
    copy!(LOAD_PATH, LIBRARY_PATH)
    Base.ACTIVE_PROJECT[] = nothing
    try
        return unwatched(action)
    finally
        copy!(LOAD_PATH, paths)
        Base.ACTIVE_PROJECT[] = project
    end
end
library_package(owner::Module, name::Symbol) = in_library(() -> Base.identify_package(owner, String(name)))

# What `using` and `import` do with a package, in any module.
function required(peer::Peer, owner::Module, name::Symbol)
    package = library_package(owner, name)
    if package !== nothing
        found = in_library(() -> Base.invokelatest(Base.require, package))
        name === :Test && watch(found)
        name in CONNECTING && (IS_CONNECTED[] = HAS_LOOKED[] = true)
        taken = is_kept(peer.contract) ? [] : filter(word -> (owner, word) in BOUND, names(found))
        isempty(taken) || limit("the submission has $(first(taken)) of $name: put `using $name` before its `include`")
        return found
    end
    haskey(PACKAGES, name) && return PACKAGES[name]
    for directory in LOAD_PATH, file in ("$name.jl", "$name/src/$name.jl")
        path = normpath(joinpath(abspath(directory), file))
        startswith(path, WORKSPACE[]) && haskey(CASE_FILES, path[sizeof(WORKSPACE[])+1:end]) || continue
        holder = Module(:Packages)
        load(peer, path, holder)
        return PACKAGES[name] = getfield(holder, name)
    end
    made = Module(name)
    directories = Tuple(abspath(directory) for directory in LOAD_PATH if !startswith(directory, "@"))
    brought(tree -> export_names(made, tree), peer, made, [String(name)], "package", Any[String(name), directories])
    return PACKAGES[name] = made
end

# From here, `include`, `using` and `import` do what is written above.
function begin_grader(program::Module)
    read_table()
    union!(LIBRARY, filter(place -> place !== Main, collect(values(Base.loaded_modules))))
    peer = PEER[] = Peer(true, devnull, devnull, program)
    told(peer)
    program === Main || Core.eval(program, :(include(path::AbstractString) = $load($peer, path)))
    Core.eval(Base.MainInclude, :(include(path::AbstractString) = $load($peer, path, Main)))
    Core.eval(Base, quote
        include(owner::Module, path::AbstractString) = $load($peer, path, owner)
        include(transform::Function, owner::Module, path::AbstractString) = $load($peer, path, owner, transform)
        require(owner::Module, name::Symbol) = $required($peer, owner, name)
    end)
    CHILDREN[], HAS_LOOKED[] = children(), false
    return peer
end
