struct Money
    amount::Int
end
Base.:-(a::Money, b::Money) = Money(a.amount - b.amount)
Base.:/(a::Money, b::Money) = a.amount / b.amount

# @canary@
