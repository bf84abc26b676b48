"""What adapters of several test runners run inside a sandbox: one folder for each language."""
