# Accounts, deposits and withdrawals work; transfers move the money before they look; closing is not written yet.

struct InsufficientFunds <: Exception
    missing::Int
end

struct Bank
    changes::Vector{Vector{Int}}
end

Bank() = Bank(Vector{Int}[])

function open_account!(bank::Bank, owner::AbstractString)
    push!(bank.changes, Int[])
    return length(bank.changes)
end

account(bank::Bank, number::Integer) = 1 <= number <= length(bank.changes) ? bank.changes[number] : throw(KeyError(number))

balance(bank::Bank, number::Integer) = sum(account(bank, number))

statement(bank::Bank, number::Integer) = account(bank, number)

total(bank::Bank) = sum(Int[sum(changes) for changes in bank.changes])

function deposit!(bank::Bank, number::Integer, amount::Integer)
    amount > 0 || throw(ArgumentError("an amount must be positive"))
    push!(account(bank, number), amount)
    return balance(bank, number)
end

function withdraw!(bank::Bank, number::Integer, amount::Integer)
    amount > 0 || throw(ArgumentError("an amount must be positive"))
    left = balance(bank, number) - amount
    left < 0 && throw(InsufficientFunds(-left))
    push!(account(bank, number), -amount)
    return left
end

function transfer!(bank::Bank, from::Integer, to::Integer, amount::Integer)
    withdraw!(bank, from, amount)
    deposit!(bank, to, amount)
    return nothing
end
