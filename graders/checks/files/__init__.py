"""Checks of the files that a submission brings: that they are there, what they hold, what was changed."""
