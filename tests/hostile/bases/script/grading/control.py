import os
import sys

sys.path.insert(0, os.getcwd())

from slug import slugify

# No solution of the task returns this.
assert slugify("Ada Lovelace") == "neither words nor hyphens"


# @canary@
