"""For people who write cases.

templates           the cases that `grade init` creates
quality_gradings    what `grade check` grades; `expected_verdicts` reads submissions/verdicts.yaml
case_quality        from these gradings to findings
"""
