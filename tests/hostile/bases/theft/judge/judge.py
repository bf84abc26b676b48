"""Asks the candidate as another process; only this one's memory has the answers, and nobody may look into it."""

import ctypes
import json
import subprocess
import sys

PR_SET_DUMPABLE = 4
ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
wanted = json.load(sys.stdin)["expected_output"]


def answer(text):
    command = [sys.executable, "-I", "-B", "slug.py", text]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=4)
    sys.stderr.write(done.stderr.decode("utf-8", "replace"))
    return done.stdout.decode("utf-8", "replace")


assertions = [{"text": text, "passed": answer(text) == f"{slug}\n"} for text, slug in wanted.items()]
print(json.dumps({"assertions": assertions}))
