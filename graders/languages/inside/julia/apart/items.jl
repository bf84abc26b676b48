# Runs one item, or many that share a process, while the submission runs in another: `julia ... -e SOURCE`, and the same with
# the argument `candidate` for the other process. The protocol is described in graders/languages/item_protocol.py. Nothing of
# the submission is in this process, so a token needs no hiding, and nothing that decides needs to be looked at.

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
    say(first(text, 20_000))
end

function run_group(peer::Peer, group::Vector{Pair{String,String}})
    FAILED[] = 0
    for (name, source) in group
        try
            include_string(expression -> loading(peer, expression), peer.program, source, name)
        catch error
            tell_error(error, stacktrace(catch_backtrace()), name)
            return false
        end
        # Whatever became of the error with which a test says that.
        peer.is_lost && (say("$name: $(peer.why)\n"); return false)
        FAILED[] == 0 || (say("$name: a test failed.\n"); return false)
    end
    return true
end

const FAILED = Ref(0)

# A failure that a set of tests recorded fails the item, whatever becomes of its error.
function watch(tests::Module)
    for kind in (:DefaultTestSet, :FallbackTestSet), result in (:Fail, :Error)
        Core.eval(tests, quote
            function record(set::$kind, result::$result)
                $FAILED[] += 1
                invoke(record, Tuple{$kind,Union{Fail,Error}}, set, result)
            end
        end)
    end
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

function imported(line::String, report::IO, token::String)
    source = occursin(r"^(using|import)\s", line) ? line : "using " * line
    expression = Meta.parse(source; raise = false)
    if expression isa Expr && expression.head in (:using, :import)
        for name in packages(expression)
            name in (:Base, :Core, :Main) || Base.identify_package(String(name)) !== nothing && continue
            say("missing import: $name\n")
            write(report, "$token missing $name\n")
            flush(report)
            ccall(:_exit, Cvoid, (Cint,), 90)
        end
    end
    return "<import>" => source
end

function run_items()
    delete!(task_local_storage(), :SOURCE_PATH)
    parts = read_parts(read(stdin))
    token = parts[1].second
    # Not for child processes: F_DUPFD_CLOEXEC is 1030 on Linux.
    descriptor = ccall(:fcntl, Cint, (Cint, Cint, Clong), 3, 1030, 100)
    ccall(:close, Cint, (Cint,), 3)
    report = Base.fdio(descriptor, true)
    program = Core.eval(Main, Expr(:module, true, :Program, Expr(:block)))
    peer = PEER[] = Peer(true, devnull, devnull, program)
    WORKSPACE[] = pwd()
    peer.text = join([part.second for part in parts], "\n")
    Core.eval(program, :(include(path::AbstractString) = $load($peer, path)))
    Core.eval(Base, quote
        include(owner::Module, path::AbstractString) = $load($peer, path, owner)
        include(transform::Function, owner::Module, path::AbstractString) = $load($peer, path, owner, transform)
        require(owner::Module, name::Symbol) = $require_installed(owner, name)
    end)
    leave = function (status)
        status == 0 && say("The program exited before its end, with status 0.\n")
        ccall(:jl_exit, Cvoid, (Cint,), status == 0 ? 1 : status)
    end
    Core.eval(Base, :(exit(status) = $leave(status)))
    occursin("@test", peer.text) && watch(Base.require(Base.PkgId(Base.UUID("8dfed614-e22c-5e08-85e1-65c5234f0b40"), "Test")))

    groups, tokens = [Pair{String,String}[]], String[]
    for (name, source) in parts[2:end]
        if name == "import"
            push!(groups[1], imported(source, report, token))
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
        passed || shared || ccall(:_exit, Cvoid, (Cint,), 1)
        passed && shared && (write(report, tokens[number-1], "\n"); flush(report))
    end
    flush(stdout)
    flush(stderr)
    write(report, token, "\n")
    flush(report)
    ccall(:_exit, Cvoid, (Cint,), 0)
end

begin_side() = "candidate" in ARGS ? run_candidate() : run_items()
get(task_local_storage(), :gradebox_program, start -> start())(begin_side)

end
