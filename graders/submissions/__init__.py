"""Submissions: one module for each source, `source` to choose among them, and `overlay` for the workspace."""
