# Runs one item, or many that share a process: `julia --startup-file=no --history-file=no -e SOURCE`. The protocol is
# described in graders/checks/item_protocol.py. Julia 1.5 and newer.
#
# All of this is one function, compiled before any of the candidate's code is loaded. A running function goes on calling
# the methods that it was compiled against, so none that the candidate defines or overwrites takes their place; and its
# variables are in no module. Items are evaluated in a module of their own.

let run = function ()
    write_all = function (descriptor::Cint, bytes::Vector{UInt8})
        position = 0
        while position < length(bytes)
            count = GC.@preserve bytes ccall(
                :write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), descriptor, pointer(bytes) + position, length(bytes) - position
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
    parts = Tuple{String,String}[]
    position = 1
    while position <= length(input)
        line_end = findnext(isequal(UInt8('\n')), input, position)
        name, size = split(String(input[position:line_end-1]))
        last = line_end + parse(Int, size)
        push!(parts, (String(name), String(input[line_end+1:last])))
        position = last + 2
    end
    token = popfirst!(parts)[2]

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

    run_group = function (group)
        for (name, source) in group
            try
                include_string(program, source, name)
            catch error
                tell_error(error, stacktrace(catch_backtrace()), name)
                return false
            end
        end
        return true
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
        return run_group([("<import>", source)])
    end

    groups = [Tuple{String,String}[]]
    tokens = String[]
    for (name, source) in parts
        if name == "import"
            run_import(source) || finish(1)
        elseif name == "next" || name == "end"
            push!(tokens, source)
            push!(groups, Tuple{String,String}[])
        elseif name != "shared"
            shared = !isempty(tokens) && !isempty(tokens[end])
            nth = shared ? (name == "item" ? " $(length(tokens))" : " of item $(length(tokens))") : ""
            push!(groups[end], ("<$name$nth>", source))
        end
    end

    for (number, group) in enumerate(groups)
        shared = 1 < number < length(groups)
        passed = run_group(group)
        passed || shared || finish(1)
        passed && shared && send(tokens[number-1])
    end
    flush_all()
    send(token)
    ccall(:_exit, Cvoid, (Cint,), 0)
end
    run()
end
