"""One call of `grade` over cases and submissions, kept in a run directory. Nothing here prints.

request        what is graded, and how; its record in the run directory; `added_options` are those of plug-ins
tasks          the gradings of a request; `dependencies` puts them in order
shards         parts of a run for several machines; `merge` puts them together
run            carries them out and emits events; `run_grader` is who grades
store          writes the run directory; `saved_run`, `saved_evidence` and `outcomes` read it
evidence_log   the file in it that holds what was kept beside the verdicts
kept           what it holds, submissions included; these are graded again
reuse          verdicts of this run and of earlier ones that still hold
regrade        scores a run again without running anything; `staleness` finds what can no longer be scored
history/       the runs below a directory: found by name, listed, removed, exported and imported
statistics     counts of verdicts, and repeats that differ
"""
