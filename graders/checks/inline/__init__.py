"""Checks whose judge is code that the author writes into the case: JavaScript and Python."""
