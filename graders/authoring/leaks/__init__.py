"""Finds out whether a candidate can read the answer of a case before grading: in the image or in the environment.

hidden      the texts that must not be there: the reference's additions, the tests
shingles    text -> hashes that survive moving, indenting and renaming
texts       bytes -> the texts in them: archives, git objects, compiled Python, binary files
search      compares all files of an image that a candidate can read with the hidden texts
"""
