"""Programs that the adapters of pytest and unittest share inside a sandbox."""
