"""What runs in the grader's process alone.

items.py, or a test runner (apart_start.py)
modules.py           whose a module is, when it is imported
carried_patches.py   what tests replace
process.py           starts the candidate's process
lending.py, told_names.py   hand over files
grader.py            gives what tests pass, and refuses all that boundary.json does not list
lent_objects.py      as what an object is lent, and what of it may be read
errors.py            which exceptions tests get, and which the submission
again.py             looks again at a container that comes at another place
case_files.py        which files are the case's, by whatever link
notes.py             shows warnings and records of logs again
lengths.py           how many items an object of the submission gives
opaque.py            an object where data was expected
"""
