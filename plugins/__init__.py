"""Whole products of others beside gradebox: each is one package here, which the core reaches by entry points alone.

promptfoo           its configuration files, as cases
julia_leaderboard   the Julia LLM Leaderboard: definitions, recorded answers, evaluations and reports
ray                 gradings on the nodes of a Ray cluster (``--on``)

They are installed with gradebox, and their entry points are in ``pyproject.toml``. They import nothing of each other.
"""
