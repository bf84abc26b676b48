# Items of Julia that are judged apart: messages are trees of JSON, which Julia's standard library has not. A reader
# takes nothing that is not JSON (RFC 8259), and no integer that a float of 64 bits does not hold.

module GradeboxApart

Base.Experimental.@optlevel 0

struct Malformed <: Exception
    why::String
end
must(holds::Bool, why::String) = holds || throw(Malformed(why))

const SAFE = 1 << 53

mutable struct Reader
    data::Vector{UInt8}
    at::Int
    parts::Int
end

# The tree that a text of JSON says: `nothing`, Bool, Int, Float64, String, Vector{Any}, Dict{String,Any}.
function read_json(data::Vector{UInt8}, parts::Int, depth::Int)
    must(isvalid(String, data), "it is not UTF-8")
    reader = Reader(data, 1, parts)
    tree = read_value(reader, depth)
    must(next(reader) == 0x00 && reader.at > length(data), "something follows its end")
    return tree
end

peek(reader::Reader) = reader.at <= length(reader.data) ? reader.data[reader.at] : 0x00

function next(reader::Reader)
    while peek(reader) in (0x20, 0x0a, 0x0d, 0x09)
        reader.at += 1
    end
    return peek(reader)
end

function read_value(reader::Reader, depth::Int)
    must((reader.parts -= 1) >= 0, "it has too many parts")
    byte = next(reader)
    byte == UInt8('"') && return read_text(reader)
    byte == UInt8('-') || 0x30 <= byte <= 0x39 ? (return read_number(reader)) : nothing
    if byte == UInt8('[') || byte == UInt8('{')
        must(depth > 0, "it is nested too deeply")
        reader.at += 1
        return byte == UInt8('[') ? read_list(reader, depth - 1) : read_object(reader, depth - 1)
    end
    for (word, value) in (("null", nothing), ("true", true), ("false", false))
        found = view(reader.data, reader.at:min(reader.at + sizeof(word) - 1, length(reader.data)))
        found == codeunits(word) && (reader.at += sizeof(word); return value)
    end
    throw(Malformed("it is not JSON"))
end

function ends(reader::Reader, last::Char)
    byte = next(reader)
    must(byte == UInt8(',') || byte == UInt8(last), "a list has no end")
    reader.at += 1
    return byte != UInt8(',')
end

function read_list(reader::Reader, depth::Int)
    list = Any[]
    next(reader) == UInt8(']') && (reader.at += 1; return list)
    while true
        push!(list, read_value(reader, depth))
        ends(reader, ']') && return list
    end
end

function read_object(reader::Reader, depth::Int)
    found = Dict{String,Any}()
    next(reader) == UInt8('}') && (reader.at += 1; return found)
    while true
        must(next(reader) == UInt8('"'), "a key is not text")
        key = read_text(reader)
        must(!haskey(found, key) && next(reader) == UInt8(':'), "a key is not one")
        reader.at += 1
        found[key] = read_value(reader, depth)
        ends(reader, '}') && return found
    end
end

function read_text(reader::Reader)
    start = reader.at += 1
    while peek(reader) >= 0x20 && peek(reader) != UInt8('"') && peek(reader) != UInt8('\\')
        reader.at += 1
    end
    text = String(reader.data[start:reader.at-1])
    peek(reader) == UInt8('"') && (reader.at += 1; return text)
    io = IOBuffer()
    print(io, text)
    while true
        byte = peek(reader)
        must(byte >= 0x20, "a text has no end")
        reader.at += 1
        byte == UInt8('"') && return String(take!(io))
        byte == UInt8('\\') ? print(io, read_escape(reader)) : write(io, byte)
    end
end

function read_escape(reader::Reader)
    byte = peek(reader)
    reader.at += 1
    at = findfirst(isequal(Char(byte)), "\"\\/bfnrt")
    at === nothing || return "\"\\/\b\f\n\r\t"[at]
    must(byte == UInt8('u'), "it is not an escape")
    code = read_digits(reader)
    if 0xd800 <= code < 0xdc00 && peek(reader) == UInt8('\\')
        must(get(reader.data, reader.at + 1, 0x00) == UInt8('u'), "half a surrogate pair")
        reader.at += 2
        low = read_digits(reader)
        must(0xdc00 <= low < 0xe000, "half a surrogate pair")
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
    end
    must(!(0xd800 <= code < 0xe000), "half a surrogate pair")
    return Char(code)
end

function read_digits(reader::Reader)
    must(reader.at + 3 <= length(reader.data), "it is not an escape")
    text = String(reader.data[reader.at:reader.at+3])
    must(all(isxdigit, text), "it is not an escape")
    reader.at += 4
    return parse(UInt32, text; base = 16)
end

function read_number(reader::Reader)
    start = reader.at
    while peek(reader) in codeunits("0123456789+-.eE")
        reader.at += 1
    end
    text = String(reader.data[start:reader.at-1])
    must(occursin(r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$", text), "it is not a number")
    if occursin(r"[.eE]", text)
        float = parse(Float64, text)
        must(isfinite(float), "no float holds it")
        return float
    end
    must(sizeof(text) <= 17 && -SAFE < parse(Int, text) < SAFE, "an integer is too large")
    return parse(Int, text)
end

function put_text(io::IOBuffer, text::AbstractString)
    write(io, '"')
    if any(byte -> byte < 0x20 || byte == UInt8('"') || byte == UInt8('\\'), codeunits(text))
        for char in text
            char < ' ' ? print(io, "\\u", string(UInt32(char); base = 16, pad = 4)) :
                print(io, char == '"' || char == '\\' ? "\\" : "", char)
        end
    else
        write(io, text)
    end
    write(io, '"')
end
