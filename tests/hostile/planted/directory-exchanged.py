import os
from pathlib import Path

try:
    os.rename("tests", "before")
    Path("tests").mkdir()
    Path("tests/compare.py").write_text("print('BREACH: another grader')\n")
except OSError as error:
    print(error)
