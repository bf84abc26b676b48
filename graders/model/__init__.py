"""Data that travels between the rooms: cases, plans, evidence, verdicts, results. Frozen; no policy and no engine."""
