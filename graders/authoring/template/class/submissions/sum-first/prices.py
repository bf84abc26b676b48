"""Rounds the sum, not the prices."""


def round_price(cents):
    return (cents + 2) // 5 * 5


def total(prices):
    return round_price(sum(prices))
