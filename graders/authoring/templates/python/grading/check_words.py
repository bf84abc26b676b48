"""Asks words.py from outside. Candidates never see this file."""

import subprocess
import sys

TEXTS = {"one\n": 1, "to be or not to be\n": 6, "  \t\n": 0, "a\n\nb  c\td": 4, "": 0}

for text, wanted in TEXTS.items():
    ran = subprocess.run([sys.executable, "words.py"], input=text, capture_output=True, text=True, timeout=5)
    if ran.stdout.strip() != str(wanted):
        sys.exit(f"words.py printed {ran.stdout[:100]!r} for {text!r}, {wanted} was expected\n{ran.stderr[-500:]}")
