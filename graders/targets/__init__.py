"""Targets: they make the submission for a case if none is given.

The submission is graded in its own sandbox like any other, so a target is trusted no more than a candidate.

    target                the base of all targets
    agent, replay, mock   the providers `cli`, `replay` and `mock`
    targets_file          targets.yaml -> targets, and cases -> the targets that they name
    changes               the changes of an agent to the workspace
"""
