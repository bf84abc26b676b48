"""Submissions: a module for each kind, `source` to choose among them, and `overlay` to lay one over the workspace."""
