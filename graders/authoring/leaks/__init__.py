"""Whether a candidate can read the answer of a case before it is graded: in its image or in its environment.

hidden      the texts that must not be there: the reference's additions, the tests
shingles    text -> hashes that survive moving, indenting and renaming
texts       bytes -> the texts in them: archives, git objects, compiled Python, binary files
search      all files of an image that a candidate can read, against what is hidden
"""
