"""Files that the submission makes while tests of Python call it: what the tests open is the submission's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders.cases import load
from gradebox.graders.grading.grader import Grader
from gradebox.graders.model.verdict import Status
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

_CASE = """
input: Write solve.py. Its function run writes files.
isolation: apart
assertions: [{type: code-grader, name: judge, command: python3 -m pytest -q grading}]
"""
_OPENS = """
import solve
from pathlib import Path
def test_files():
    expected = (Path(__file__).parent / "expected.txt").read_text()
    for turn in range(2):
        solve.run(turn)
        for name in ("out.txt", "out/answer.txt", "/tmp/answer.txt"):
            assert Path(name).read_text() == expected
"""
_OUT = "/tmp/answer.txt"
_BEFORE = """
import os
def run(turn):
    os.makedirs("out", exist_ok=True)
    open("out.txt", "w").write("4711\\n")
    open("out/answer.txt", "w").write("4711\\n")
    open("/tmp/answer.txt", "w").write("4711\\n")
"""


_LINK = '    os.remove("out.txt"); os.symlink("grading/expected.txt", "out.txt")\n'


@pytest.mark.parametrize(
    ("directory", "solve", "passes"),
    [
        ("", _BEFORE, True),
        ("", _BEFORE + '    os.remove("out.txt"); os.symlink("out/answer.txt", "out.txt")\n', True),
        ("", _BEFORE + _LINK, False),
        ("", _BEFORE + '    os.rename("out", f"o{turn}"); os.symlink("grading", "out")\n', False),
        ("", _BEFORE + f'    os.remove({_OUT!r}); os.symlink("/workspace/grading/expected.txt", {_OUT!r})\n', False),
        (
            "",
            _BEFORE + '    os.remove("out/answer.txt"); os.symlink("../grading/expected.txt", "out/answer.txt")\n',
            False,
        ),
        ("", _BEFORE + '    os.remove("out.txt"); os.mkfifo("out.txt")\n', False),
        ("src", _BEFORE, True),
        ("src", _BEFORE + _LINK, False),
    ],
)
def test_a_file_that_a_living_candidate_made_is_its_own(
    engine: DockerEngine, tmp_path: Path, directory: str, solve: str, passes: bool
) -> None:
    opens = _OPENS if passes else _OPENS.replace("range(2)", "range(1)")
    if "os.rename" in solve:
        opens = opens.replace('"out/answer.txt"', '"out/expected.txt"')
    case_text, work = _CASE, "solve.py"
    if directory:
        # The command may run in another directory than the workspace.
        case_text = case_text.replace("pytest -q grading", f"pytest -q ../grading, cwd: {directory}")
        case_text = case_text.replace("solve.py", f"{directory}/solve.py")
        opens, work = opens.replace("Path(name)", 'Path("..", name)'), f"{directory}/solve.py"
        solve = solve.replace("(turn):\n", '(turn):\n    os.chdir("..")\n') + f'    os.chdir("{directory}")\n'
    files = {"grading/test_it.py": opens, "grading/expected.txt": "4711\n", "case.yaml": case_text}
    write(tmp_path, {**{f"case/{name}": text for name, text in files.items()}, f"work/{work}": solve})
    (case,) = load(tmp_path / "case").cases
    with Grader(engine=engine) as grader:
        result = grader.grade(case, read_submission(tmp_path / "work"))
    assert result.verdict.status is (Status.PASSED if passes else Status.FAILED), result.verdict.reasons
