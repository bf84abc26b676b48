"""Honest work: it has nothing to try. The neighbour's secret is in it: @canary@."""

print("fine")
