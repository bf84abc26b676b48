import json
import subprocess
import sys

WANTED = json.loads('{"Ada Lovelace": "ada-lovelace", "Route 66": "route-66"}')
for text, slug in WANTED.items():
    done = subprocess.run([sys.executable, "slug.py", text], capture_output=True, text=True, timeout=5)
    sys.stderr.write(done.stderr)
    if done.stdout != f"{slug}\n":
        sys.exit(1)
