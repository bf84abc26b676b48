"""What runs inside a sandbox to run pytest."""
