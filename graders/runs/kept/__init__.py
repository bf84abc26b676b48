"""The evidence and submissions that a run keeps, and how its submissions are graded again.

evidence_files    the files that are kept for each grading
keeper            submissions -> pieces of the log of evidence, each once and within a limit
kept_submission   pieces of the log -> submissions as they were handed in, or why one is missing
earlier_versions  submissions of runs that kept none, reconstructed from their evidence
kept_tasks        the gradings of a run to repeat, with the current cases
"""
