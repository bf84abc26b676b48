# Items of Julia that are judged apart: what the candidate's process does, and what it says of the submission.

function imported(peer::Peer, path::String)
    # What calls `include` and `require` itself is compiled anew once the grader's process has its own.
    found = Base.invokelatest(Base.include, peer.program, path)
    return Parts(Any[found isa Union{Function,Type,Module} ? nothing : found, described(peer, peer.program),
        extended(peer)])
end

function imported_package(peer::Peer, name::String, directories::Tuple)
    foreach(directory -> directory in LOAD_PATH || push!(LOAD_PATH, directory), directories)
    found = Base.invokelatest(Base.require, Main, Symbol(name))
    return Parts(Any[exported(found), described(peer, found), extended(peer)])
end

exported(owner::Module) = Parts(Any[String(name) for name in names(owner)])

# What a module of the submission holds: names, what they are, and the things themselves.
function described(peer::Peer, owner::Module)
    found, modules = Any[], ccall(:jl_module_usings, Any, (Any,), owner)
    for name in names(owner; all = true)
        text = String(name)
        isdefined(owner, name) && !startswith(text, '#') && !(name in (:eval, :include, nameof(owner))) || continue
        value = getfield(owner, name)
        if value isa Module
            parentmodule(value) === owner && value !== owner || continue
            push!(found, Parts(Any[text, "module", described(peer, value), exported(value)]))
            push!(modules, value)
        elseif startswith(text, '@')
            push!(found, Parts(Any[text, "macro", nothing]))
        else
            push!(found, Parts(Any[text, isconst(owner, name) || value isa Function ? "const" : "global", value]))
        end
    end
    # What `using` and `import` brought.
    for place in unique(modules), name in (is_library(place) ? Symbol[] : names(place; all = true))
        is_own(it) = isdefined(it, name) && Base.binding_module(it, name) === place
        is_own(place) && is_own(owner) && place !== owner && !startswith(String(name), '#') || continue
        value = getfield(place, name)
        value isa Module || startswith(String(name), '@') || push!(found, Parts(Any[String(name), "const", value]))
    end
    return Parts(found)
end

const UNEXPORTED = Symbol[:getproperty, :setproperty!, :propertynames, :iterate, :show, :showerror]

# Methods of functions of Base for types of the submission.
function extended(peer::Peer)
    found = Any[]
    for name in unique!([names(Base); UNEXPORTED])
        called = isdefined(Base, name) ? getfield(Base, name) : nothing
        # Under one of its names: `∈` is `in`.
        called isa Function && !(called isa Core.Builtin) && nameof(called) === name || continue
        for method in all_methods(called)
            is_library(method.module) && continue
            types = Any[kind_of(each) for each in Base.unwrap_unionall(method.sig).parameters[2:end]]
            push!(found, Parts(Any[String(name), Parts(types)]))
            # What has a size has these as an array.
            name === :size && types[1] isa Type && types[1] <: AbstractArray || continue
            for other in ("length", "isempty", "firstindex", "lastindex", "first", "last", "iterate")
                push!(found, Parts(Any[other, Parts(Any[types[1]])]))
            end
            push!(found, Parts(Any["iterate", Parts(Any[types[1], Any])]))
        end
    end
    return Parts(found)
end

function kind_of(@nospecialize(kind))
    kind = kind isa TypeVar ? kind.ub : kind
    Base.isvarargtype(kind) && return "..."
    kind isa UnionAll && return Base.unwrap_unionall(kind) isa DataType ? wrapper(kind) : Any
    return kind isa DataType || kind isa Union ? kind : Any
end

function all_methods(called::Function)
    VERSION < v"1.12-" || return collect(methods(called))
    found = Method[]
    Base.visit(each -> push!(found, each), typeof(called).name.mt)
    return found
end

# Whether an instance of a type can be called.
has_calls(kind::DataType) = !isabstracttype(kind) && !isempty(Base._methods_by_ftype(Tuple{kind,Vararg{Any}}, -1,
    typemax(UInt)))

const PEER = Ref{Any}(nothing)

# A function of the grader.
function call_back(peer::Peer, callable::Remote, @nospecialize(arguments), @nospecialize(keywords))
    is_well, tree = request(peer, "call", Any[callable, arguments, keywords])
    result = decode(peer, tree)
    settle!(peer, peer.fresh)
    empty!(peer.kept)
    is_well || throw(result)
    return result
end

# Serve until the grader is gone.
function run_candidate()
    read_table()
    union!(LIBRARY, filter(place -> place !== Main, collect(values(Base.loaded_modules))))
    program = Core.eval(Main, Expr(:module, true, :Program, Expr(:block)))
    peer = PEER[] = Peer(false, Base.fdio(4, true), Base.fdio(3, true), program)
    while (wait_for_request(peer); !eof(peer.input))
        Base.invokelatest(serve, peer, receive(peer))
    end
    ccall(:_exit, Cvoid, (Cint,), 0)
end

# Until then, timers and tasks of the submission go on: reading would stop them.
function wait_for_request(peer::Peer)
    bytesavailable(peer.input) > 0 && return
    is_there(milliseconds) = ccall(:poll, Cint, (Ptr{Cvoid}, Culong, Cint), Ref((Cint(4), Cshort(1), Cshort(0))), 1,
        milliseconds) != 0
    is_there(5) && return
    while !is_there(0)
        sleep(0.005)
    end
end
