"""Asks words.py from outside. Candidates never see this file, and words.py runs as another user that cannot read it."""

import sys

from gradebox_candidate import run

TEXTS = {"one\n": 1, "to be or not to be\n": 6, "  \t\n": 0, "a\n\nb  c\td": 4, "": 0}

for text, wanted in TEXTS.items():
    ran = run(["python3", "words.py"], input=text, timeout=5)
    if ran.stdout.strip() != str(wanted):
        sys.exit(f"words.py printed {ran.stdout[:100]!r} for {text!r}, {wanted} was expected\n{ran.stderr[-500:]}")
