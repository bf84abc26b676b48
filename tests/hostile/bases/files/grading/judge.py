"""Runs the candidate's function, in its own process: nothing here is about forging."""

import sys

# @canary@
sys.path.insert(0, "/workspace")

from slug import slugify

sys.exit(slugify("Ada Lovelace") != "ada-lovelace" or slugify("Route 66") != "route-66")
