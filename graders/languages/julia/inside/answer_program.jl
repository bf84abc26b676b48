# The process in which an answer runs: `julia -e SOURCE`, SOURCE being younger_base.jl, equality.jl, controls.jl and
# this file, a child of answer_runner.jl. Julia 1.5 and newer.
#
# Stdin is a sequence of parts, each a line `NAME LENGTH`, LENGTH bytes, a newline: `secret`, `import`*, `begin`,
# `code`, then `item`*. `begin`, `code` and each `item` are answered on stdout by a line that begins with the secret:
# `SECRET ok`, or what went wrong: `import`, `syntax` or `error`, and a sentence. What the answer prints goes to stderr,
# and its stdin is empty.
#
# All of this is one function, compiled before any of the answer is loaded: no method that the answer defines or
# overwrites takes the place of those that it calls, and its variables are in no module.

let serve = function ()
    here = @__MODULE__
    GradeboxEquality, GradeboxControls = getfield(here, :GradeboxEquality), getfield(here, :GradeboxControls)
    # F_DUPFD_CLOEXEC is 1030 on Linux, F_SETFD 2: children of the answer get neither this channel nor any other.
    channel = ccall(:fcntl, Cint, (Cint, Cint, Clong), 1, 1030, 100)
    for descriptor in 3:99
        ccall(:fcntl, Cint, (Cint, Cint, Clong), descriptor, 2, 1)
    end
    parts = stdin
    redirect_stdin(open("/dev/null"))
    redirect_stdout(stderr)

    receive = function ()
        header = split(readline(parts))
        length(header) == 2 || ccall(:_exit, Cvoid, (Cint,), 0)
        content = String(read(parts, parse(Int, header[2])))
        read(parts, 1)
        return String(header[1]), content
    end
    secret = receive()[2]
    reply = function (status, sentence = "")
        try
            flush(stderr)
        catch
        end
        Base.Libc.flush_cstdio()
        line = Vector{UInt8}(codeunits("$secret $status $sentence\n"))
        # One line is less than a pipe takes at once.
        ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), channel, line, length(line))
    end
    # The error in one line, and all of it on stderr. The answer's own errors may have their own way of being shown.
    described = function (error, frames, file)
        text = try
            String(Base.invokelatest(sprint, showerror, error))
        catch
            "an error that cannot be printed"
        end
        places = [" at line $(frame.line)" for frame in frames if String(frame.file) == file]
        print(stderr, text, isempty(places) ? "" : places[1], "\n")
        return first(join(split(text), ' '), 300)
    end
    is_syntax = error -> error isa Meta.ParseError || (error isa ErrorException && startswith(error.msg, "syntax:"))

    program = Core.eval(Main, Meta.parse("module Answer end"))
    Core.eval(program, :(using Test))
    tests = Core.eval(program, :Test)
    name, content = receive()
    while name == "import"
        try
            Core.eval(program, Meta.parse(occursin(r"^(using|import)\s", content) ? content : "using " * content))
        catch error
            reply("import", described(error, [], "import"))
            ccall(:_exit, Cvoid, (Cint,), 1)
        end
        name, content = receive()
    end
    reply("ok")

    watch = GradeboxEquality.Watch()
    GradeboxEquality.watch_tests(tests, watch)
    watched = GradeboxControls.watched_by(watch)
    # What an item can be sure of after what the answer has defined, "" where that is so.
    bent = function (content)
        is_judges = (file, word) -> file == "item" && occursin(word, content)
        what = GradeboxControls.bent(program, watch, content, is_judges)
        return isempty(what) ? "" : "what must fail passed: $what"
    end

    # As `include_string` does it, which is younger than 1.5 in this form, and the tests of the answer's own taken out.
    is_test = (expression, macro_name) ->
        expression isa Expr && expression.head == :macrocall && !isempty(expression.args) &&
            expression.args[1] == macro_name
    without = function (expression, macro_name, again)
        is_test(expression, macro_name) && return Expr(:block)
        expression isa Expr || return expression
        filter!(part -> !is_test(part, macro_name), expression.args)
        foreach(part -> again(part, macro_name, again), expression.args)
        return expression
    end
    run_source = function (source, file, own)
        parse = isdefined(Meta, :parseall) ? Meta.parseall : Base.parse_input_line
        parsed = parse(source; filename = file)
        statements = parsed isa Expr && parsed.head == :toplevel ? parsed.args : Any[parsed]
        place = LineNumberNode(1, Symbol(file))
        for statement in statements
            if statement isa LineNumberNode
                place = statement
                continue
            end
            if own
                for macro_name in (Symbol("@testset"), Symbol("@test"), Symbol("@test_throws"))
                    statement = without(statement, macro_name, without)
                end
            else
                statement = watched(statement)
            end
            Core.eval(program, Expr(:toplevel, place, statement))
        end
    end
    while true
        name, content = receive()
        file = name == "code" ? "answer" : "item"
        status, sentence = "ok", ""
        watch.seen, watch.room, failed = nothing, 10_000, watch.failed
        try
            run_source(content, file, name == "code")
            # Whatever became of the error with which a test says that it failed.
            sentence = name == "code" ? "" : watch.failed == failed ? bent(content) : "a test failed"
            isempty(sentence) || (status = "error")
        catch error
            status = is_syntax(error) ? "syntax" : "error"
            sentence = described(error, stacktrace(catch_backtrace()), file)
        end
        reply(status, sentence)
    end
end
    get(task_local_storage(), :gradebox_program, start -> start())(serve)
end
