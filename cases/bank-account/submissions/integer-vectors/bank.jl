# Balances and statements side by side, in vectors indexed by the account's number; a closed account is `nothing`.

struct InsufficientFunds <: Exception
    missing::Int
end

mutable struct Bank
    owners::Vector{Union{String,Nothing}}
    balances::Vector{Int}
    statements::Vector{Vector{Int}}
    Bank() = new(Union{String,Nothing}[], Int[], Vector{Int}[])
end

function open_account!(bank::Bank, owner::AbstractString)
    push!(bank.owners, owner)
    push!(bank.balances, 0)
    push!(bank.statements, Int[])
    return length(bank.owners)
end

function known(bank::Bank, number::Integer)
    checkbounds(Bool, bank.owners, number) && bank.owners[number] !== nothing || throw(KeyError(number))
    return number
end

function positive(amount::Integer)
    amount > 0 || throw(ArgumentError("$amount is not positive"))
    return amount
end

function covered(bank::Bank, number::Integer, amount::Integer)
    bank.balances[number] < amount && throw(InsufficientFunds(amount - bank.balances[number]))
    return amount
end

function change!(bank::Bank, number::Integer, amount::Integer)
    push!(bank.statements[number], amount)
    return bank.balances[number] += amount
end

balance(bank::Bank, number::Integer) = bank.balances[known(bank, number)]
statement(bank::Bank, number::Integer) = bank.statements[known(bank, number)][:]
total(bank::Bank) = reduce(+, bank.balances; init = 0)

function deposit!(bank::Bank, number::Integer, amount::Integer)
    positive(amount)
    return change!(bank, known(bank, number), amount)
end

function withdraw!(bank::Bank, number::Integer, amount::Integer)
    positive(amount)
    known(bank, number)
    return change!(bank, number, -covered(bank, number, amount))
end

function transfer!(bank::Bank, from::Integer, to::Integer, amount::Integer)
    positive(amount)
    from == to && throw(ArgumentError("account $from on both sides"))
    foreach(number -> known(bank, number), (from, to))
    covered(bank, from, amount)
    change!(bank, from, -amount)
    change!(bank, to, amount)
    return nothing
end

function close_account!(bank::Bank, number::Integer)
    left = balance(bank, number)
    bank.owners[number] = nothing
    bank.balances[number] = 0
    return left
end
