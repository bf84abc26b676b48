# See README.md for what each of these does.

struct InsufficientFunds <: Exception
    missing::Int
end

mutable struct Bank
end

open_account!(bank::Bank, owner::AbstractString) = error("not written yet")
balance(bank::Bank, number::Integer) = error("not written yet")
deposit!(bank::Bank, number::Integer, amount::Integer) = error("not written yet")
withdraw!(bank::Bank, number::Integer, amount::Integer) = error("not written yet")
transfer!(bank::Bank, from::Integer, to::Integer, amount::Integer) = error("not written yet")
close_account!(bank::Bank, number::Integer) = error("not written yet")
statement(bank::Bank, number::Integer) = error("not written yet")
total(bank::Bank) = error("not written yet")
