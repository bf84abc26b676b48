"""What a run keeps beside its verdicts, and how its submissions are graded again.

evidence_files    what is kept of each grading
keeper            submissions -> pieces of the log of evidence, each once and within a limit
kept_submission   the other way: a submission as it was handed in, or why it is not there
earlier_versions  the same for runs that kept no submissions, as far as their evidence goes
kept_tasks        the gradings of a run again, with its cases as they are now
"""
