"""From text to typed values with positions: YAML, JSON, TOML, and their mistakes. Knows no case."""
