"""From text to typed values with positions: YAML, JSON, TOML, and what is wrong with them. Knows no case."""
