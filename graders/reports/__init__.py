"""Reports of verdicts for people and for other programs."""
