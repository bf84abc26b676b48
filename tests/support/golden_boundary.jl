# Runs the golden vectors of the boundary through the reader and the writer of Julia: `julia golden_boundary.jl APART
# BOUNDARY VECTORS`, where APART has the sources. It says what does not hold.

const APART, TABLE, VECTORS = ARGS
const BOUNDARY = read(TABLE, String)
task_local_storage(() -> include_string(Main, read(APART, String), "apart"), :gradebox_program, start -> nothing)
using Dates
const G = GradeboxApart

peer(is_grader) = G.Peer(is_grader, devnull, devnull, Module(:Program))
wrong(vector, why) = (println("$(get(vector, "is", get(vector, "why", ""))): $why"); FAILED[] += 1)
const FAILED, RAN = Ref(0), Ref(0)

function written(value)
    io = IOBuffer()
    G.encode(peer(false), io, value)
    return take!(io)
end

function arrived(data)
    grader = peer(true)
    value = G.decode(grader, G.read_json(data, G.TABLE.parts, G.TABLE.depth + 5))
    G.settle!(grader, grader.fresh)
    return value
end

same(one, other) = typeof(one) === typeof(other) && isequal(one, other)
same(one::Vector{Any}, other::Vector{Any}) = length(one) == length(other) && all(same(pair...) for pair in zip(one, other))

function data_of(malformed)
    malformed isa String && return UInt8[UInt8(char) for char in malformed]
    malformed isa Dict && haskey(malformed, "text") || return json(malformed)
    return reduce(vcat, [repeat(UInt8[UInt8(char) for char in text], count) for (text, count) in malformed["text"]])
end

function json(tree)
    io = IOBuffer()
    put(part::Nothing) = print(io, "null")
    put(part::String) = G.put_text(io, part)
    put(part) = print(io, part)
    put(part::Vector) = (print(io, "["); foreach(at -> (at > 1 && print(io, ","); put(part[at])), 1:length(part)); print(io, "]"))
    put(part::Dict) = (print(io, "{"); foreach(((at, pair),) -> (at > 1 && print(io, ","); put(pair.first); print(io, ":"); put(pair.second)), enumerate(part)); print(io, "}"))
    put(tree)
    return take!(io)
end

function check(vector)
    RAN[] += 1
    if haskey(vector, "malformed")
        value = try
            arrived(data_of(vector["malformed"]))
        catch
            return
        end
        return wrong(vector, "it came to be $(repr(value))")
    end
    value = include_string(Main, vector["julia"])
    tree = vector["tree"]
    text = written(value)
    same(G.read_json(copy(text), 100_000, 200), tree) || wrong(vector, "it is written $(String(copy(text)))")
    found = arrived(json(tree))
    written(found) == text || wrong(vector, "it came to be $(repr(found))")
    typeof(found) === typeof(value) || value isa AbstractRange || wrong(vector, "it came to be a $(typeof(found))")
end

G.read_table()
union!(G.LIBRARY, filter(place -> place !== Main, collect(values(Base.loaded_modules))))
for line in eachline(VECTORS)
    # What Julia's strict reader does not take is in vectors of other languages.
    occursin(r"^\{\"languages\": \[[^\]]*\"julia\"", line) || continue
    vector = G.read_json(Vector{UInt8}(codeunits(line)), 100_000, 200)
    try
        check(vector)
    catch error
        wrong(vector, sprint(showerror, error))
    end
end
println("$(RAN[]) vectors, $(FAILED[]) failed")
exit(FAILED[] == 0 && RAN[] > 200 ? 0 : 1)
