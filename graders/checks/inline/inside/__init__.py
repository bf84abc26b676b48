"""Programs that run in the sandbox for `javascript` and `python`."""
