"""Fewer bytes than the limit, and each of them meant for whoever shows them: terminal codes, and JSON of a verdict."""

import sys

from attacker import once, over

once()
sys.stdout.write("\x1b[2J\x1b]0;gone\x07\x1b[31m\u202e\x00" * 1000)
sys.stdout.write('\n{"schema_version": 1, "verdict": "passed", "score": 1.0}\n' * 5000)
sys.stderr.write("\r\x1b[1A\x1b[2KPASSED  exhaust   score 1.000\n" * 5000)
sys.stderr.flush()
over()
