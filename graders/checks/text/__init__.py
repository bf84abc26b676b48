"""Checks of the text of the answer or of a file in the workspace. Each scores 1 or 0."""
