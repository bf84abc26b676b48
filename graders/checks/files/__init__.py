"""Checks of submitted files: whether they exist, what they contain, and what was changed."""
