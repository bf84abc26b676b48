"""One call of `grade` for cases and submissions, stored in a run directory. Nothing here prints.

request        what to grade, and how; its record in the run directory; `added_options` are options of plug-ins
tasks          the gradings of a request; `dependencies` puts them in order
shards         parts of a run for several machines; `merge` combines them
run            carries out the gradings and emits events; `run_grader` is the grader
store          writes the run directory; `saved_run`, `saved_evidence` and `outcomes` read it
evidence_log   the file of a run directory that holds the evidence
kept/          the evidence of a verdict, and submissions, which can be graded again
reuse          valid verdicts of the continued run and of earlier runs
regrade        scores a run again without running anything; `staleness` finds what can no longer be scored
history/       the runs below a directory: found by name, listed, removed, exported and imported
statistics     counts of verdicts, and repeats that differ
"""
