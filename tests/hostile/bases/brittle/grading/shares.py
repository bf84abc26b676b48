# Starts the program with its own stdout, on which it believes to be alone.
import json
import subprocess
import sys
from pathlib import Path

subprocess.run([sys.executable, "app.py", "write"], timeout=2)
print(json.dumps({"score": float(Path("ok.txt").exists())}))
