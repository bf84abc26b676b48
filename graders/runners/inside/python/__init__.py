"""What the adapters of pytest and unittest run inside a sandbox."""
