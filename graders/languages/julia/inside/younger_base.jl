# Methods of Base that many answers call and that the Julia of an image may be too old for. On a current Julia, nothing.

if VERSION < v"1.6"
    let check = n -> n < 0 && throw(ArgumentError("n is negative"))
        Base.first(items::AbstractArray, n::Integer) = (check(n); items[begin:min(begin + n - 1, end)])
        Base.last(items::AbstractArray, n::Integer) = (check(n); items[max(begin, end - n + 1):end])
    end
end

if VERSION < v"1.7"
    let as_pattern = pattern -> pattern isa AbstractChar ? isequal(pattern) :
            pattern isa Union{Tuple,AbstractVector,AbstractSet} ? in(pattern) : pattern
        # Whatever matches first is replaced, and of several in one place the one that is named first.
        function Base.replace(text::Union{String,SubString{String}}, one::Pair, two::Pair,
            more::Pair...; count = typemax(Int))
            whole = String(text)
            pairs = [as_pattern(pattern) => by for (pattern, by) in (one, two, more...)]
            result, from, search = IOBuffer(), 1, 1
            for _ in 1:count
                search > ncodeunits(whole) + 1 && break
                best, match = nothing, 0:-1
                for pair in pairs
                    found = findnext(pair.first, whole, search)
                    found === nothing && continue
                    (best === nothing || first(found) < first(match)) && ((best, match) = (pair, found))
                end
                best === nothing && break
                print(result, SubString(whole, from, prevind(whole, first(match))))
                if best.second isa SubstitutionString
                    print(result, replace(String(whole[match]), best))
                else
                    Base._replace(result, best.second, whole, match isa Integer ? (match:match) : match, best.first)
                end
                from = isempty(match) ? first(match) : nextind(whole, last(match))
                search = from
                isempty(match) && (search = from > ncodeunits(whole) ? from + 1 : nextind(whole, from))
            end
            print(result, SubString(whole, from))
            return String(take!(result))
        end
    end
end
