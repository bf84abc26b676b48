"""Compares the file that the program writes."""

import json
from pathlib import Path

from gradebox_candidate import run

run(["python3", "report.py"], input="a 1\nb 22\n", timeout=5)
try:
    same = Path("table.txt").read_text() == Path(__file__).with_name("expected.txt").read_text()
except OSError:
    same = False
print(json.dumps({"assertions": [{"text": "the table is right", "passed": same}]}))

# @canary@
