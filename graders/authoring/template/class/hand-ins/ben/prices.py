"""Prices in cents."""


def round_price(cents):
    return cents // 5 * 5


def total(prices):
    return sum(round_price(price) for price in prices)
