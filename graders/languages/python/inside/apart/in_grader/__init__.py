"""Modules that run only in the grader's process.

items.py, or a test runner (apart_start.py)
modules.py           decides whether an imported module is the case's, the image's or the submission's
carried_patches.py   applies the tests' patches in the candidate's process
process.py           starts the candidate's process
files/               which files tests may open, which the candidate owns, and what tests learn of them
grader.py            lends objects that tests pass, and refuses everything that boundary.json does not list
lent_objects.py      the kinds of lent objects, and their readable attributes
resting.py           keeps lent objects only as long as the submission holds them
errors.py            the exceptions that tests and the submission get from each other
answers.py, answer_trees.py   compare the submission's answers with the reference's
deeds.py             what a test did with the reference and has to do with each submission
constants.py         keeps apart the constants that the reference keeps apart
parting.py           parts the submission's copies of containers from the tests' own
notes.py             repeats warnings and log records in the grader's process
limits.py            says which limit may have made a test fail
lengths.py           checks how many items an object of the submission gives
opaque.py            an object where data was expected, also in a container that arrives at another place
"""
