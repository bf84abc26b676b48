# What the runners of Julia share: whether something that was compared equals whatever it is compared with. It goes before
# each of them, in the same argument of the interpreter. Julia 1.5 and newer.
#
# Nothing is kept here, and a running function goes on calling the methods that it was compiled against: what a candidate
# defines in this module later is not called.

module GradeboxEquality

# All of it runs once: to compile it well would take longer than to run it.
Base.Experimental.@optlevel 0

# Have `note` called with every comparison that an `@test` made and found true, as an expression of values.
function watch_tests(tests::Module, @nospecialize(note))
    Core.eval(tests, quote
        function do_test(result::Returned, original)
            result.value === true && result.data isa Expr && $note(result.data)
            invoke(do_test, Tuple{ExecutionResult,Any}, result, original)
        end
    end)
end

is_julias(owner::Module) = Base.moduleroot(owner) in (Base, Core)
is_julias(@nospecialize(kind)) = kind isa DataType && is_julias(kind.name.module) && all(is_julias, kind.parameters)
is_julias(::Union{Integer,Symbol,Tuple,TypeVar}) = true
is_julias(kind::Union) = is_julias(kind.a) && is_julias(kind.b)
is_julias(kind::UnionAll) = is_julias(kind.body)

# Collect what is of a type that is not Julia's own, in what may hold it too.
function collect_foreign!(found::Vector{Any}, @nospecialize(value), depth::Int)
    kind = typeof(value)
    is_julias(kind) || length(found) == 100 || push!(found, value)
    parts = value isa Expr ? value.args : value isa Dict ? Any[values(value)...] : value
    if depth < 4 && (parts isa Tuple || (parts isa Array && !isconcretetype(eltype(parts))) || value isa Array && !is_julias(kind))
        for index in 1:min(length(parts), 100)
            parts isa Array && !isassigned(parts, index) && continue
            collect_foreign!(found, parts[index], depth + 1)
        end
    end
    return found
end

# Return what is wrong with the first of the comparisons with which something is, "" if there is none.
#
# What the judge itself defines may be equal to anything: `is_judges` tells of a file.
function bent_equality(seen::Vector{Any}, @nospecialize(is_judges))
    for comparison in seen, position in 1:2:length(comparison.args)-2
        comparison.head === :comparison || continue
        kinds = Tuple{typeof(comparison.args[position]),typeof(comparison.args[position+2])}
        is_julias(kinds) || continue
        for compare in Any[==, isequal]
            method = which(compare, kinds)
            # What is installed is absent from where it was built, or the image's.
            is_julias(method.module) || is_judges(String(method.file)) || return "a method of $compare for $(kinds.parameters[1])"
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
        if is_julias(method.module) || is_judges(String(method.file))
            # What Julia's own containers hold is looked at by itself.
            is_julias(kind.name.module) && continue
            makers = methods(kind)
            !isempty(makers) && all(maker -> is_judges(String(maker.file)), makers) && continue
        end
        return "$kind equals everything"
    end
    return ""
end

end

