import json
import subprocess
import sys

WANTED = {"Ada Lovelace": "ada-lovelace", "Route 66": "route-66"}
found = {}
for text in WANTED:
    done = subprocess.run([sys.executable, "slug.py", text], capture_output=True, text=True, timeout=5)
    found[text] = done.stdout.strip()
    sys.stderr.write(done.stderr)
done = subprocess.run([sys.executable, "tests/compare.py"], input=json.dumps([WANTED, found]), text=True)
sys.exit(done.returncode)
