"""The runs below a directory: found by name, listed, removed, and carried to another machine."""
