# Runs a file of tests and tells whether it came to its end: `julia FLAGS -e SOURCE FILE ARGUMENTS`. The protocol is
# described in graders/runners/adapter.py. Julia 1.5 and newer.
#
# The file is included in Main, as `julia FILE` does it. All that decides is one function, compiled before any of the
# candidate's code is loaded: no method that it defines or overwrites takes the place of those that are called here, and
# what is kept here is in no module. Julia's own exit follows, with all that was registered for it: it can only make a
# good status a bad one, for a bad one comes without the token.
#
# A test set of our own lies below those of the file and counts what they hold. Test sets that end up in it are finished
# once more as if nothing lay below, so that they print and throw what they always do.

module GradeboxTests

using Test

struct Counter <: Test.AbstractTestSet
    ran::Base.RefValue{Int}
    failed::Base.RefValue{Int}
end
# A test set without a type is of the type of the one below it.
Counter(description; options...) = Test.DefaultTestSet(description; options...)

const STACK = :__BASETESTNEXT__
# Where the stack is not the task's, nothing is counted.
const IS_COUNTED = isdefined(Test, :push_testset) && !isdefined(Test, :CURRENT_TESTSET)

function without_stack(action)
    stack = get(task_local_storage(), STACK, Test.AbstractTestSet[])
    task_local_storage(STACK, Test.AbstractTestSet[])
    try
        return action()
    finally
        task_local_storage(STACK, stack)
    end
end

function count_results!(counter::Counter, set)
    if !(set isa Test.DefaultTestSet)
        counter.ran[] += 1
        return
    end
    counter.ran[] += set.n_passed
    for result in set.results
        if result isa Test.AbstractTestSet
            count_results!(counter, result)
        elseif result isa Union{Test.Fail,Test.Error}
            counter.ran[] += 1
            counter.failed[] += 1
        end
    end
end

function Test.record(counter::Counter, set::Test.AbstractTestSet)
    count_results!(counter, set)
    without_stack(() -> Test.finish(set))
    return set
end

function Test.record(counter::Counter, result::Test.Result)
    counter.ran[] += !(result isa Test.Broken)
    counter.failed[] += result isa Union{Test.Fail,Test.Error}
    return without_stack(() -> Test.record(Test.get_testset(), result))
end

Test.finish(counter::Counter) = counter

end

let serve = function ()
    here = @__MODULE__
    GradeboxTests, GradeboxEquality = getfield(here, :GradeboxTests), getfield(here, :GradeboxEquality)
    Test = GradeboxTests.Test
    byte = Ref{UInt8}(0)
    digits = UInt8[]
    while true
        count = ccall(:read, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), 0, byte, 1)
        if count == 1
            byte[] == UInt8('\n') && break
            push!(digits, byte[])
        elseif count == 0 || !(Base.Libc.errno() in (Base.Libc.EAGAIN, Base.Libc.EINTR))
            break
        end
    end
    token = String(digits)
    # Not for child processes: F_DUPFD_CLOEXEC is 1030 on Linux.
    report = ccall(:fcntl, Cint, (Cint, Cint, Clong), 3, 1030, 100)
    ccall(:close, Cint, (Cint,), 3)
    send = function (words)
        line = Vector{UInt8}(codeunits("$token $words\n"))
        # One line is less than a pipe takes at once.
        ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), report, line, length(line))
    end

    counter = GradeboxTests.Counter(Ref(0), Ref(0))
    own_file = String(first(methods(GradeboxTests.count_results!)).file)
    left_open = Ref(false)
    GradeboxTests.IS_COUNTED && Test.push_testset(counter)

    watch = GradeboxEquality.Watch()
    GradeboxEquality.watch_tests(Test, watch)
    watched = getfield(here, :GradeboxControls).watched_by(watch)
    since = watch.since
    user = ccall(:getuid, Cuint, ())
    # A file of somebody else's, and one that has the word: what calls itself by the name of a file has not its text.
    is_judges = (file, word) -> isfile(file) && stat(file).uid != user && occursin(word, read(file, String))

    # Methods by which tests compare, that only Julia itself defines for these types; and those by which it counts.
    compared = (
        (1, 2), (1.0, 2.0), (true, false), ('a', 'b'), ("a", "b"), (:a, :b), ([1], [2]), ([1.0], [2.0]), (["a"],
            ["b"]), ((1,), (2,)),
    )
    comparisons = ((==, "=="), (!=, "!="), (isequal, "isequal"))
    is_of = (method, modules) -> any(name -> Base.moduleroot(method.module) === name, modules)
    controls = function ()
        for (compare, name) in comparisons, pair in compared
            is_of(which(compare, typeof(pair)), (Base, Core)) ||
                send("control a method of $name for $(typeof(pair[1]))")
        end
        for (compare, name) in ((<, "<"), (isapprox, "isapprox")), pair in compared[1:2]
            is_of(which(compare, typeof(pair)), (Base, Core)) ||
                send("control a method of $name for $(typeof(pair[1]))")
        end
        is_of(which(!, Tuple{Bool}), (Base, Core)) || send("control a method of !")
        for what in (
            GradeboxEquality.bent_methods(Test, since, is_judges),
            GradeboxEquality.bent_sets(Test, watch, (file, word) -> file == own_file || is_judges(file, word)),
            GradeboxEquality.bent_macros(Test, Main, is_judges),
            left_open[] ? "a set of tests that was left open" : "",
        )
            isempty(what) || send("control $what")
        end
        what = GradeboxEquality.bent_equality(GradeboxEquality.comparisons(watch), is_judges)
        isempty(what) || send("control $what")
    end
    is_told = Ref(false)
    # Whoever finds this handler finds no token. A line without one can only say that it is not tampering.
    atexit(() -> is_told[] || ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), report, "exited\n", 7))
    tell = function ()
        is_told[] && return
        is_told[] = true
        failed = max(counter.failed[], watch.failed)
        # A file of tests that ends itself runs where the candidate's methods count, as far as Julia lets us leave that.
        isdefined(Base, :invoke_in_world) ? Base.invoke_in_world(since, controls) : controls()
        send(GradeboxTests.IS_COUNTED ? "done $(max(counter.ran[], failed)) $failed" : "done 1 $(min(failed, 1))")
    end

    # A file of tests may end itself: its own calls of `exit`, and no other's, are such an end. No handler at exit knows
    # the token, for those are where anybody finds them.
    leave = function (status = 0)
        status == 0 && tell()
        exit(status)
    end
    own_exits = function (expression, again)
        expression isa Expr || return expression
        is_exit = expression.head == :call && expression.args[1] in (:exit, :(Base.exit))
        arguments = Any[again(argument, again) for argument in expression.args]
        is_exit && (arguments[1] = leave)
        return Expr(expression.head, arguments...)
    end

    file = popfirst!(ARGS)
    opens_itself = isfile(file) && occursin("push_testset", read(file, String))
    # Between two statements of the file no set of tests is open but ours: one would record what all that follow record.
    look = function ()
        stack = get(task_local_storage(), GradeboxTests.STACK, nothing)
        is_ours = stack isa Vector && length(stack) == 1 && stack[1] === counter
        left_open[] |= GradeboxTests.IS_COUNTED && !is_ours && !opens_itself
    end
    prepared = function (expression)
        look()
        return own_exits(watched(expression), own_exits)
    end
    Core.eval(Base, :(PROGRAM_FILE = $file))
    Base.invokelatest(Base.include, prepared, Main, file)
    look()
    tell()
end
    get(task_local_storage(), :gradebox_program, start -> start())(serve)
end
