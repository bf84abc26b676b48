"""From a case and a submission to a verdict: prepare, plan, execute, judge."""
