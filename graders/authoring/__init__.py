"""For people who write cases.

templates           the cases that `grade init` creates
quality_gradings    what `grade check` grades; `expected_verdicts` reads submissions/verdicts.yaml
attack              canned cheats for `grade attack`: what of them passes, and what to change
mutants             small mistakes in a reference for `grade mutants`: which of them the checks notice
case_quality        from these gradings to findings
"""
