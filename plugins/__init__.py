"""Support for other products: each is one package here, which the core reaches only through entry points.

promptfoo           its configuration files, as cases
julia_leaderboard   the Julia LLM Leaderboard: definitions, recorded answers, evaluations and reports
ray                 gradings on the nodes of a Ray cluster (``--on``)

They are installed with gradebox, and their entry points are in ``pyproject.toml``. They do not import each other.
"""
