"""Checks of how an answer came about, as the submission's transcript states it: tools, calls, tokens, money, time."""
