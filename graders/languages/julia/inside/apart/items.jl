# Runs one item, or many that share a process, while the submission runs in another: `julia ... -e SOURCE`, and the same
# with the argument `candidate` for the other process. The protocol is described in graders/languages/item_protocol.py.
# Nothing of the submission is in this process, so a token needs no hiding, and nothing that decides needs to be looked
# at.

function say(text::String)
    flush(stdout)
    flush(stderr)
    write(stderr, text)
    flush(stderr)
end

function read_parts(input::Vector{UInt8})
    parts, io = Pair{String,String}[], IOBuffer(input)
    while !eof(io)
        name, count = split(readline(io), ' ')
        push!(parts, String(name) => String(read(io, parse(Int, count))))
        read(io, UInt8)
    end
    return parts
end

# What Julia says where the boundary ends.
const LIMITS = (
    "cannot define function" => "the tests define a function of which the submission has one of this name",
    "GradeboxApart.Handle" => "an object that stays in its process, such as a task or a channel, has no methods",
    "in the other process has no" => "an object that stays in its process has no fields",
)

function tell_error(@nospecialize(error), frames, name::String)
    text = try
        places = String[]
        for frame in frames
            file = String(frame.file)
            (startswith(file, "<") || startswith(file, WORKSPACE[])) || continue
            place = "  at $(file):$(frame.line)"
            (isempty(places) || places[end] != place) && length(places) < 50 && push!(places, place)
        end
        while error isa LoadError
            push!(places, "  at $(error.file):$(error.line)")
            error = error.error
        end
        join(["$name: $(Base.invokelatest(sprint, showerror, error))"; places], "\n") * "\n"
    catch
        "$name: an error that cannot be printed.\n"
    end
    for (sign, why) in LIMITS
        occursin(sign, text) && report("limit $why")
    end
    say(first(text, 20_000))
end

function run_group(peer::Peer, group::Vector{Pair{String,String}})
    FAILED[] = 0
    for (name, source) in group
        PART[] *= source * "\n"
        try
            include_string(peer.program, source, name)
        catch error
            tell_error(error, stacktrace(catch_backtrace()), name)
            return false
        end
        # Whatever became of the error with which a test says that.
        peer.why == "" || (say("$name: $(peer.why)\n"); return false)
        FAILED[] == 0 || (say("$name: a test failed.\n"); return false)
    end
    return true
end

function packages(expression::Expr)
    found = Symbol[]
    for path in expression.args
        while path isa Expr && path.head in (:(:), :as)
            path = path.args[1]
        end
        path isa Expr && path.head == :. && path.args[1] != :. && push!(found, path.args[1])
    end
    return found
end

function line_of_import(line::String)
    source = occursin(r"^(using|import)\s", line) ? line : "using " * line
    expression = Meta.parse(source; raise = false)
    if expression isa Expr && expression.head in (:using, :import)
        for name in packages(expression)
            name in (:Base, :Core, :Main) || library_package(Main, name) !== nothing && continue
            say("missing import: $name\n")
            report("missing $name")
            ccall(:_exit, Cvoid, (Cint,), 90)
        end
    end
    return "<import>" => source
end

function run_items()
    delete!(task_local_storage(), :SOURCE_PATH)
    parts = read_parts(read(stdin))
    token = parts[1].second
    begin_report(token)
    program = Core.eval(Main, Expr(:module, true, :Program, Expr(:block)))
    peer = begin_grader(program)
    foreach(part -> read_text!(peer.contract, part.second), parts)
    leave = function (status)
        status == 0 && say("The program exited before its end, with status 0.\n")
        ccall(:jl_exit, Cvoid, (Cint,), status == 0 ? 1 : status)
    end
    Core.eval(Base, :(exit(status) = $leave(status)))

    groups, tokens = [Pair{String,String}[]], String[]
    for (name, source) in parts[2:end]
        if name == "import"
            push!(groups[1], line_of_import(source))
        elseif name == "next" || name == "end"
            push!(tokens, source)
            push!(groups, Pair{String,String}[])
        elseif name != "shared"
            shared = !isempty(tokens) && !isempty(tokens[end])
            nth = shared ? (name == "item" ? " $(length(tokens))" : " of item $(length(tokens))") : ""
            push!(groups[end], string("<", name, nth, ">") => source)
        end
    end
    for number in 1:length(groups)
        shared = 1 < number < length(groups)
        passed = Base.invokelatest(run_group, peer, groups[number])
        test = shared || length(groups) == 1 ? join((part.second for part in groups[number]), "\n") : number == 1 ? "" :
            "what happened after the last test"
        passed = Base.invokelatest(end_part!, peer, test, passed)
        passed || shared || ccall(:_exit, Cvoid, (Cint,), 1)
        passed && shared && report("", tokens[number-1])
    end
    flush(stdout)
    flush(stderr)
    report("")
    ccall(:_exit, Cvoid, (Cint,), 0)
end

begin_side() = "candidate" in ARGS ? run_candidate() : isempty(ARGS) ? run_items() : run_tests()
get(task_local_storage(), :gradebox_program, start -> start())(begin_side)

end
