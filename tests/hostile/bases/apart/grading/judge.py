"""Asks the candidate as another process; only this one's memory has the answers, and nobody may look into it."""

import ctypes
import json
import os
import signal
import subprocess
import sys

PR_SET_DUMPABLE = 4
ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
wanted = json.load(sys.stdin)["expected_output"]


def answer(text):
    command = [sys.executable, "-I", "-B", "slug.py", text]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=3)
    except (subprocess.TimeoutExpired, OSError):
        # OSError: it has no room left to be started in.
        return None
    sys.stderr.write(done.stderr.decode("utf-8", "replace"))
    return done.stdout.decode("utf-8", "replace")


assertions = [{"text": text, "passed": answer(text) == f"{slug}\n"} for text, slug in wanted.items()]
try:
    # Whatever the candidate left behind prints nothing more: these are all processes of this user but this one.
    os.kill(-1, signal.SIGKILL)
except ProcessLookupError:
    pass
print(json.dumps({"assertions": assertions}))

# @canary@
