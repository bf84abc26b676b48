import json
import sys

from wording import same

wanted, found = json.load(sys.stdin)
sys.exit(not all(same(wanted[text], found[text]) for text in wanted))
