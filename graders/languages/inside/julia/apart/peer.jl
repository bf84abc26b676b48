# Items of Julia that are judged apart: requests and answers, and what the candidate's process does.
#
# A message is its length and: a kind, what has changed in mutable objects of the candidate's, the request or its answer.
# An answer ends with the containers that the other side has changed. In the middle of a request, the other side may make
# one of its own: a function that was passed is called back.

function send(peer::Peer, io::IOBuffer)
    must(io.size <= MAX_BYTES, "it is too large")
    data = take!(io)
    write(peer.output, length(data))
    write(peer.output, data)
    flush(peer.output)
end

function receive(peer::Peer)
    size = read(peer.input, Int)
    must(0 < size <= MAX_BYTES, "a message has no such length")
    return IOBuffer(read!(peer.input, Vector{UInt8}(undef, size)))
end

fields_of(peer::Peer, @nospecialize(value)) = (io = IOBuffer(); encode_fields(peer, Exchange(), io, value, 1); take!(io))

# What this side has changed in objects that both have.
function put_changes(peer::Peer, io::IOBuffer)
    changed = Pair{Int,Vector{UInt8}}[]
    for (number, before) in peer.before
        now = fields_of(peer, peer.objects[number])
        now == before || push!(changed, number => now)
    end
    put_count(io, length(changed))
    for (number, now) in changed
        peer.before[number] = now
        put_count(io, number)
        write(io, now)
    end
end

# New objects among what was passed; those which are reached by their fields are known by then, too.
function remember(peer::Peer)
    for (number, value) in collect(peer.objects)
        is_mutable(typeof(value)) && !(value isa Union{Function,Type,Module}) && haskey(peer.type_numbers, typeof(value).name.wrapper) || continue
        haskey(peer.before, number) || (peer.before[number] = fields_of(peer, value))
    end
end

function take_changes(peer::Peer, io::IOBuffer)
    for _ in 1:take_count(io)
        number = take_count(io, typemax(Int))
        decode_fields!(peer, Exchange(), io, peer.objects[number], 1)
        peer.before[number] = peer.is_grader ? fields_of(peer, peer.objects[number]) : UInt8[]
    end
end

contents(peer::Peer, exchange::Exchange) = [
    (io = IOBuffer(); encode_content(peer, exchange, io, value, 1); take!(io)) for value in copy(exchange.containers)
]

# Request something, and do in the meantime what the other side requests.
function request(peer::Peer, what::Char, parts::Vector{Any})
    exchange, io = Exchange(), IOBuffer()
    put(io, what)
    put_changes(peer, io)
    encode_all(peer, exchange, io, parts, 1)
    remember(peer)
    send(peer, io)
    while true
        answer = receive(peer)
        kind = take_tag(answer)
        take_changes(peer, answer)
        if kind == 'g'
            serve(peer, kind, answer)
            continue
        end
        must(kind == 'r' || kind == 'e', "it is no answer")
        count = length(exchange.containers)
        result = decode(peer, exchange, answer, 1)
        for _ in 1:take_count(answer)
            at = take_count(answer)
            must(1 <= at <= count, "it changed what it was not given")
            fill_content!(peer, exchange, answer, exchange.containers[at], 1)
        end
        must(eof(answer), "an answer has no end")
        remember(peer)
        return kind, result
    end
end

# Do what the other side requests, and answer.
function serve(peer::Peer, kind::Char, io::IOBuffer)
    exchange = Exchange()
    parts = decode_all(peer, exchange, io, 1)
    count = length(exchange.containers)
    before = contents(peer, exchange)
    tag, result = try
        'r', perform(peer, kind, parts)
    catch error
        error isa Malformed && rethrow()
        'e', error
    end
    answer = try
        answered(peer, exchange, before[1:count], tag, result)
    catch error
        answered(peer, exchange, before[1:count], 'e', ErrorException("the value cannot be passed: $(error isa Malformed ? error.why : first(sprint(showerror, error), 300))"))
    end
    send(peer, answer)
end

function answered(peer::Peer, exchange::Exchange, before::Vector, tag::Char, @nospecialize(result))
    body = IOBuffer()
    mark = length(exchange.containers)
    try
        encode(peer, exchange, body, tag == 'e' ? portable(peer, result) : result, 1)
        now = [(io = IOBuffer(); encode_content(peer, exchange, io, exchange.containers[at], 1); take!(io)) for at in 1:length(before)]
        changed = [at for at in 1:length(before) if now[at] != before[at]]
        put_count(body, length(changed))
        for at in changed
            put_count(body, at)
            write(body, now[at])
        end
    catch
        while length(exchange.containers) > mark
            delete!(exchange.indices, pop!(exchange.containers))
        end
        rethrow()
    end
    remember(peer)
    io = IOBuffer()
    put(io, tag)
    put_changes(peer, io)
    write(io, take!(body))
    return io
end

# An exception that can be passed.
function portable(peer::Peer, @nospecialize(error))
    kind = typeof(error)
    peer.is_grader && haskey(peer.type_numbers, kind.name.wrapper) && return error
    is_mine(kind) && error isa Exception && return error
    !peer.is_grader && error isa Exception && return error
    return ErrorException(string(kind.name.name, ": ", try Base.invokelatest(sprint, showerror, error) catch; "" end))
end

function perform(peer::Peer, kind::Char, parts::Vector{Any})
    if peer.is_grader
        called = peer.objects[parts[1]]
        must(called isa Union{Function,Type} && !(called isa CandidateFunction), "it calls what is no function")
        return Base.invokelatest(called, parts[2]...)
    elseif kind == 'i'
        found = Base.include(peer.program, parts[1])
        return (found isa Union{Function,Type,Module} ? nothing : found, described(peer, peer.program))
    elseif kind == 'd'
        cd(parts[1])
        return nothing
    end
    called = kind == 'b' ? getfield(Base, parts[1]) : kind == 'n' ? parts[1] : peer.objects[parts[1]]
    return Base.invokelatest(called, parts[2]...; parts[3]...)
end

# Bound when the candidate's process begins: a function of the grader's calls back.
function call_back(peer::Peer, callable::GraderFunction, @nospecialize(arguments))
    kind, result = request(peer, 'g', Any[callable.number, arguments])
    kind == 'e' && throw(result)
    return result
end

# What a module of the submission holds: names and what they are, and methods of Base's functions for its types.
function described(peer::Peer, owner::Module)
    found = Any[]
    for name in names(owner; all = true)
        text = String(name)
        isdefined(owner, name) && !startswith(text, "#") && !(name in (:eval, :include, nameof(owner))) || continue
        value = getfield(owner, name)
        if value isa Module
            parentmodule(value) === owner && value !== owner && push!(found, (name, :module, described(peer, value), Symbol[each for each in names(value)]))
        elseif value isa Type
            push!(found, (name, :type, value))
        elseif value isa Function
            is_mine(typeof(value)) && !occursin("Program", string(parentmodule(value))) || push!(found, (name, :function, number_of(peer, value)))
        else
            push!(found, (name, isconst(owner, name) ? :const : :global, value))
        end
    end
    return (found, owner === peer.program ? extended(peer) : nothing)
end

const UNEXPORTED = Symbol[:getproperty, :setproperty!, :propertynames, :iterate, :show, :showerror]

function extended(peer::Peer)
    found = Any[]
    for name in unique!([names(Base); UNEXPORTED])
        isdefined(Base, name) || continue
        called = getfield(Base, name)
        called isa Function && !(called isa Core.Builtin) || continue
        for method in all_methods(called)
            :Program in fullname(method.module) || continue
            types = Any[Base.unwrap_unionall(method.sig).parameters[2:end]...]
            kinds = Any[
                (kind = each isa TypeVar ? each.ub : each;
                Base.isvarargtype(kind) ? :... : kind isa UnionAll ? Base.unwrap_unionall(kind).name.wrapper : kind isa DataType || kind isa Union ? kind : Any)
                for each in types
            ]
            push!(found, (name, Tuple(kinds)))
        end
    end
    return found
end

function all_methods(called::Function)
    found = Method[]
    if VERSION < v"1.12-"
        Base.visit(each -> push!(found, each), typeof(called).name.mt)
    else
        append!(found, methods(called))
    end
    return found
end

const PEER = Ref{Any}(nothing)

(callable::GraderFunction)(arguments...) = call_back(PEER[], callable, arguments)

# Serve until the grader is gone.
function run_candidate()
    program = Core.eval(Main, Expr(:module, true, :Program, Expr(:block)))
    peer = PEER[] = Peer(false, Base.fdio(4, true), Base.fdio(3, true), program)
    while !eof(peer.input)
        io = receive(peer)
        kind = take_tag(io)
        take_changes(peer, io)
        Base.invokelatest(serve, peer, kind, io)
    end
    ccall(:_exit, Cvoid, (Cint,), 0)
end
