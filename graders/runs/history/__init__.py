"""The runs below a directory: found by name, listed, removed, exported and imported."""
