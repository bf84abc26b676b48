"""Checks of how an answer came about, by the submission's transcript: tools, calls, tokens, money, time."""
