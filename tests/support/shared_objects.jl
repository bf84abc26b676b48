# Whether one side numbers what it shares, whatever that is: `julia shared_objects.jl APART BOUNDARY`, where APART has
# the sources. It says what does not hold.

const BOUNDARY = read(ARGS[2], String)
task_local_storage(() -> include_string(Main, read(ARGS[1], String), "apart"), :gradebox_program, start -> nothing)
const G = GradeboxApart
G.read_table()

const FAILED = Ref(0)
holds(is_so::Bool, what) = is_so || (println("It does not hold: $what"); FAILED[] += 1)

side(is_grader = false) = G.Peer(is_grader, devnull, IOBuffer(), Main)
function sent(peer, value)
    G.send(peer, "=", 1, Any[value])
    data = take!(peer.output)
    return G.read_json(data[5:end], G.TABLE.parts, G.TABLE.depth + 5)
end

# Objects of the submission that are WeakRefs.
let peer = side(), all = WeakRef[], shared = Ref(1)
    push!(all, WeakRef(shared), WeakRef(Ref(2)))
    numbers = [sent(peer, all)[5][2], sent(peer, shared)[5][2]]
    push!(all, WeakRef(shared))
    changes = sent(peer, shared)[3]
    holds([change[2] for change in changes] == numbers[1:1], "a container of WeakRefs has changed: $changes")
    holds(sent(peer, Any[all, shared])[5][4:5] == [Any["#", number] for number in numbers], "they keep their numbers")
    holds(sent(peer, all[1])[5] == sent(peer, all[1])[5] != sent(peer, all[2])[5], "each WeakRef has a number")
end

# An object in the place of another that was forgotten when nobody had it.
let peer = side(), value = Ref(1)
    number = G.share!(peer, value)
    peer.entries[number].held = G.Weak(nothing)
    G.forget!(peer, number)
    holds(G.number_of(peer, value) == 0, "it is new")
    holds(sent(peer, value)[5][1:2] == Any["w", number - 1], "it has a number of its own")
end

# What a method of the submission throws is no end of the stream.
struct Ending end
Base.IteratorSize(::Type{Ending}) = Base.SizeUnknown()
Base.iterate(::Ending) = throw(EOFError())
let peer = side()
    peer.wants_data = true
    found = try sent(peer, Ending()) catch error error end
    holds(found isa ErrorException && occursin("EOFError", found.msg), "an error while it is written: $found")
end

println("$(FAILED[]) do not hold")
exit(FAILED[] == 0 ? 0 : 1)
