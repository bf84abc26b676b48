"""What the function should return."""

WANTED = {"Ada Lovelace": "ada-lovelace", "Route 66": "route-66", "A": "a"}
