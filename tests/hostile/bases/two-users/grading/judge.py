"""Asks the candidate, who is another user; the answers are on stdin."""

import json
import sys

from gradebox_candidate import run

wanted = json.load(sys.stdin)["expected_output"]


def answer(text):
    done = run(["python3", "-I", "-B", "slug.py", text], timeout=2)
    sys.stderr.write(done.stderr)
    return done.stdout


assertions = [{"text": text, "passed": answer(text) == f"{slug}\n"} for text, slug in wanted.items()]
print(json.dumps({"assertions": assertions}))

# @canary@
