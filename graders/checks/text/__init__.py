"""Checks of text: of the answer, or of a file of the workspace. Each scores 1 or 0."""
