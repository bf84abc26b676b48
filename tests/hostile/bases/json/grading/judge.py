import json
import os
import sys

sys.path.insert(0, os.getcwd())

from slug import slugify
from wanted import IMPOSSIBLE, WANTED

wanted = IMPOSSIBLE if sys.argv[1:] == ["--control"] else WANTED
assertions = [{"text": text, "passed": slugify(text) == slug} for text, slug in wanted.items()]
print(json.dumps({"assertions": assertions}))
