"""Judging apart from the submission, as far as the host knows it: what a grader's process is told, and reports."""
