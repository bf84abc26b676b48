import os
import sys

sys.path.insert(0, os.getcwd())

from slug import slugify

assert slugify("Ada Lovelace") == "ada-lovelace"
assert slugify("Route 66") == "route-66"
assert [slugify(word) for word in ("A", "B c")] == ["a", "b-c"]
