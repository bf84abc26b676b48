# What the runners of Julia share: what the statements of an item or of a file of tests mean; and those of items, what
# must fail after one. It goes behind equality.jl and before each of them. Julia 1.5 and newer.
#
# As in equality.jl, what a candidate defines is called only by `invokelatest`, or by the item itself. Nothing that it
# could change is a variable of this module.

module GradeboxControls

# All of it runs once: to compile it well would take longer than to run it.
Base.Experimental.@optlevel 0

import ..GradeboxEquality: Watch, comparisons, bent_equality, bent_methods, bent_sets, is_left_open

is_called(@nospecialize(part), names) = part isa Expr && part.head === :call && part.args[1] in names
is_quoted(part::Expr) = part.head === :quote || part.head === :inert
raises(@nospecialize(part)) =
    part isa Expr && !is_quoted(part) && (is_called(part, (:error, :throw, :exit)) || any(raises, part.args))

# Whether a call of `error` or `throw` can only mean Julia's: by its argument.
function is_failure(part::Expr)
    is_called(part, (:error, :throw)) && length(part.args) > 1 || return false
    given = part.args[2]
    is_text = given isa String || given isa Expr && given.head === :string
    kind = given isa Expr && given.head === :call ? given.args[1] : nothing
    return is_text || kind isa Symbol && isdefined(Base, kind) && getfield(Base, kind) isa Type{<:Exception}
end

# The macro of a call, as Julia or Test has it, whatever else has its name; as it is, where that is none of theirs.
function sure_macro(@nospecialize(name), tests)
    if name isa Expr && name.head === :. && name.args[1] === :Test && name.args[2] isa QuoteNode
        name = name.args[2].value
    end
    name === Symbol("@assert") && return GlobalRef(Base, name)
    is_of_test = tests !== nothing && name isa Symbol && startswith(String(name), "@test") && isdefined(tests, name)
    return is_of_test ? GlobalRef(tests, name) : name
end

# The function by which a statement of an item means what its author meant. Macros that judge are those of Julia and
# Test, and so are `error` and `throw` where they say that something failed. Comparisons on which that depends, as in
# `@assert a == b`, `a == b || ...` and `if a != b error() end`, note what they compare.
function watched_by(watch::Watch)
    # The item calls it where the candidate's methods count: builtins alone have none.
    compared = function (@nospecialize(compare), @nospecialize(left), @nospecialize(right))
        if Core.Intrinsics.slt_int(0, getfield(watch, :room))
            setfield!(watch, :room, Core.Intrinsics.add_int(getfield(watch, :room), -1))
            setfield!(watch, :seen, tuple(Core._expr(:comparison, left, :(==), right), getfield(watch, :seen)))
        end
        return compare(left, right)
    end
    noted = function (condition, again)
        condition isa Expr || return condition
        head, parts = condition.head, condition.args
        if head === :&& || head === :|| || head === :block || head === :call && length(parts) == 2 && parts[1] === :!
            return Expr(head, Any[again(part, again) for part in parts]...)
        end
        is_called(condition, (:(==), :(!=), :≠, :isequal, :≈, :≉, :isapprox)) && length(parts) == 3 || return condition
        for side in parts
            side isa Expr && (side.head === :... || side.head === :kw || side.head === :parameters) && return condition
        end
        return Expr(:call, compared, parts[1], parts[2], parts[3])
    end
    watched = function (part, is_branch, again)
        part isa Expr && !is_quoted(part) || return part
        head, parts = part.head, part.args
        is_either = (head === :&& || head === :||) && length(parts) == 2
        is_if = head === :if || head === :elseif
        made = Any[]
        for (index, inner) in enumerate(parts)
            push!(made, again(inner, (is_either || is_if) && index > 1 || head === :block && is_branch, again))
        end
        if (is_either || is_if) && any(raises, parts[2:end])
            made[1] = noted(made[1], noted)
        elseif head === :macrocall
            made[1] = sure_macro(parts[1], watch.tests)
            if made[1] == GlobalRef(Base, Symbol("@assert")) && length(parts) > 2
                # With the text that it would have by itself.
                length(parts) == 3 && push!(made, string(parts[3]))
                made[3] = noted(made[3], noted)
            end
        elseif is_failure(part) || is_branch && is_called(part, (:error, :throw))
            made[1] = GlobalRef(parts[1] === :error ? Base : Core, parts[1])
        end
        return Expr(head, made...)
    end
    return function (statement)
        made = watched(statement, false, watched)
        # Something else than an error may come of it, by which the item says that it failed.
        made isa Expr && made.head === :|| && (made.args[1] = noted(made.args[1], noted))
        return made
    end
end

# Of these types nothing is equal to everything, where only Julia itself compares them.
plain_types() = Any[Int, Float64, Bool, String, Symbol, Vector{Int}, Vector{Float64}, Vector{String}]
function is_telling(comparison)
    plain = plain_types()
    return any(value -> all(kind -> typeof(value) !== kind, plain), comparison.args)
end

# To ask for a name settles what it is, and a later item may still have its own; before, it is Julia's.
is_settled(program::Module, name::Symbol) =
    !isdefined(Base, :isbindingresolved) || Base.isbindingresolved(program, name)
known(program::Module, name::Symbol) = getfield(is_settled(program, name) ? program : Base, name)

# Those that follow return what does not hold, or "".

# What the items' own module knows by this name must tell these apart.
function bent_function(program::Module, name::Symbol)
    for (left, right) in Any[(1, 2), (1.0, 2.0), (true, false), ("a", "b"), (:a, :b), ([1], [2]), (["a"], ["b"])]
        says = try
            Base.invokelatest(known(program, name), left, right)
        catch
            nothing
        end
        says === (name != :(!=)) && return "$name($(repr(left)), $(repr(right)))"
    end
    return ""
end

# For plain types only Julia itself defines methods. Its own are not called: they would be compiled for every type.
function bent_comparing(program::Module)
    for name in (:(==), :isequal, :isapprox, :(!=), :(===))
        compare = getfield(Base, name)
        what = known(program, name) === compare ? "" : bent_function(program, name)
        what == "" || return what
        name === :(===) && continue
        for kind in plain_types()
            name === :isapprox && kind !== Float64 && continue
            owner = Base.moduleroot(which(compare, Tuple{kind,kind}).module)
            owner === Base || owner === Core || return "a method of $name for $kind"
        end
    end
    return ""
end

function bent_error(program::Module, name::Symbol)
    argument = name === :error ? "control" : ErrorException("control")
    try
        Base.invokelatest(known(program, name), argument)
    catch
        return ""
    end
    return "$name($(repr(argument)))"
end

# Nobody else's `@assert` and `@test` are what an item means by them.
function bent_macro(program::Module, name::Symbol, owner::Module)
    is_settled(program, name) && isdefined(program, name) || return ""
    return getfield(program, name) === getfield(owner, name) ? "" : String(name)
end

function bent_tests(program::Module, watch::Watch, text::String, @nospecialize(is_judges))
    is_left_open() && return "a set of tests that was left open"
    what = bent_sets(watch.tests, watch, is_judges)
    world = ccall(:jl_get_world_counter, UInt, ())
    # Nobody has defined anything since.
    if what == "" && watch.looked != world
        what = bent_methods(watch.tests, watch.since, is_judges)
        what == "" && (watch.looked = world)
    end
    for name in names(watch.tests)
        is_meant = what == "" && startswith(String(name), "@test") && occursin(String(name), text)
        is_meant && (what = bent_macro(program, name, watch.tests))
    end
    return what
end

# What must fail and did not, after an item of this text in a module.
function bent(program::Module, watch::Watch, text::String, @nospecialize(is_judges))
    what = bent_comparing(program)
    seen = what == "" ? filter(is_telling, comparisons(watch)) : Any[]
    isempty(seen) || (what = bent_equality(seen, is_judges))
    for name in (:error, :throw)
        what == "" && occursin(String(name), text) && (what = bent_error(program, name))
    end
    what == "" && occursin("@assert", text) && (what = bent_macro(program, Symbol("@assert"), Base))
    is_tested = watch.tests !== nothing && (watch.seen !== nothing || occursin("@test", text))
    return what == "" && is_tested ? bent_tests(program, watch, text, is_judges) : what
end

end
