import json
import os
import sys

sys.path.insert(0, os.getcwd())

from slug import slugify
from wanted import WANTED

assertions = [{"text": text, "passed": slugify(text) == wanted} for text, wanted in WANTED.items()]
print(json.dumps({"assertions": assertions}))
