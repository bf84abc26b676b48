"""Python's item runner, and the code that the adapters of Python's test runners share with it."""
