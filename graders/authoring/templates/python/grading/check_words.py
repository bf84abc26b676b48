"""Asks words.py from outside. The answers come on stdin: no file of the sandbox has them while words.py runs."""

import ctypes
import json
import subprocess
import sys

# From here on no program that this one starts can read its memory.
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
answers = json.load(sys.stdin)["expected_output"][0]["content"]

for text, wanted in answers.items():
    ran = subprocess.run([sys.executable, "words.py"], input=text, capture_output=True, text=True, timeout=5)
    if ran.stdout.strip() != str(wanted):
        sys.exit(f"words.py printed {ran.stdout[:100]!r} for {text!r}, {wanted} was expected\n{ran.stderr[-500:]}")
