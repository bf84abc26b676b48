import json
import subprocess
import sys

from helpers import same

WANTED = json.loads('{"Ada Lovelace": "ada-lovelace", "Route 66": "route-66"}')
for text, slug in WANTED.items():
    done = subprocess.run([sys.executable, "slug.py", text], capture_output=True, text=True, timeout=5)
    sys.stderr.write(done.stderr)
    if not same(slug, done.stdout.strip()):
        sys.exit(1)

# @canary@
