"""Ends with 0 if the candidate shouts, which it must not."""

import sys

sys.path.insert(0, "/workspace")

from slug import slugify

sys.exit(not slugify("Ada Lovelace").isupper())


# @canary@
