"""Programs that the adapters of several test runners share inside a sandbox: one folder for each language."""
