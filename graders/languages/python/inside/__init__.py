"""The item runner of Python, and what the adapters of its test runners share with it."""
