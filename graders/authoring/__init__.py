"""Tools for authors of cases.

templates           the cases that `grade init` creates
quality_gradings    the gradings of `grade check`; `expected_verdicts` reads submissions/verdicts.yaml
attack              ready-made cheats for `grade attack`: which of them pass, and what to change
mutants             small mistakes in a reference for `grade mutants`: which of them the checks notice
case_quality        turns these gradings into findings
"""
