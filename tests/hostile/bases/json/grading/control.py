import os
import sys

sys.path.insert(0, os.getcwd())

from slug import slugify

sys.exit(slugify("Ada Lovelace") != "neither words nor hyphens")


# @canary@
