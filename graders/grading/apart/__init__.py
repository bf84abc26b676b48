"""Judging apart from the submission, on the host's side: the data for a grader's process, and its reports."""
