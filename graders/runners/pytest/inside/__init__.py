"""The adapter of pytest, which runs inside a sandbox."""
