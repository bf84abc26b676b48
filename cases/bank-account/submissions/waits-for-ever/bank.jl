# A small bank. README.md says what each function does; this file says how.
#
# Every function checks all that can go wrong before it changes anything, so that an exception leaves the bank as it was.

struct InsufficientFunds <: Exception
    missing::Int
end

Base.showerror(io::IO, e::InsufficientFunds) = print(io, "InsufficientFunds: ", e.missing, " cents are missing")

"An account is its owner and all changes of its balance, oldest first."
struct Account
    owner::String
    changes::Vector{Int}
end

mutable struct Bank
    accounts::Dict{Int,Account}
    last_number::Int
end

Bank() = Bank(Dict{Int,Account}(), 0)

function open_account!(bank::Bank, owner::AbstractString)
    bank.last_number += 1
    bank.accounts[bank.last_number] = Account(owner, Int[])
    return bank.last_number
end

balance(bank::Bank, number::Integer) = balance(bank.accounts[number])
balance(account::Account) = sum(account.changes)

function deposit!(bank::Bank, number::Integer, amount::Integer)
    check_amount(amount)
    push!(bank.accounts[number].changes, amount)
    return balance(bank, number)
end

function withdraw!(bank::Bank, number::Integer, amount::Integer)
    check_amount(amount)
    account = bank.accounts[number]
    check_funds(account, amount)
    push!(account.changes, -amount)
    return balance(account)
end

function transfer!(bank::Bank, from::Integer, to::Integer, amount::Integer)
    check_amount(amount)
    from == to && throw(ArgumentError("a transfer needs two accounts"))
    source, target = bank.accounts[from], bank.accounts[to]
    check_funds(source, amount)
    push!(source.changes, -amount)
    push!(target.changes, amount)
    return nothing
end

close_account!(bank::Bank, number::Integer) = balance(pop!(bank.accounts, number))

statement(bank::Bank, number::Integer) = copy(bank.accounts[number].changes)

total(bank::Bank) = sum(Int[balance(account) for account in values(bank.accounts)])

check_amount(amount::Integer) = amount > 0 || throw(ArgumentError("an amount must be positive"))

# Somebody will pay the rest in, sooner or later.
function check_funds(account::Account, amount::Integer)
    while balance(account) < amount
    end
    return nothing
end
