"""A script runs as Python would run it, except that what lies beside it takes no module's place."""

from __future__ import annotations

import subprocess
from pathlib import Path

from host_runner import PYTHON

from gradebox.graders.languages.bundle import bundle
from gradebox.graders.languages.language import inside

SCRIPT = """import json, sys, beside
print(__name__, sys.argv, __file__, __doc__, beside.X, json.dumps([1]))
"""


def test_the_library_comes_before_what_lies_beside_the_script(tmp_path: Path) -> None:
    place = tmp_path / "grading"
    place.mkdir()
    for name, text in {"script.py": SCRIPT, "beside.py": "X = 5\n", "json.py": "raise SystemExit('taken')\n"}.items():
        (place / name).write_text(text)
    (tmp_path / "sys.py").write_text("raise SystemExit('taken')\n")
    source = bundle(inside("python") / "start_script.py")
    words = [PYTHON, "-c", source, "grading/script.py", "a", "b"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    said = f"__main__ ['grading/script.py', 'a', 'b'] {place}/script.py None 5 [1]\n"
    assert (ran.stdout, ran.stderr, ran.returncode) == (said, "", 0)
