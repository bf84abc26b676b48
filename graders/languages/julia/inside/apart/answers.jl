# Items of Julia that are judged apart: what the submission sends during each test, compared with what the reference
# sent. If both sent the same, this process could not tell them apart. The contract has a word for each test at the path
# `#answers`: `TEST DIGEST`, both hashes; the second half of a digest is of texts of exceptions. The page
# docs/explanation/boundary.md says which parts of a message count.

using SHA: SHA256_CTX, digest!, sha256, update!

# As in Python.
const MOST_RECORDED, MOST_SHOWN, MOST_GONE = 6000, 20, 200
const NAME_CHARACTERS, SHOWN_CHARACTERS, HASH_CHARACTERS = 200, 80, 16
# After so many containers, memory is freed. It takes a tenth of a second.
const MOST_ALIVE = 400
const NUMBERED = "lsdBwxc"

mutable struct Answers
    is_exact::Bool
    expected::Dict{String,Set{String}}  # The digests of the reference's answers, by test.
    outcomes::Vector{Pair{String,String}}  # Of each test that passed: "same", "other" or "unknown".
    found::SHA256_CTX
    texts::SHA256_CTX  # Of exceptions.
    parts::Vector{String}  # Which have ended. A part is a test, or what happens before or after the tests.
    counts::Vector{Int}  # How many objects of this side, and of the other, this part has had.
    places::Dict{Int,Tuple{Int,Int}}  # The part that had an object first, and which it was there, by its number.
    gone::Dict{UInt,Any}  # The same by identity, of objects that the candidate has released.
    unseen::Dict{Int,Vector{Any}}  # What came with a module, by number, while no test has it.
    types::Dict{Int,String}
    names::Vector{Any}  # Of the submission, which the tests have not spelled so far: path, name, tree.
    alive::Vector{Any}  # So that no test depends on when memory is freed.
    request::String  # What this side has requested last.
    rewording::Int  # How texts of exceptions are replaced, to find tests that read none: 1, each by another; 2, by one.
    reworded::Int  # How many exceptions had their texts replaced.
    reads_states::Bool  # The tests call `iterate` themselves.
end
Answers() = Answers(false, Dict{String,Set{String}}(), Pair{String,String}[], SHA256_CTX(), SHA256_CTX(), [""], [0, 0],
    Dict{Int,Tuple{Int,Int}}(), Dict{UInt,Any}(), Dict{Int,Vector{Any}}(), Dict{Int,String}(), Any[], Any[], "", 0, 0,
    false)

function expect!(answers::Answers, words, is_exact::Bool)
    answers.is_exact = is_exact
    for word in words
        test, digest = split(word, ' ')
        push!(get!(Set{String}, answers.expected, test), digest)
    end
end

shortened(data::Vector{UInt8}) = first(bytes2hex(data), HASH_CHARACTERS)
const NOTHING = shortened(sha256(""))^2
const LOADED = "what happened before the first test"
# In place of a digest: the test also used what is not compared; it passes with other texts of exceptions.
const LOOKED, REWORDED = "looked", "reworded"

# Add a message, of which parts may be malformed.
function hear!(answers::Answers, tree::Vector{Any})
    io = IOBuffer()
    try
        print(io, tree[1])
        for change in tree[3]
            if haskey(answers.unseen, change[2])
                hide!(answers, change, true)
            elseif answers.request == "showerror" && change[1] == "B"
                # What `showerror` writes is the text of an exception.
                without_texts(answers, change[4:end])
            else
                must_all_be_seen(answers, change)
                put_plain(answers, io, change)
            end
        end
        if tree[1] == "=" && answers.request in ("import", "package")
            hide!(answers, tree[5])
        elseif tree[1] == "=" && answers.request == "iterate" && !answers.reads_states && is_list(tree[5], "t", 3)
            # What is not the item is the submission's own: the state that it gets back.
            must_all_be_seen(answers, tree[5][2])
            put_plain(answers, io, tree[5][2])
            foreach(part -> hide!(answers, part), tree[5][3:end])
        else
            must_all_be_seen(answers, tree[5:end])
            put_all(answers, io, tree[5:end], tree[1] == "!")
        end
    catch error
        print(io, nameof(typeof(error)))
    end
    update!(answers.found, take!(io))
    answers.rewording > 0 && reword!(answers, tree)
end

# What a module has counts when a test has it. What comes under the number of something hidden could stand for it.
function hide!(answers::Answers, @nospecialize(tree), is_change::Bool = false)
    tree isa Vector{Any} || return
    is_change || must_be_seen(answers, tree)
    is_list(tree, NUMBERED, 2) && (answers.unseen[tree[2]] = tree)
    for part in tree
        hide!(answers, part)
    end
end

must_be_seen(answers::Answers, tree::Vector{Any}) =
    must(!is_list(tree, NUMBERED, 2) || !haskey(answers.unseen, tree[2]), "it comes twice")
function must_all_be_seen(answers::Answers, @nospecialize(tree))
    tree isa Vector{Any} || return
    must_be_seen(answers, tree)
    foreach(part -> must_all_be_seen(answers, part), tree)
end

# Write a tree without descriptions, and with numbers that no other test decides. Exceptions lose their texts, which
# honest submissions word differently.
function put_plain(answers::Answers, io::IO, @nospecialize(tree), is_exception::Bool = false)
    if tree isa String
        print(io, '"', sizeof(tree), ':', tree)
    elseif !(tree isa Vector{Any})
        tree isa Dict || print(io, ' ', tree)
    elseif is_list(tree, "o#", 2) && haskey(answers.types, tree[2])
        print(io, answers.types[tree[2]])
    elseif is_list(tree, "o#", 2) && haskey(answers.unseen, tree[2])
        put_plain(answers, io, answers.unseen[tree[2]], is_exception)
    elseif is_list(tree, "c", 4)
        delete!(answers.unseen, tree[2])
        haskey(answers.types, tree[2]) || (answers.types[tree[2]] = type_text(answers, tree))
        print(io, answers.types[tree[2]])
    else
        is_numbered = is_list(tree, "o#$NUMBERED", 2)
        # It may have changed since.
        tree = is_numbered ? pop!(answers.unseen, tree[2], tree) : tree
        print(io, '[', is_numbered ? "$(tree[1])$(place_text(answers, tree[2]))" : "")
        put_all(answers, io, counted(answers, tree, is_numbered ? 3 : 1, is_exception))
        print(io, ']')
    end
    return
end

function put_all(answers::Answers, io::IO, parts::Vector{Any}, is_exception::Bool = false)
    for part in parts
        put_plain(answers, io, part, is_exception)
    end
end

# The parts that count. The name of a function is a description; that of another object is its class.
function counted(answers::Answers, tree::Vector{Any}, start::Int, is_exception::Bool)
    is_list(tree, "x", 5) && return Any[tree[3], tree[3] == "function" ? "" : tree[5]["name"]]
    is_list(tree, "e", 5) && return Any["e", tree[3], without_texts(answers, tree[4])...]
    is_list(tree, "sd", 3) && return in_order(answers, tree)
    is_exception && is_list(tree, "nw", 2) || return tree[start:end]
    return Any[tree[start:end][1:2]; without_texts(answers, tree[start+2:end])]
end
function without_texts(answers::Answers, parts::Vector{Any})
    is_text(part) = part isa String
    foreach(text -> update!(answers.texts, Vector{UInt8}("$(sizeof(text)):$text")), filter(is_text, parts))
    return Any[is_text(part) ? "" : part for part in parts]
end

# A set or a dict has no order: its parts are put by what they are, whatever their numbers.
function in_order(answers::Answers, tree::Vector{Any})
    count = tree[1] == "s" ? 1 : 2
    start = tree[3] == "" ? 4 : 4 + count
    parts = Any[tree[at:at+count-1] for at in start:count:length(tree)]
    texts = String[sprint(put_unnumbered, answers, part[1]) for part in parts]
    return foldl(append!, parts[sortperm(texts)]; init = tree[3:start-1])
end
function put_unnumbered(io::IO, answers::Answers, @nospecialize(tree))
    is_type = is_list(tree, "c", 4) || is_list(tree, "o", 2) && haskey(answers.types, tree[2])
    (is_type || !(tree isa Vector{Any})) && return put_plain(answers, io, tree)
    is_known = is_list(tree, "o#", 2) && haskey(answers.places, tree[2])
    print(io, '[', is_known ? place_text(answers, tree[2]) : "")
    for (at, part) in enumerate(tree)
        at == 2 && is_list(tree, "o#$NUMBERED", 2) || put_unnumbered(io, answers, part)
    end
    print(io, ']')
end

# A type by its name, and by what tests read of it without a message.
function type_text(answers::Answers, tree::Vector{Any})
    io = IOBuffer()
    for key in ("module", "name", "form", "parameters", "fields", "members")
        put_plain(answers, io, tree[4][key])
    end
    put_plain(answers, io, tree[3])
    return String(take!(io))
end

# Which object of this or an earlier part it is. An object of this side has been given its place when it was sent.
function place_text(answers::Answers, number::Int)
    haskey(answers.places, number) || (answers.places[number] = new_place(answers, number))
    part, count = answers.places[number]
    return "$(number > 0 ? '+' : '-')$count$(answers.parts[part])"
end
new_place(answers::Answers, number::Int) = (length(answers.parts), answers.counts[number > 0 ? 1 : 2] += 1)

# An object of this side is sent. The candidate may have released it, so that it has a new number now.
function lent!(answers::Answers, number::Int, @nospecialize(value))
    known, place = pop!(answers.gone, objectid(value), (nothing, (0, 0)))
    is_known = found_in(known) === value && value !== nothing
    answers.places[number] = is_known ? place : new_place(answers, number)
end

function released!(answers::Answers, number::Int, @nospecialize(value))
    delete!(answers.unseen, number)
    place = pop!(answers.places, number, nothing)
    (place === nothing || value === nothing) && return
    length(answers.gone) < MOST_GONE || empty!(answers.gone)
    answers.gone[objectid(value)] = (is_mutable(typeof(value)) ? Weak(value) : value, place)
end

# What the submission has under names that the tests spell. They can read that without a message.
function hear_names!(answers::Answers, text::String)
    answers.reads_states = occursin(r"\biterate\b", text)
    is_spelled((_, name, _)) = occursin(Regex("(?<!\\w)\\Q$name\\E(?!\\w)"), text)
    for (path, _, tree) in filter(is_spelled, answers.names)
        io = IOBuffer()
        print(io, path)
        put_plain(answers, io, tree)
        update!(answers.found, take!(io))
    end
    filter!(!is_spelled, answers.names)
end

# The tests use what the submission has, and what it does not decide.
hear_use!(answers::Answers, name::Symbol) = update!(answers.found, Vector{UInt8}(codeunits("use $name;")))

# End a part; return why it fails nevertheless, "" if it does not.
function end_part!(answers::Answers, contract::Contract, test::String, passed::Bool, has_looked::Bool)
    part, digest = shortened(sha256(test)), shortened(digest!(answers.found)) * shortened(digest!(answers.texts))
    push!(answers.parts, part)
    answers.found, answers.texts, answers.counts = SHA256_CTX(), SHA256_CTX(), [0, 0]
    answers.reworded += answers.reworded % 2
    if contract.record
        words = get!(Set{String}, contract.noted, "#answers")
        length(words) < MOST_RECORDED && push!(words, "$part $(has_looked ? LOOKED : digest)")
        has_texts = !endswith(digest, last(NOTHING, HASH_CHARACTERS))
        answers.rewording > 0 && passed && test != "" && has_texts && push!(words, "$part $REWORDED")
    end
    expected = get(answers.expected, part, Set{String}())
    (isempty(answers.expected) || all(==(NOTHING), expected) && digest == NOTHING || !passed) && return ""
    # Other texts of exceptions decide a test only if it reads them.
    is_reworded = REWORDED in expected
    runs = setdiff(expected, (REWORDED,))
    is_close = any(startswith(first(digest, HASH_CHARACTERS)), runs)
    is_unrecorded = isempty(expected) && length(answers.expected) >= MOST_RECORDED
    is_same = digest in runs && length(runs) == 1 || is_close && is_reworded
    is_unknown = length(runs) > 1 || LOOKED in runs || is_unrecorded || is_close && !answers.is_exact
    # What was unknown before the first test counts for all.
    is_sure = is_same && !any(==(LOADED => "unknown"), answers.outcomes)
    outcome = is_sure ? "same" : is_same || is_unknown ? "unknown" : "other"
    name = isempty(test) ? LOADED : test
    if answers.is_exact && outcome != "same"
        outcome == "other" && return "the reference gave other answers in this test (`contract: exact`)"
        why = !is_unknown ? "it shares others that cannot be compared" :
            LOOKED in runs ? "it also uses files, programs, connections or the state of its own process" :
            is_unrecorded ? "a run has at most $MOST_RECORDED parts with answers" :
            "the reference gives others in each run"
        # The last line of an item says most about it.
        name = first(last(split(strip(name), '\n')), SHOWN_CHARACTERS)
        what = "`contract: exact` cannot compare the answers of $name: $why"
        report("limit $what")
        return sprint(showerror, Limit(what))
    end
    isempty(test) && outcome == "same" || push!(answers.outcomes, first(name, NAME_CHARACTERS) => outcome)
    return ""
end

# What the host is told, if the reference's answers are known.
function report_answers(answers::Answers)
    isempty(answers.expected) && return
    io = IOBuffer()
    for outcome in ("same", "other", "unknown")
        found = count(pair -> pair.second == outcome, answers.outcomes)
        print(io, io.size == 0 ? "{" : ",", '"', outcome, "\":", found)
    end
    print(io, ",\"tests\":[")
    others = filter(pair -> pair.second == "other", answers.outcomes)
    for (at, pair) in enumerate(others[1:min(end, MOST_SHOWN)])
        at == 1 || print(io, ',')
        put_text(io, pair.first)
    end
    print(io, "]}")
    report("answers $(String(take!(io)))")
end
