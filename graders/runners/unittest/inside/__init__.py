"""The adapter of unittest, which runs inside a sandbox."""
