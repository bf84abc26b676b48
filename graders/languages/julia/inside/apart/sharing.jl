# Items of Julia that are judged apart: what both sides know by a number. Containers are copied, and each message says
# how those that both sides hold have changed. Functions and classes stay with the side that numbered them.

# Held as long as anybody else has it. It is no WeakRef, since what the submission shares can be one.
struct Weak
    reference::WeakRef
    Weak(@nospecialize(value)) = new(WeakRef(value))
end

mutable struct Entry
    held::Any  # The object, or it as a Weak: what was passed lives as long as anybody needs it.
    mark::UInt  # Of what a container holds, as the other side knows it.
    size::Int  # Of a stream, as the other side knows it.
    path::Path  # Where it came from, or was lent.
    wants_data::Bool
    is_back::Bool  # The candidate has given it to the tests.
end
Entry(held, mark, size, path, wants_data) = Entry(held, mark, size, path, wants_data, false)

# One side, and what it knows of the other.
mutable struct Peer
    is_grader::Bool
    input::IO
    output::IO
    entries::Dict{Int,Entry}
    numbers::Dict{UInt,Int}  # By object identity.
    fresh::Vector{Int}  # Numbers that came with the message that is written or read.
    kept::Vector{Any}  # Alive while the other side may name them.
    path::Path  # Of what is asked.
    late::Vector{Any}  # Dicts and sets that came, and what is in them: putting it there can run its methods.
    last::Int
    asked::Int
    heard::Int
    open::Vector{Int}  # Requests without an answer.
    traffic::Int
    wants_data::Bool  # The tests want data where a type of the submission could be it.
    program::Module
    contract::Contract
    answers::Answers
    failures::Vector{Any}  # Of functions of the tests that the other side called: (depth, path, error, what was sent).
    reads::IdDict{Any,Any}  # What the tests have read since they did anything else.
    why::String  # The other side is lost.
end
Peer(is_grader::Bool, input::IO, output::IO, program::Module) = Peer(
    is_grader, input, output, Dict{Int,Entry}(), Dict{UInt,Int}(), Int[], Any[], NOWHERE, Any[], 0, 0, 0,
    Int[], 0, false, program, Contract(), Answers(), Any[], IdDict{Any,Any}(), "",
)

# A function of the other side, and where it came.
mutable struct Remote <: Function
    number::Int
    name::Symbol
    paths::Vector{Path}
end
# Anything else of the other side: it can only be passed back.
mutable struct Handle
    number::Int
    name::Symbol
end

Base.getproperty(::Handle, name::Symbol) = throw(Limit("an object that stays in the other process has no `$name` here"))

is_mutable(kind::DataType) = VERSION < v"1.7" ? kind.mutable : Base.ismutabletype(kind)
is_base(@nospecialize(value)) = (root = Base.moduleroot(parentmodule(typeof(value))); root === Base || root === Core)
held(entry::Entry) = found_in(entry.held)
found_in(@nospecialize(holder)) = holder isa Weak ? holder.reference.value : holder

function number_of(peer::Peer, @nospecialize(value))
    value isa Union{Remote,Handle} && return getfield(value, :number)
    number = get(peer.numbers, objectid(value), 0)
    # It may be in the place of something that is forgotten.
    entry = get(peer.entries, number, nothing)
    return entry !== nothing && held(entry) === value ? number : 0
end

# What is passed by its content, and stays one object on both sides: also instances of mutable types of the submission.
function is_container(peer::Peer, @nospecialize(value))
    value isa IO && return true
    value isa Union{Array,BitArray,Dict,Set,Base.RefValue} && return is_base(value)
    value isa Union{Type,Function,Module,Task,Remote,Handle} && return false
    return is_mutable(typeof(value)) && is_theirs(peer, typeof(value))
end

function keep!(peer::Peer, number::Int, @nospecialize(value), @nospecialize(held), path::Path = step(peer.path, "<"))
    peer.entries[number] = Entry(held, 0, 0, path, peer.wants_data)
    peer.numbers[objectid(value)] = number
    push!(peer.fresh, number)
    return number
end
next_number!(peer::Peer) = peer.last += peer.is_grader ? 1 : -1
share!(peer::Peer, @nospecialize(value)) = keep!(peer, next_number!(peer), value, Weak(value))
lend!(peer::Peer, @nospecialize(value)) = keep!(peer, next_number!(peer), value, value)

function forget!(peer::Peer, number::Int)
    entry = pop!(peer.entries, number)
    value = held(entry)
    value === nothing || delete!(peer.numbers, objectid(value))
    peer.is_grader && released!(peer.answers, number, value)
end

# What can be read of a stream. The candidate's answer is what was written to it.
function readable(peer::Peer, io::IO)
    if io isa IOStream && isreadable(io)
        place = position(io)
        data = read(io)
        seek(io, place)
        return data
    end
    io isa Base.GenericIOBuffer && io.readable || return UInt8[]
    return Vector{UInt8}(io.data[(peer.is_grader ? io.ptr : 1):io.size])
end

# A container of the tests that changes where the reference changed none, or one of the candidate's that changes while
# the tests only read: they keep theirs, and so do those that hold it. What goes on with its number is a twin.
function take_change!(peer::Peer, change::Vector{Any})
    entry = peer.entries[change[2]]
    may_change(peer, change[2]) || make_twin!(peer, change[2], Set{Int}())
    IS_CHANGE[] = true
    decode_container(peer, change, entry.path, held(entry))
    IS_CHANGE[] = false
    push!(peer.fresh, change[2])
end
const IS_CHANGE, MERELY_READING = Ref(false), Ref(false)

function may_change(peer::Peer, number::Int)
    entry = peer.entries[number]
    (!peer.is_grader || isempty(entry.path) || !(held(entry) isa Union{Array,BitArray,Dict,Set,Base.RefValue})) &&
        return true
    number < 0 && !MERELY_READING[] && return true
    number > 0 && entry.is_back && return true
    return allowed(peer.contract, entry.path, MERELY_READING[] ? "other change" : "change")
end
function make_twin!(peer::Peer, number::Int, done::Set{Int})
    push!(done, number)
    entry = peer.entries[number]
    value = held(entry)
    made = Base.invokelatest(value isa Base.RefValue ? typeof(value) : copy, value isa Base.RefValue ? value[] : value)
    delete!(peer.numbers, objectid(value))
    peer.numbers[objectid(made)] = number
    entry.held = entry.held isa Weak ? Weak(made) : made
    push!(peer.kept, made)
    for (other, each) in collect(peer.entries)
        at = place_in(held(each), value)
        at === nothing && continue
        other in done || may_change(peer, other) || make_twin!(peer, other, done)
        outer = held(each)
        outer isa Union{Array,Dict} ? (outer[at] = made) : setfield!(outer, at, made)
        push!(peer.fresh, other)
    end
end

# Where a container or an object holds another one.
function place_in(@nospecialize(outer), @nospecialize(value))
    outer isa Dict && return findfirst(part -> part === value, outer)
    outer isa Array && return is_raw(outer) ? nothing : findfirst(at -> isassigned(outer, at) && outer[at] === value,
        eachindex(outer))
    outer isa Union{Type,Function,Module,IO,Nothing} && return nothing
    return is_mutable(typeof(outer)) ? findfirst(at -> isdefined(outer, at) && getfield(outer, at) === value,
        1:nfields(outer)) : nothing
end

function mark(peer::Peer, @nospecialize(value), number::Int)
    if value isa Union{Array,BitArray} && is_raw(value)
        data = value isa BitArray ? value.chunks : value
        seed = UInt32(hash(size(value)) & 0xffffffff)
        return GC.@preserve data ccall(Base.memhash, UInt, (Ptr{UInt8}, Csize_t, UInt32), pointer(data),
            sizeof(data), seed)
    end
    io, fresh, last = IOBuffer(), length(peer.fresh), peer.last
    put_container(peer, io, value, number)
    foreach(number -> forget!(peer, number), splice!(peer.fresh, fresh+1:length(peer.fresh)))
    peer.last = last
    return hash(String(take!(io)))
end

function put_container(peer::Peer, io::IOBuffer, @nospecialize(value), number::Int)
    wants_data, peer.wants_data = peer.wants_data, peer.entries[number].wants_data
    encode_container(peer, io, value, number, 0)
    peer.wants_data = wants_data
end

# Remember what containers hold, when both sides have the same.
function settle!(peer::Peer, numbers::Vector{Int})
    for number in copy(numbers)
        entry = get(peer.entries, number, nothing)
        value = entry === nothing ? nothing : held(entry)
        peer.is_grader && entry !== nothing && entry.mark == 0 && entry.held isa Weak &&
            push!(peer.answers.alive, value)
        is_container(peer, value) || continue
        entry.mark = mark(peer, value, number)
        value isa IO && (entry.size = max(entry.size, length(readable(peer, value))))
    end
    empty!(peer.fresh)
    late, peer.late = peer.late, Any[]
    for (number, made, parts) in late
        fill_parts!(peer, made, parts)
        peer.entries[number].mark = mark(peer, made, number)
    end
end

# Write what has changed, and what nobody here has any more. Return both.
function put_changes(peer::Peer, io::IOBuffer)
    # In the grader's process, what the tests no longer have is known to be gone when so much has come, and at no other
    # time: else the same submission would not always give the same answers.
    if peer.is_grader ? peer.traffic > 64_000_000 || length(peer.answers.alive) > MOST_ALIVE :
        peer.traffic > 4_000_000 || length(peer.entries) > 200 && peer.traffic > 100_000
        empty!(peer.answers.alive)
        GC.gc(peer.is_grader)
        peer.traffic = 0
    end
    changed, released = Int[], Int[]
    print(io, "[")
    for number in sort!(collect(keys(peer.entries)))
        entry = peer.entries[number]
        value = held(entry)
        value === nothing && (push!(released, number); continue)
        entry.held isa Weak && push!(peer.kept, value)
        is_container(peer, value) && mark(peer, value, number) != entry.mark || continue
        isempty(changed) || print(io, ",")
        put_container(peer, io, value, number)
        push!(changed, number)
    end
    print(io, "],[", join(released, ","), "]")
    return changed, released
end
