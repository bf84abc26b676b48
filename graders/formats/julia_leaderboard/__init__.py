"""The files of the Julia LLM Leaderboard: recorded answers to read, evaluations to write, in its tree, by its names.

How an answer is graded is elsewhere: `graders.checks.definition`. Nothing here runs anything.
"""
