# Items of Julia that are judged apart: messages, requests and answers, and the checkpoint that every message passes.

function send(peer::Peer, tag::String, id::Int, parts::Vector{Any})
    io = IOBuffer()
    write(io, UInt32(0))
    empty!(peer.fresh)
    changed, released = try
        print(io, "[\"", tag, "\",", id, ",")
        found = put_changes(peer, io)
        for part in parts
            print(io, ",")
            encode(peer, io, part)
        end
        print(io, "]")
        io.size <= TABLE.bytes || throw(Limit("a message has more than $(TABLE.bytes >> 20) MiB"))
        found
    catch error
        # It was not sent. What methods of the submission threw meanwhile says nothing of this stream.
        foreach(number -> forget!(peer, number), peer.fresh)
        empty!(peer.fresh)
        error isa Union{Base.IOError,EOFError} && throw(ErrorException(sprint(showerror, error)))
        rethrow()
    end
    foreach(number -> forget!(peer, number), released)
    isempty(changed) || empty!(peer.reads)
    append!(peer.kept, Any[held(peer.entries[number]) for number in peer.fresh])
    for number in (peer.is_grader ? peer.fresh : ())
        lent!(peer.answers, number, held(peer.entries[number]))
    end
    settle!(peer, [peer.fresh; changed])
    data = take!(io)
    peer.traffic += length(data)
    data[1:4] = reinterpret(UInt8, [hton(UInt32(length(data) - 4))])
    write(peer.output, data)
    flush(peer.output)
end

# The next message, if the table allows it.
function receive(peer::Peer)
    size = Int(ntoh(read(peer.input, UInt32)))
    must(0 < size <= TABLE.bytes, "a message has no such length")
    data = read!(peer.input, Vector{UInt8}(undef, size))
    peer.traffic += length(data)
    tree = read_json(data, TABLE.parts, TABLE.depth + 5)
    checkpoint(peer, tree)
    peer.is_grader && is_kept(peer.contract) && hear!(peer.answers, tree)
    for change in tree[3]
        take_change!(peer, change)
    end
    foreach(number -> forget!(peer, number), tree[4])
    return tree
end

function checkpoint(peer::Peer, @nospecialize(tree))
    must(is_list(tree, "?=!", 5) && tree[2] isa Int && tree[3] isa Vector{Any} && tree[4] isa Vector{Any},
        "it is not a message")
    for change in tree[3]
        must(is_list(change, "ldsBw", 3) && is_container(peer, held_under(peer, change[2])),
            "it changes what both sides do not have")
    end
    for number in tree[4]
        is_own = number isa Int && (number > 0) === peer.is_grader
        must(is_own && haskey(peer.entries, number) || is_container(peer, held_under(peer, number)),
            "it forgets what it had not")
    end
    must(allunique(tree[4]), "it forgets something twice")
    if tree[1] != "?"
        must(!isempty(peer.open) && tree[2] == last(peer.open) && length(tree) == 5, "it answers what was not asked")
        return
    end
    must(tree[2] == peer.heard + 1, "a request has a wrong number")
    peer.heard += 1
    peer.is_grader || return
    subject = get(tree, 6, nothing)
    must(is_list(subject, "o", 2) && length(subject) == 2 && subject[2] isa Int && subject[2] > 0,
        "it asks for what was not lent")
    kind = held_under(peer, subject[2]) isa Union{Function,Type} ? "function" : "object"
    rules = tree[5] isa String ? get(TABLE.to_grader, tree[5], nothing) : nothing
    must(haskey(peer.entries, subject[2]) && rules !== nothing && get(rules, kind, false) === true,
        "it asks for what is not allowed")
    must(tree[5] == "call" && length(tree) == 8 && is_list(tree[7], "t", 1), "a request has other parts")
end

held_under(peer::Peer, @nospecialize(number)) = number isa Int && haskey(peer.entries, number) ?
    held(peer.entries[number]) : nothing

# Request something, and serve what the other side requests in the meantime. Return whether it went well, and the tree
# of what came of it: the caller reads this, and then settles.
function request(peer::Peer, what::String, parts::Vector{Any})
    send(peer, "?", peer.asked + 1, Any[what; parts])
    push!(peer.open, peer.asked += 1)
    while true
        tree = receive(peer)
        if tree[1] == "?"
            serve(peer, tree)
        else
            pop!(peer.open)
            return tree[1] == "=", tree[5]
        end
    end
end

function serve(peer::Peer, tree::Vector{Any})
    path = peer.is_grader ? peer.entries[tree[6][2]].path : NOWHERE
    parts = Any[decode(peer, part, at == 1 ? NOWHERE : path) for (at, part) in enumerate(tree[6:end])]
    settle!(peer, peer.fresh)
    empty!(peer.kept)
    tag, result = try
        "=", perform(peer, tree[5], parts)
    catch error
        error isa Malformed && rethrow()
        # Without a contract nobody knows what the reference catches, so only failed assertions count.
        sent = peer.is_grader ? masked(error, tree[2]) : portable(peer, error)
        peer.is_grader && push!(peer.failures, (length(peer.open), path, error, sent))
        "!", sent
    end
    try
        send(peer, tag, tree[2], Any[result])
    catch error
        error isa Union{Base.IOError,EOFError} && rethrow()
        why = error isa Limit ? sprint(showerror, error) :
            "the value cannot be passed: $(first(sprint(showerror, error), 300))"
        send(peer, "!", tree[2], Any[ErrorException(why)])
    end
end

# In place of an exception of the tests: its class, and a text only if they threw that. Other fields can hold what they
# expect. The text of a failed assertion says which one it is, so that it is known when it comes back.
function masked(@nospecialize(error), request::Int)
    error isa AssertionError && return AssertionError("assertion $request of the tests")
    error isa Union{ErrorException,ArgumentError} && return error
    kind = typeof(error)
    parts = Any[]
    for type in fieldtypes(kind)
        at = findfirst(part -> part isa type, EMPTY)
        at === nothing || push!(parts, EMPTY[at])
    end
    is_known = error isa Exception && is_library(kind) && String(kind.name.name) in TABLE.constants
    return is_known && length(parts) == fieldcount(kind) ? make(kind, parts) : ErrorException(String(kind.name.name))
end
const EMPTY = Any[nothing, "", :hidden, 0, UInt(0), Int32(0), Any]

# An exception that can be passed.
function portable(peer::Peer, @nospecialize(error))
    kind = typeof(error)
    error isa Exception && (is_theirs(peer, kind) || is_library(kind) &&
        String(kind.name.name) in TABLE.constants) && return error
    return ErrorException(string(kind.name.name, ": ", try Base.invokelatest(sprint, showerror, error) catch; "" end))
end

function perform(peer::Peer, what::String, parts::Vector{Any})
    called, arguments, keywords = parts[1], get(parts, 2, ()), get(parts, 3, (;))
    if peer.is_grader
        must(called isa Union{Function,Type} && arguments isa Tuple && keywords isa NamedTuple,
            "a request has other parts")
        return Base.invokelatest(called, arguments...; keywords...)
    end
    peer.wants_data = false
    what == "import" && return imported(peer, called)
    what == "package" && return imported_package(peer, called, arguments)
    found = what == "operator" ? getfield(Base, Symbol(called)) : called
    result = Base.invokelatest(found, arguments...; keywords...)
    peer.wants_data = parts[4]
    return result
end
