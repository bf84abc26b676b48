# Calls functions of a file, and writes what they return as data: `julia -e SOURCE FIRST`. Julia 1.5 and newer.
# inside/calls.sh says what the descriptors are. This is the candidate's process. What comes of a call is a
# line (graders/checks/calls).

module GradeboxCalls

using Base64: base64encode

const REPLY_BYTES = 1 << 20
const TEXT_CHARACTERS = 2000
const SAFE = 1 << 53
const CONTAINERS = Ref(0)

struct NoData <: Exception
    what::String
end

function put_valid(io, text)
    print(io, '"')
    for char in text
        if char < ' ' || !isvalid(char)
            print(io, "\\u", isvalid(char) ? string(UInt32(char); base = 16, pad = 4) : "fffd")
        else
            print(io, char == '"' || char == '\\' ? "\\" : "", char)
        end
    end
    print(io, '"')
end
container(tag) = "\"$tag\",$(CONTAINERS[] -= 1),\"\""
flat(pairs) = (part for pair in pairs for part in pair)

# A value as a tree of the common format, without what is Julia's alone.
function put_value(io, value)
    io.size > REPLY_BYTES && throw(NoData("a value of more than $(REPLY_BYTES >> 20) MiB"))
    list(head, parts) = (print(io, "[", head); foreach(part -> (print(io, ","); put_value(io, part)),
        parts); print(io, "]"))
    if value === nothing || value === missing
        print(io, "null")
    elseif value isa Integer
        value isa Bool || -SAFE < value < SAFE ? print(io, value) :
            print(io, "[\"i\",\"", string(big(value); base = 16), "\"]")
    elseif value isa AbstractFloat
        is_plain = isfinite(value) && !(iszero(value) && signbit(value))
        word = isnan(value) ? "nan" : iszero(value) ? "-0" : value > 0 ? "inf" : "-inf"
        is_plain ? print(io, Float64(value)) : print(io, "[\"f\",\"", word, "\"]")
    elseif value isa Rational
        list("\"v\",\"Rational\"", (numerator(value), denominator(value)))
    elseif value isa Complex
        list("\"v\",\"Complex\"", (Float64(real(value)), Float64(imag(value))))
    elseif value isa Union{AbstractString,AbstractChar,Symbol}
        put_valid(io, string(value))
    elseif value isa Union{Tuple,Pair}
        list("\"t\"", value)
    elseif value isa Union{AbstractDict,NamedTuple}
        list(container("d"), flat(value isa NamedTuple ? pairs(value) : value))
    elseif value isa AbstractVector{UInt8}
        print(io, "[\"b\",\"", base64encode(Vector{UInt8}(value)), "\"]")
    elseif value isa Union{AbstractSet,AbstractVector,AbstractMatrix}
        list(container(value isa AbstractSet ? "s" : "l"), value isa AbstractMatrix ? collect(eachrow(value)) : value)
    else
        kind = typeof(value)
        (value isa Union{Function,Type,Module,IO,Task} || fieldcount(kind) == 0) && throw(NoData("a $(nameof(kind))"))
        list("\"O\",\"$(nameof(kind))\"", flat(string(name) => getfield(value, name) for name in fieldnames(kind)))
    end
    return
end

# The names of the types of what was raised, and its text.
function raised(error)
    error isa LoadError && return raised(error.error)
    names, kind = String[], typeof(error)
    while kind !== Any
        push!(names, string(nameof(kind)))
        kind = supertype(kind)
    end
    text = try
        Base.invokelatest(sprint, showerror, error)
    catch
        ""
    end
    return names, first(text, TEXT_CHARACTERS)
end

function came_of(space, number, line)
    name, args, named = split(line, '\t')
    called = space
    for part in split(name, '.')
        called isa Module && isdefined(called, Symbol(part)) ||
            return "$number was not made: there is no function $name"
        called = getfield(called, Symbol(part))
    end
    positional, keywords = Core.eval(Main, Meta.parse(args)), Core.eval(Main, Meta.parse(named))
    io = IOBuffer()
    value = try
        Base.invokelatest(called, positional...; keywords...)
    catch error
        names, text = raised(error)
        print(io, "[\"!\",", number, ",[\"", join(names, "\",\""), "\"],")
        put_valid(io, text)
        print(io, "]")
        return String(take!(io))
    end
    try
        print(io, "[\"=\",", number, ",")
        Base.invokelatest(put_value, io, value)
        print(io, "]")
        io.size > REPLY_BYTES && throw(NoData("a value of more than $(REPLY_BYTES >> 20) MiB"))
        return String(take!(io))
    catch error
        return "$number did not return data: $(error isa NoData ? error.what : nameof(typeof(error)))"
    end
end

function send(descriptor, text)
    bytes = Vector{UInt8}(codeunits(text))
    done = 0
    while done < length(bytes)
        wrote = GC.@preserve bytes ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), descriptor,
            pointer(bytes, done + 1), length(bytes) - done)
        wrote > 0 || ccall(:_exit, Cvoid, (Cint,), 1)
        done += wrote
    end
end

function serve()
    # F_SETFD is 2, FD_CLOEXEC 1.
    foreach(descriptor -> ccall(:fcntl, Cint, (Cint, Cint, Clong), descriptor, 2, 1), (3, 4))
    lines = fdio(3)
    from = readline(lines)
    problem, space = "", Module(:Candidate)
    try
        Core.eval(space, :(eval(expression) = Core.eval($space, expression)))
        Core.eval(space, :(include(path) = Base.include($space, path)))
        Base.include(space, abspath(from))
    catch error
        names, text = raised(error)
        problem = "was not made: its file cannot be loaded: $(names[1]): $(replace(text, r"\s+" => " "))"
    end
    number = parse(Int, ARGS[end])
    # The line of a call is there when the one before is answered.
    while (line = readline(lines)) != ""
        said = isempty(problem) ? came_of(space, number, line) : "$number $problem"
        flush(stdout)
        send(4, "$said\n")
        number += 1
    end
    ccall(:_exit, Cvoid, (Cint,), 0)
end

end

get(task_local_storage(), :gradebox_program, start -> start())(GradeboxCalls.serve)
