"""The images of cases that say how theirs is built.

describe      what such an image is made of
case_images   which are built, when, and how many at a time
unused        which nobody needs any more
"""
