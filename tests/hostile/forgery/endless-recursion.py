import sys

sys.setrecursionlimit(10**9)


def slugify(text):
    return slugify(text)
