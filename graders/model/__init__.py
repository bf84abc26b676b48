"""Data that packages exchange: cases, plans, evidence, verdicts, results. Frozen, without policy or engine."""
