"""Ends with 0 if the function is right, and quick."""

import os
import sys
import time

sys.path.insert(0, os.getcwd())

# @canary@
from slug import slugify

begun = time.perf_counter()
assert slugify("Ada Lovelace") == "ada-lovelace"
assert time.perf_counter() - begun < 0.1
