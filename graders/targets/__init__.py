"""Targets: what a case is given to, instead of a submission that is there already. A target makes a submission.

That submission is graded in a sandbox of its own like any other, so a target is trusted no more than a candidate.

    definition, documents    what targets.yaml says of them, and its models
    reading, resolution      targets.yaml -> definitions; cases -> the definitions that they name
    prompt                   a case's input as the text that a target is given
    agent, recorded          the providers `cli` and `replay`; `mock` needs none
    production               definition + case -> submission
"""
