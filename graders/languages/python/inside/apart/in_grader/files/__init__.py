"""Which files the tests may open, which the candidate owns, and what tests learn of them.

lending.py      hands files over between the two processes
kept_files.py   fails a test if the submission changes a file of the tests, unless the reference does that
told_names.py   refuses hidden files that the submission has named
case_files.py   finds the case's file that a path leads to, through links of every kind
observed.py     adds what tests learn of files to the answers, and says if a test observes more
"""
