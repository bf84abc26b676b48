# Runs one item, or many that share a process: `julia --startup-file=no --history-file=no -e SOURCE`. The protocol is
# described in graders/checks/item_protocol.py. Julia 1.5 and newer.
#
# All of this is one function, compiled before any of the candidate's code is loaded. A running function goes on calling
# the methods that it was compiled against, so none that the candidate defines or overwrites takes their place; and its
# variables are in no module. Items are evaluated in a module of their own. After one that ended well, the ways in which it
# may have compared are tried on what differs.

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

    # Both sides of an item's own `@assert a == b` and `a == b || ...` are noted, for something that equals everything.
    seen = Any[]
    note = value -> (push!(seen, value); value)
    noted = function (comparison)
        comparison isa Expr && comparison.head == :call && length(comparison.args) == 3 || return comparison
        name, left, right = comparison.args
        name in (:(==), :isequal, :≈, :isapprox) || return comparison
        any(side -> side isa Expr && side.head in (:..., :kw, :parameters), (left, right)) && return comparison
        return Expr(:call, name, Expr(:call, note, left), Expr(:call, note, right))
    end
    watched = function (expression)
        expression isa Expr || return expression
        if expression.head == :|| && length(expression.args) == 2
            return Expr(:||, noted(expression.args[1]), expression.args[2])
        elseif expression.head == :macrocall && expression.args[1] == Symbol("@assert") && length(expression.args) == 3
            # With the text that it would have by itself.
            return Expr(:macrocall, expression.args[1:2]..., noted(expression.args[3]), string(expression.args[3]))
        end
        return expression
    end

    run_group = function (group)
        empty!(seen)
        for (name, source) in group
            try
                startswith(name, "<item") ? include_string(watched, program, source, name) : include_string(program, source, name)
            catch error
                tell_error(error, stacktrace(catch_backtrace()), name)
                return false
            end
        end
        return true
    end

    # What the items' own module knows by these names must tell these apart, or throw; and for these types only Julia
    # itself defines methods. Return the first thing that does not hold, or "".
    pairs = Any[
        Any[1, 2], Any[1.0, 2.0], Any[true, false], Any["a", "b"], Any[:a, :b], Any[[1], [2]], Any[[1.0], [2.0]], Any[["a"], ["b"]],
    ]
    is_own = function (owner)
        while owner !== program && owner !== parentmodule(owner)
            owner = parentmodule(owner)
        end
        return owner === program
    end
    test_package = Base.PkgId(Base.UUID("8dfed614-e22c-5e08-85e1-65c5234f0b40"), "Test")
    # To ask for a name settles what it is, and a later item may still have its own; before, it is Julia's.
    is_settled = name -> !isdefined(Base, :isbindingresolved) || Base.isbindingresolved(program, name)
    known = name -> getfield(is_settled(name) ? program : Base, name)
    bent = function (group)
        text = ""
        for (_, source) in group
            text *= source
        end
        for name in [:(==), :isequal, :(===), :isapprox, :(!=)], pair in pairs
            left, right = pair[1], pair[2]
            name == :isapprox && !(left isa Float64) && continue
            compare = known(name)
            # Julia's own is not called, which would have to be compiled for every type.
            says = try
                compare === getfield(Base, name) ? nothing : Base.invokelatest(compare, left, right)
            catch
                nothing
            end
            says === (name != :(!=)) && return "$name($(repr(left)), $(repr(right)))"
            method = try
                which(getfield(Base, name), Tuple{typeof(left),typeof(right)})
            catch
                continue
            end
            Base.moduleroot(method.module) in (Base, Core) || return "a method of $name for $(typeof(left))"
        end
        for value in seen, equal in (==, isequal)
            is_own(parentmodule(typeof(value))) || continue
            # Of a type that nobody knows.
            stranger = Core.eval(Module(), :(struct Stranger end; Stranger()))
            says = try
                Base.invokelatest(equal, value, stranger)
            catch
                nothing
            end
            says === true && return "$(typeof(value)) equals everything"
        end
        for name in [:error, :throw]
            argument = name == :error ? "control" : ErrorException("control")
            occursin(String(name), text) || continue
            threw = try
                Base.invokelatest(known(name), argument)
                false
            catch
                true
            end
            threw || return "$name($(repr(argument)))"
        end
        # Nobody else's `@assert` and `@test` are what an item means by them.
        tests = get(Base.loaded_modules, test_package, nothing)
        for name in ["@assert", "@test", "@test_throws"]
            owner = name == "@assert" ? Base : tests
            occursin(name, text) && owner !== nothing && is_settled(Symbol(name)) || continue
            isdefined(program, Symbol(name)) || continue
            getfield(program, Symbol(name)) === getfield(owner, Symbol(name)) || return name
        end
        if occursin("@test", text) && tests !== nothing
            set, failure = getfield(tests, :FallbackTestSet), getfield(tests, :Fail)
            for (name, types) in ((:record, Tuple{set,failure}), (:do_test, Tuple{getfield(tests, :Returned),Expr}))
                method = try
                    which(getfield(tests, name), types)
                catch
                    continue
                end
                Base.moduleroot(method.module) === tests || return "a method of Test.$name"
            end
        end
        return ""
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
    run()
end
