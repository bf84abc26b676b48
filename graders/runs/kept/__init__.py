"""The evidence and submissions that a run keeps, and how its submissions are graded again.

evidence_files    the files that are kept for each grading
keeper            submissions -> pieces of the log of evidence, each once and within a limit
kept_submission   the reverse: a submission as it was handed in, or why it is not there
earlier_versions  the same for runs that kept no submissions, as far as their evidence goes
kept_tasks        the gradings of a run to repeat, with the current cases
"""
