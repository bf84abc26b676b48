"""Targets: what makes a submission for a case, where none is given.

The submission is graded in a sandbox of its own like any other, so a target is trusted no more than a candidate.

    target                what all targets share
    agent, replay, mock   the providers `cli`, `replay` and `mock`
    targets_file          targets.yaml -> targets, and cases -> the targets that they name
    prompt, changes       what an agent is given, and what it changed
"""
