"""What runs inside a sandbox to run items: one folder for each language. Nothing here runs on the host but in tests."""
