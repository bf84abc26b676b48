"""Python: items run in one interpreter with `-I`, in the image that also has pytest."""

from __future__ import annotations

import re

from graders.languages.language import INSIDE, ControlFile, Language

# A line of a .pth file that is executed, or a directory that is put on the path; a binary file is somebody's data.
_PTH = re.compile(r"\A[^\0]*\Z")

LANGUAGE = Language(
    name="python",
    image="python",
    programs=("python", "python3", "pytest", "uv"),
    answer_file="solution.py",
    fences=frozenset({"python", "python3", "py"}),
    command=("python3", "-I", "-c"),
    runner=(INSIDE / "python" / "item_runner.py",),
    interpreter="python",
    tools={"python": r"python[\d.]*|pypy\d?"},
    # Run at every start, or loaded in place of the source beside them.
    control_files=(
        ControlFile("sitecustomize", "python"),
        ControlFile("sitecustomize.py", "python"),
        ControlFile("sitecustomize.*so", "python"),
        ControlFile("usercustomize", "python"),
        ControlFile("usercustomize.py", "python"),
        ControlFile("usercustomize.*so", "python"),
        ControlFile("*.pth", "python", _PTH),
        ControlFile("__pycache__"),
        ControlFile("*.pyc"),
        ControlFile("pyvenv.cfg", "python"),
    ),
)
