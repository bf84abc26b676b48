from pathlib import Path

try:
    Path("tests/json.py").write_text("import os\nprint('BREACH: loaded as json', flush=True)\nos._exit(0)\n")
except OSError as error:
    print(error)
