"""What runs in the sandbox for `javascript` and `python`."""
