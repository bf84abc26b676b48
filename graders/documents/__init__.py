"""Turns text into typed values with positions: YAML, JSON, TOML, and their mistakes. It knows nothing about cases."""
