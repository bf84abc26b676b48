# What the runners of Julia share: whether a test failed, whatever became of that, whether something that was compared
# equals whatever it is compared with, and whether Test is what it was. It goes before each of them, in the same
# argument of the interpreter. Julia 1.5 and newer.
#
# A running function goes on calling the methods that it was compiled against: what a candidate defines in this module
# later is not called. What Test calls for us is the exception; so that calls nothing but builtins, of which nobody has
# methods.

module GradeboxEquality

# All of it runs once: to compile it well would take longer than to run it.
Base.Experimental.@optlevel 0

# Of tests, as they ran:
#   seen    comparisons that were found true, as expressions of values: the last one and all before it, or nothing
#   room    how many more are kept
#   failed  how many failed or could not be run, whatever set of tests recorded it
#   sets    types of the sets that recorded a failure, and all before them, where they are not Test's own
#   tests   the module Test, or nothing while nobody needs it; since when it is watched
#   looked  when its methods were last looked at, and none was bent
mutable struct Watch
    seen::Any
    room::Int
    failed::Int
    sets::Any
    tests::Any
    since::UInt
    looked::UInt
end
Watch() = Watch(nothing, 10_000, 0, (Nothing, nothing), nothing, typemax(UInt), UInt(0))

# Have the tests of a process watched.
function watch_tests(tests::Module, watch::Watch)
    get, set, add, less = getfield, setfield!, Core.Intrinsics.add_int, Core.Intrinsics.slt_int
    record = quote
        set_type = $typeof(get_testset())
        if !(set_type === DefaultTestSet || set_type === FallbackTestSet || set_type === $get($get($watch, :sets), 1))
            $set($watch, :sets, $tuple(set_type, $get($watch, :sets)))
        end
    end
    Core.eval(tests, quote
        function do_test(result::Returned, original)
            data = $get(result, :data)
            if $get(result, :value) === true
                if $isa(data, $Expr) && $less(0, $get($watch, :room))
                    $set($watch, :room, $add($get($watch, :room), -1))
                    $set($watch, :seen, $tuple(data, $get($watch, :seen)))
                end
            else
                $record
            end
            $invoke(do_test, Tuple{ExecutionResult,Any}, result, original)
        end
        function do_test(result::Threw, original)
            $record
            $invoke(do_test, Tuple{ExecutionResult,Any}, result, original)
        end
        function do_test_throws(result::Returned, original, wanted)
            $record
            $invoke(do_test_throws, Tuple{ExecutionResult,Any,Any}, result, original, wanted)
        end
        function do_test_throws(result::Threw, original, wanted)
            # What is wanted in other words is Test's own to find.
            kind = $isa(wanted, $Type) ? wanted : $isa(wanted, $Exception) ? $typeof(wanted) : Any
            if kind === $LoadError || $isa($get(result, :exception), kind)
            else
                $record
            end
            $invoke(do_test_throws, Tuple{ExecutionResult,Any,Any}, result, original, wanted)
        end
    end)
    for kind in (:DefaultTestSet, :FallbackTestSet), result in (:Fail, :Error)
        Core.eval(tests, quote
            function record(set::$kind, result::$result)
                $set($watch, :failed, $add($get($watch, :failed), 1))
                $invoke(record, Tuple{$kind,Union{Fail,Error}}, set, result)
            end
        end)
    end
    watch.tests, watch.since = tests, ccall(:jl_get_world_counter, UInt, ())
end

# What was compared, as a vector.
function comparisons(watch::Watch)
    found = Any[]
    seen = watch.seen
    while seen !== nothing
        push!(found, seen[1])
        seen = seen[2]
    end
    return found
end

# A method that Test's own functions were given since then, for nothing but types of Julia's: "" if there is none.
#
# What the judge itself brings may do that: `is_judges` tells of a file, and of a word that it must hold.
function bent_methods(tests::Module, since::UInt, @nospecialize(is_judges))
    for name in names(tests; all = true)
        isdefined(tests, name) || continue
        called = getfield(tests, name)
        (called isa Function || called isa DataType) && parentmodule(called) === tests || continue
        for method in methods(called)
            method.primary_world > since && !is_judges(String(method.file), "Test") || continue
            types = Base.unwrap_unionall(method.sig).parameters
            all(index -> is_julias(Base.unwrapva(types[index])), 2:length(types)) && return "a method of Test.$name"
        end
    end
    return ""
end

# A macro of Test's name that is somebody else's, in a module of the judge's or in one of those in it: "" if there is
# none.
function bent_macros(tests::Module, owner::Module, @nospecialize(is_judges))
    for name in names(tests)
        startswith(String(name), "@") && isdefined(owner, name) || continue
        found = getfield(owner, name)
        found === getfield(tests, name) || is_judges(String(first(methods(found)).file), "macro") || return String(name)
    end
    for name in names(owner; all = true)
        inner = isdefined(owner, name) ? getfield(owner, name) : nothing
        inner isa Module && inner !== owner && parentmodule(inner) === owner && isdefined(inner, :eval) || continue
        is_judges(String(first(methods(inner.eval)).file), "module") || continue
        found = bent_macros(tests, inner, is_judges)
        isempty(found) || return found
    end
    return ""
end

# Whether a set of tests is open that was not closed.
function is_left_open()
    stack = get(task_local_storage(), :__BASETESTNEXT__, nothing)
    return stack isa Vector && !isempty(stack)
end

# The type of a set of tests which recorded a failure and is nobody's to whom they belong: "" if there is none. One that
# records only what passed hides nothing.
function bent_sets(tests::Module, watch::Watch, @nospecialize(is_judges))
    sets = watch.sets
    while sets !== nothing
        kind, sets = sets
        kind === Nothing && continue
        method = try
            which(tests.record, Tuple{kind,tests.Fail})
        catch
            continue
        end
        is_judges(String(method.file), "record") || return "a set of tests that is a $kind"
    end
    return ""
end

const TEST = Base.UUID("8dfed614-e22c-5e08-85e1-65c5234f0b40")
function is_julias(owner::Module)
    root = Base.moduleroot(owner)
    return root === Base || root === Core || Base.PkgId(root).uuid == TEST
end
is_julias(@nospecialize(kind)) = kind isa DataType && is_julias(kind.name.module) && all(is_julias, kind.parameters)
is_julias(::Union{Integer,Symbol,Tuple,TypeVar}) = true
is_julias(kind::Union) = is_julias(kind.a) && is_julias(kind.b)
is_julias(kind::UnionAll) = is_julias(kind.body)

# Collect what is of a type that is not Julia's own, in what may hold it too.
function collect_foreign!(found::Vector{Any}, @nospecialize(value), depth::Int)
    kind = typeof(value)
    is_julias(kind) || length(found) == 100 || push!(found, value)
    parts = value isa Expr ? value.args : value isa Dict ? Any[values(value)...] : value
    if depth < 4 && (parts isa Tuple || (parts isa Array && !isconcretetype(eltype(parts))) || value isa Array &&
        !is_julias(kind))
        for index in 1:min(length(parts), 100)
            parts isa Array && !isassigned(parts, index) && continue
            collect_foreign!(found, parts[index], depth + 1)
        end
    end
    return found
end

# Return what is wrong with the first of the comparisons with which something is, "" if there is none.
#
# What the judge itself defines may be equal to anything.
function bent_equality(seen::Vector{Any}, @nospecialize(is_judges))
    for comparison in seen, position in 1:2:length(comparison.args)-2
        comparison.head === :comparison || continue
        kinds = Tuple{typeof(comparison.args[position]),typeof(comparison.args[position+2])}
        is_julias(kinds) || continue
        for compare in Any[==, isequal]
            method = which(compare, kinds)
            # What is installed is absent from where it was built, or the image's.
            is_julias(method.module) || is_judges(String(method.file), "struct") ||
                return "a method of $compare for $(kinds.parameters[1])"
        end
    end
    found = collect_foreign!(Any[], seen, 0)
    isempty(found) && return ""
    # Two of a kind each, the first of a type that nobody knows.
    stranger = Core.eval(Module(), :(struct Stranger number end; Stranger))
    number = Int(time_ns())
    others = Any[]
    for it in (number, number + 7)
        text = string("control", it)
        push!(others, Any[Base.invokelatest(stranger, it), text, it, Float64(it), Symbol(text), [text], [it], (text,)])
    end
    for value in found, compare in Any[==, isequal], (one, other) in zip(others[1], others[2])
        says = try
            Base.invokelatest(compare, value, one) === true && Base.invokelatest(compare, value, other) === true
        catch
            false
        end
        says || continue
        kind = typeof(value)
        method = which(compare, Tuple{kind,typeof(one)})
        if is_julias(method.module) || is_judges(String(method.file), "struct")
            # What Julia's own containers hold is looked at by itself.
            is_julias(kind.name.module) && continue
            makers = methods(kind)
            !isempty(makers) && all(maker -> is_judges(String(maker.file), "struct"), makers) && continue
        end
        return "$kind equals everything"
    end
    return ""
end

end

