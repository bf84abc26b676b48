"""Python judged apart, with the real engine: two users, the tests in one process and the submission in the other."""

# ruff: noqa: E501 - programs of a line each

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.model.result import Result
from gradebox.graders.submissions.source import read_submission

CASE = """
input: Write words.py
language: python
isolation: apart
examples: [from words import count; assert count("a b") == 2, "import words; words.open_all(); assert words.count('') == 0"]
assertions:
  - {type: examples}
  - {name: shared, type: examples, isolation: shared}
  - {name: pytest, type: code-grader, command: python3 -m pytest -q grading/test_words.py}
  - {name: program, type: code-grader, command: "PYTHONPATH=. pytest -q grading/test_words.py"}
  - {name: unittest, type: code-grader, command: python3 -m unittest grading/cases.py}
  - {name: together, type: examples, isolation: in-process}
"""
TESTS = """
import os, subprocess, tempfile
import words

def test_users():
    assert words.uid() != os.getuid()
    assert "denied" in words.open_all()
    assert words.environment("HOME") != os.environ["HOME"]

def test_files(tmp_path):
    (tmp_path / "x").write_text("hi")
    words.save(tmp_path / "x")
    words.save(tmp_path / "new")
    assert (tmp_path / "x").read_text() == "hi!" and (tmp_path / "new").exists()
    with tempfile.TemporaryDirectory() as directory:
        words.save(os.path.join(directory, "y"))
        assert os.listdir(directory) == ["y"]

def test_private_files(tmp_path):
    words.save(tmp_path / "x")
    words.hide(tmp_path / "x")
    assert (tmp_path / "x").read_text() == "!"
    with open(words.made()) as file: assert file.read() == "hi"
    assert os.listdir(words.directory()) == ["x"]
    words.save("here.txt")
    words.hide("here.txt")
    assert open("here.txt").read() == "!"

def test_files_that_stay_open(tmp_path):
    log = words.Log(tmp_path / "log")
    log.write("a")
    log.write("b")
    log.file.close()
    assert (tmp_path / "log").read_text() == "ab"
    words.write(tmp_path / "called", lambda: "c")
    assert (tmp_path / "called").read_text() == "c"

def test_program():
    assert subprocess.check_output(["candidate", "python3", "-c", "import words; print(words.count('x y'))"]) == b"2\\n"

def test_named_files(tmp_path):
    from pathlib import Path
    import pytest
    assert words.name() == "golden.txt" and (Path(__file__).parent / words.name()).read_text() == "golden"
    (tmp_path / "own").write_text("own")
    for name in words.named(tmp_path / "own"):
        assert Path(name).read_text() in ("own", "made")
    for name in words.hidden():
        with pytest.raises(PermissionError, match="named a file that it cannot read"):
            (tmp_path / name).read_text()

def test_output(capfd):
    words.shout()
    assert capfd.readouterr().out == "loud\\nshell\\n"
"""
CASES = """
import unittest, words
class Words(unittest.TestCase):
    def test_count(self): self.assertEqual(words.count("x y"), 2)
"""
REFERENCE = """
import os, tempfile
def count(text): return len(text.split())
def uid(): return os.getuid()
def environment(name): return os.environ[name]
def save(path):
    with open(path, "a") as file: file.write("!")
def write(path, text):
    with open(path, "w") as file: file.write(text())
class Log:
    def __init__(self, path): self.file = open(path, "w")
    def write(self, text): self.file.write(text)
def hide(path): os.chmod(path, 0o600)
def made():
    made, path = tempfile.mkstemp()
    os.write(made, b"hi")
    os.close(made)
    return path
def directory():
    path = tempfile.mkdtemp()
    open(os.path.join(path, "x"), "w").close()
    return path
def named(path):
    made = tempfile.mkstemp()[1]
    for name in (made, "made.txt"):
        with open(name, "w") as file: file.write("made")
        os.chmod(name, 0o600)
    return [made, path, str(path), made, "made.txt", os.path.abspath("made.txt")]
def name(): return "golden.txt"
def hidden():
    return ["/workspace/grading/golden.txt", "/workspace/grading/../grading//golden.txt", "../" * 9 + "workspace/grading/golden.txt"]
def shout():
    print("loud", flush=True)
    os.system("echo shell")
def open_all():
    try:
        return os.listdir("grading")
    except PermissionError:
        return "denied"
    except FileNotFoundError:
        return "missing"
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    base = tmp_path_factory.mktemp("apart")
    files = {
        "case/case.yaml": CASE, "case/grading/test_words.py": TESTS, "case/grading/cases.py": CASES, "case/grading/golden.txt": "golden",
        "right/words.py": REFERENCE, "wrong/words.py": REFERENCE.replace("len(text.split())", "3"),
        "dies/words.py": REFERENCE.replace("return len(text.split())", "os._exit(0)"),
        "kills/words.py": REFERENCE + "for pid in range(2, 9999):\n    try: pid == os.getpid() or os.kill(pid, 9)\n    except OSError: pass",
    }  # fmt: skip
    for name, text in files.items():
        path: Path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    case, names = load_case(base / "case"), ("right", "wrong", "dies", "kills")
    with Grader() as grader:
        results = grader.grade_many([Task(case, read_submission(base / name)) for name in names], jobs=2)
        return dict(zip(names, results, strict=True))


def scores(result: Result) -> dict[str, float | None]:
    return {check.name: check.score for check in result.verdict.checks}


def test_honest_work_passes_and_every_check_says_how_it_was_judged(graded: dict[str, Result]) -> None:
    checks = graded["right"].verdict.checks
    assert scores(graded["right"]) == dict.fromkeys(scores(graded["right"]), 1.0), checks
    assert {check.name: check.judged for check in checks} == {
        **dict.fromkeys([check.name for check in checks], "apart"), "together": "in-process",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["wrong", "dies"])
def test_other_work_fails_every_check(graded: dict[str, Result], name: str) -> None:
    assert max(score or 0 for score in scores(graded[name]).values()) <= 0.5
    assert graded[name].verdict.status == "failed"


def test_a_submission_that_kills_everything_kills_only_its_own(graded: dict[str, Result]) -> None:
    assert {name for name, score in scores(graded["kills"]).items() if score == 1.0} >= {"pytest", "unittest", "shared"}
