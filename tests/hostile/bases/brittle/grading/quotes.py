# Believes that a program ends in time, prints UTF-8 and little of it, and has a number as its score. @canary@
import json
import subprocess
import sys

ran = subprocess.run([sys.executable, "app.py", "slug", "A B"], stdout=subprocess.PIPE, text=True, timeout=1, check=True)
seen = ran.stdout.strip()
share = len(json.loads(seen)) if seen.startswith("[") else float(seen == "a-b")
print(json.dumps({"score": share, "details": seen}))
