"""Wherever the image or the command leads Python: a grader's Python loads no module that a submission could write."""

from __future__ import annotations

from pathlib import Path

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.submissions.source import read_submission

HEAD = "input: Write src/calc, a package with add.\nlanguage: python\nisolation: apart\n"
CHECK = "  - {{name: '{0}', type: code-grader, command: '{0}', required: true}}\n"
JUDGE = """
from gradebox_candidate import run
code = "import sys; sys.path.insert(0, 'src'); import calc; print(calc.add(2, 3))"
assert run(["python3", "-c", code]).stdout == "5\\n"
"""
TESTS = """
import sys, unittest
{path}from calc import add
import calc.ops
class AddTest(unittest.TestCase):
    def test_add(self): self.assertEqual(add(2, 3), 5)
"""
# Debian's Python looks for this module at its start.
BREACH = """
import os
def install():
    if os.getuid() == 0 or os.access("/.candidate", os.R_OK):
        os.write(2, b"BREACH\\n")
        os._exit(0)
"""
HONEST = {"src/calc/__init__.py": "from .ops import add\n", "src/calc/ops.py": "def add(a, b): return a + b\n"}
ENCODINGS = 'import posix\nif posix.access("/.candidate", 4):\n    posix.write(2, b"BREACH\\n")\n    posix._exit(0)\n'
PLANTED = dict.fromkeys(["src/apport_python_hook.py", "apport_python_hook.py"], BREACH)
PLANTED["src/encodings/__init__.py"] = ENCODINGS
FORGED = {**HONEST, **PLANTED, "src/calc/ops.py": f"{BREACH}install()\ndef add(a, b): return 0\n"}
# As `pip install -e .` leaves them, with a path and with a finder.
LEADING = """FROM gradebox/python:0.2.0
USER root
WORKDIR /usr/local/lib/python3.11/dist-packages
RUN echo /workspace/src > __editable__.a.pth; \\
    echo 'import finder; finder.install()' > __editable__.b.pth
COPY finder.py ./
"""
FINDER = """
import sys
from importlib.util import spec_from_file_location
class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name in ("calc", "attr", "colorama"):
            return spec_from_file_location(name, "/workspace/src/calc/__init__.py")
def install(): sys.meta_path.append(Finder)
"""


def graded(base: Path, case: str, files: dict[str, str], path: str = "") -> None:
    """Grade honest work, which has to pass, and forged work, which has to fail everything that is required."""
    tests = TESTS.format(path=path)
    laid = {"case/case.yaml": case, "case/grading/judge.py": JUDGE, "case/grading/test_add.py": tests}
    laid |= {f"case/{name}": text for name, text in files.items()}
    laid |= {f"case/reference/{name}": text for name, text in HONEST.items()}
    laid |= {f"honest/{name}": text for name, text in HONEST.items()}
    laid |= {f"forged/{name}": text for name, text in FORGED.items()}
    for name, text in laid.items():
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(text)
    task = load_case(base / "case")
    with Grader() as grader:
        honest, forged = grader.grade_many([Task(task, read_submission(base / name)) for name in ("honest", "forged")])
    assert honest.verdict.status == "passed", honest.verdict
    assert {check.score for check in forged.verdict.checks} == {0.0}, forged.verdict
    assert "BREACH" not in repr(forged.verdict)


def checks(*commands: str) -> str:
    return f"assertions:\n{''.join(map(CHECK.format, commands))}"


def test_uv_leads_the_candidate_alone_into_the_project(tmp_path: Path) -> None:
    commands = "pytest -q grading/test_add.py", "python3 -m unittest grading/test_add.py", "grading/judge.py"
    case = f"{HEAD}protect: [pyproject.toml]\n" + checks(*(f"uv run {command}" for command in commands))
    graded(tmp_path, case, {"workspace/pyproject.toml": "[project]\nname = 'calc'\n"})


def test_what_is_installed_in_place_is_found_by_the_candidate_alone(tmp_path: Path) -> None:
    commands = "pytest -q grading/test_add.py", "python3 -m unittest grading/test_add.py", "python3 grading/judge.py"
    items = 'examples: ["from calc import add; assert add(2, 3) == 5"]\n'
    together = "  - {type: examples}\n  - {name: together, type: examples, isolation: in-process}\n"
    case = f"image: {{dockerfile: Dockerfile}}\n{HEAD}{items}{checks(*commands)}{together}"
    graded(tmp_path, case, {"Dockerfile": LEADING, "finder.py": FINDER})


def test_a_path_of_the_image_is_the_candidate_s(tmp_path: Path) -> None:
    commands = "pytest -q grading/test_add.py", "python3 -m unittest grading/test_add.py", "python3 grading/judge.py"
    case = f"image: {{dockerfile: Dockerfile}}\n{HEAD}{checks(*commands)}"
    graded(tmp_path, case, {"Dockerfile": "FROM gradebox/python:0.2.0\nENV PYTHONPATH=/workspace:/workspace/src\n"})


# How a grader's script starts Python, and what asks in there whether the candidate could write where that looks.
STARTS = ("python3", "uv run python3", "env python3", "sh -c 'exec python3 \"$@\"' sh", "uv run grading/look.py")
LOOK = """
import os, site, subprocess, sys
places = {*sys.path, *site.getsitepackages(), *site.PREFIXES, os.path.dirname(os.path.realpath(sys.executable))}
assert not site.ENABLE_USER_SITE and "" not in places, places
above = {place.rsplit("/", count)[0] or "/" for place in places for count in range(place.count("/"))}
code = 'for place; do for each in "$place" "$place"/*.pth "$place"/*custom* "$place/pyvenv.cfg"; do '
code += 'if [ -w "$each" ] && [ "$each" != /workspace ]; then echo "$each"; fi; done; done'
found = subprocess.run(["candidate", "sh", "-c", code, "sh", *sorted(above)], capture_output=True, text=True)
assert (found.returncode, found.stdout) == (0, ""), found
assert subprocess.run(["candidate", "sh", "-c", "test -w /workspace"]).returncode == 0
print("looked")
"""


def test_a_python_that_a_script_starts_looks_only_where_no_submission_writes(tmp_path: Path) -> None:
    lines = [
        f'[ "$({start} {"" if start.endswith(".py") else "grading/look.py"})" = looked ] || exit 1' for start in STARTS
    ]
    (tmp_path / "case/grading").mkdir(parents=True)
    case = "input: Write.\nlanguage: python\nisolation: apart\n" + checks("bash grading/look.sh")
    (tmp_path / "case/case.yaml").write_text(case)
    (tmp_path / "case/grading/look.sh").write_text("\n".join([*lines, ""]))
    (tmp_path / "case/grading/look.py").write_text(LOOK)
    names = ["sitecustomize.py", "usercustomize.py", "apport_python_hook.py"]
    for place in ("", "grading/", "src/", ".local/lib/python3.11/site-packages/"):
        (tmp_path / "work" / place).mkdir(parents=True, exist_ok=True)
        for name in names:
            (tmp_path / "work" / place / name).write_text(f"{BREACH}install()\n")
        (tmp_path / "work" / place / "a.pth").write_text("/workspace/src\nimport apport_python_hook\n")
    with Grader() as grader:
        graded = grader.grade(tmp_path / "case", tmp_path / "work")
    assert [check.score for check in graded.verdict.checks] == [1.0], graded.verdict
    assert "BREACH" not in repr(graded.verdict)
