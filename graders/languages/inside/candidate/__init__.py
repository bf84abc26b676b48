"""Modules that graders import to start the candidate, one file for each language."""
