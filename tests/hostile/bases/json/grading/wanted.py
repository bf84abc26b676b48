"""What the function should return."""

WANTED = {"Ada Lovelace": "ada-lovelace", "Route 66": "route-66", "A": "a"}
# What no solution returns: the control must find nothing of it.
IMPOSSIBLE = {"Ada Lovelace": "neither words nor hyphens", "Route 66": "neither of them"}


# @canary@
