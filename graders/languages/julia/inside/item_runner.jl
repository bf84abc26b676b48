# Runs one item, or many that share a process: `julia --startup-file=no --history-file=no -e SOURCE`. The protocol is
# described in graders/languages/item_protocol.py. Julia 1.5 and newer.
#
# All of this is one function, compiled before any of the candidate's code is loaded. A running function goes on calling
# the methods that it was compiled against, so none that the candidate defines or overwrites takes their place; and its
# variables are in no module. Items are evaluated in a module of their own. After one that ended well, the ways in which
# it may have compared are tried on what differs.

module GradeboxItems

# What runs once takes longer to be compiled well than to run.
Base.Experimental.@optlevel 0

import ..GradeboxControls, ..GradeboxEquality

let run = function ()
    write_all = function (descriptor::Cint, bytes::Vector{UInt8})
        position = 0
        while position < length(bytes)
            count = GC.@preserve bytes ccall(
                :write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), descriptor, pointer(bytes) +
                    position, length(bytes) - position
            )
            if count > 0
                position += count
            elseif Base.Libc.errno() in (Base.Libc.EAGAIN, Base.Libc.EINTR)
                # Julia makes its own streams non-blocking.
                ccall(:usleep, Cint, (Cuint,), 1000)
            else
                break
            end
        end
    end
    flush_all = function ()
        try
            flush(stdout)
            flush(stderr)
        catch
        end
        Base.Libc.flush_cstdio()
    end
    finish = function (status)
        flush_all()
        ccall(:_exit, Cvoid, (Cint,), status)
    end
    tell = function (text)
        flush_all()
        write_all(Cint(2), Vector{UInt8}(codeunits(text)))
    end

    input = read(stdin)
    # Names and sources in turn.
    parts = String[]
    at = 1
    while at <= length(input)
        start, size = at, 0
        while input[at] != UInt8(' ')
            at += 1
        end
        push!(parts, GC.@preserve input unsafe_string(pointer(input, start), at - start))
        while (at += 1; input[at] != UInt8('\n'))
            size = 10 * size + Int(input[at]) - Int('0')
        end
        push!(parts, GC.@preserve input unsafe_string(pointer(input, at + 1), size))
        at += size + 2
    end
    token = parts[2]

    # Not for child processes: F_DUPFD_CLOEXEC is 1030 on Linux.
    report = ccall(:fcntl, Cint, (Cint, Cint, Clong), 3, 1030, 100)
    ccall(:close, Cint, (Cint,), 3)
    send = line -> write_all(report, Vector{UInt8}(codeunits(line * "\n")))

    # As the statement `module Program end` makes it, with an `eval` and an `include` of its own.
    program = Core.eval(Main, Expr(:module, true, :Program, Expr(:block)))

    tell_error = function (error, frames, name)
        text = try
            # The frames of items and of files; not those of this function and of Julia's loading, which come below.
            places = String[]
            for frame in frames
                file = String(frame.file)
                (startswith(file, "<") || startswith(file, pwd())) || continue
                place = "  at $(file):$(frame.line)"
                (isempty(places) || places[end] != place) && length(places) < 50 && push!(places, place)
            end
            statement = ""
            while error isa LoadError
                statement = "  at $(error.file):$(error.line)"
                error = error.error
            end
            isempty(places) && !isempty(statement) && push!(places, statement)
            # The candidate's own errors may have their own way of being shown.
            join(["$name: $(Base.invokelatest(sprint, showerror, error))"; places], "\n") * "\n"
        catch
            "$name: an error that cannot be printed.\n"
        end
        tell(text)
    end

    watch = GradeboxEquality.Watch()
    watched = GradeboxControls.watched_by(watch)

    run_group = function (group)
        watch.seen, watch.room, failed = nothing, 10_000, watch.failed
        for index in 1:2:length(group)
            name, source = group[index], group[index+1]
            try
                startswith(name, "<item") ? include_string(watched, program, source, name) :
                    include_string(program, source, name)
            catch error
                tell_error(error, stacktrace(catch_backtrace()), name)
                return false
            end
            # Whatever became of the error with which a test says that.
            watch.failed == failed || (tell("$name: a test failed.\n"); return false)
        end
        return true
    end

    bent = function (group)
        text = ""
        for index in 2:2:length(group)
            text = string(text, group[index])
        end
        is_judges = (file, word) -> startswith(file, "<") && occursin(word, text)
        return GradeboxControls.bent(program, watch, text, is_judges)
    end

    # The names of the packages that a `using` or `import` expression loads.
    packages = function (expression)
        found = Symbol[]
        for path in expression.args
            while path isa Expr && path.head in (:(:), :as)
                path = path.args[1]
            end
            path isa Expr && path.head == :. && path.args[1] != :. && push!(found, path.args[1])
        end
        return found
    end
    is_missing = name -> !(name in (:Base, :Core, :Main)) && Base.identify_package(String(name)) === nothing
    run_import = function (line)
        source = occursin(r"^(using|import)\s", line) ? line : "using " * line
        expression = Meta.parse(source; raise = false)
        if expression isa Expr && expression.head in (:using, :import)
            for name in packages(expression)
                is_missing(name) || continue
                tell("missing import: $name\n")
                send("$token missing $name")
                finish(90)
            end
        end
        return run_group(["<import>", source])
    end

    # Whatever ends the program early says that it failed, or goes out of its way to say something else.
    leave = function (status)
        status == 0 && tell("The program exited before its end, with status 0.\n")
        ccall(:jl_exit, Cvoid, (Cint,), status == 0 ? 1 : status)
    end
    Core.eval(Base, :(exit(status) = $leave(status)))

    groups = [String[]]
    tokens = String[]
    for index in 3:2:length(parts)
        name, source = parts[index], parts[index+1]
        if name == "import"
            run_import(source) || finish(1)
        elseif name == "next" || name == "end"
            push!(tokens, source)
            push!(groups, String[])
        elseif name != "shared"
            shared = !isempty(tokens) && !isempty(tokens[end])
            nth = shared ? (name == "item" ? " $(length(tokens))" : " of item $(length(tokens))") : ""
            push!(groups[end], string("<", name, nth, ">"))
            push!(groups[end], source)
            if watch.tests === nothing && occursin("@test", source)
                tests = Base.require(Base.PkgId(Base.UUID("8dfed614-e22c-5e08-85e1-65c5234f0b40"), "Test"))
                GradeboxEquality.watch_tests(tests, watch)
            end
        end
    end

    for number in 1:length(groups)
        group = groups[number]
        shared = 1 < number < length(groups)
        passed = run_group(group)
        control = passed && (shared || length(groups) == 1) ? bent(group) : ""
        if !isempty(control)
            tell("What must fail passed after the item: $control\n")
            send("$(shared ? tokens[number-1] : token) control $control")
            shared || finish(1)
            continue
        end
        passed || shared || finish(1)
        passed && shared && send(tokens[number-1])
    end
    flush_all()
    send(token)
    ccall(:_exit, Cvoid, (Cint,), 0)
end
    get(task_local_storage(), :gradebox_program, start -> start())(run)
end

end
