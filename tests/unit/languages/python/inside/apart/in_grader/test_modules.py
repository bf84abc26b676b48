"""Files of the case are read as the host has them; what else a test imports is asked of the candidate's process."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from apart_bench import pair

from gradebox.graders.languages.python.inside.apart.in_grader.files.told_names import ToldNames
from gradebox.graders.languages.python.inside.apart.in_grader.modules import CaseFiles, Modules

FILES = {"tests/helper.py": "x = 1\n", "package/__init__.py": "", "submitted.py": "raise SystemExit\n"}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a workspace of which the host lists all files but that of the submission."""
    place = tmp_path / "work"
    for name, text in FILES.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    digests = {name: sha256(text.encode()).hexdigest() for name, text in FILES.items() if name != "submitted.py"}
    (tmp_path / "told.json").write_text(json.dumps({"files": digests, "contract": None, "record": False}))
    monkeypatch.setenv("GRADEBOX_APART", str(tmp_path / "told.json"))
    monkeypatch.chdir(place)
    # Tests have a conftest of their own.
    monkeypatch.setattr(sys, "path", [each for each in sys.path if not each.startswith(str(Path(__file__).parents[6]))])
    return place


@pytest.fixture
def find(workspace: Path) -> Callable[..., Any]:
    """Return what finds a module for a file of the case; the candidate's process answers as it is told."""
    peer: Any = pair()[1]
    peer.lending, peer.places = type("Lending", (), {"told": ToldNames(), "watch": print}), []
    peer.answers = type("Answers", (), {})()
    modules = Modules(peer, str(workspace), [str(workspace), str(workspace / "tests")])

    def found(name: str, answer: Any = None) -> Any:
        peer.ask = lambda *request: answer
        return modules.find_spec(name)

    return found


def test_a_file_of_the_case_is_read_if_it_is_as_the_host_has_it(workspace: Path) -> None:
    files = CaseFiles(str(workspace))
    assert files.names == {"helper.py", "__init__.py"}
    assert str(workspace / "tests" / "helper.py") in files
    assert str(workspace / "submitted.py") not in files
    assert files.read("tests/helper.py") == b"x = 1\n"
    (workspace / "tests" / "helper.py").write_text("x = 2\n")
    with pytest.raises(ImportError, match="not as the case has it"):
        files.read("tests/helper.py")


@pytest.mark.parametrize(("path", "is_it"), [("a.py", True), (".", True), ("..", False), ("../work2/a.py", False)])
def test_what_lies_in_the_workspace(workspace: Path, path: str, is_it: bool) -> None:
    assert CaseFiles(str(workspace)).is_inside(path) == is_it


def test_a_module_of_the_case_is_found_by_its_name(find: Callable[..., Any], workspace: Path) -> None:
    spec = find("helper")
    assert spec.origin == str(workspace / "tests" / "helper.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert made.x == 1
    assert find("package").submodule_search_locations == [str(workspace / "package")]


@pytest.mark.parametrize(
    ("answer", "origin"),
    [
        ((False, "submitted.py"), "submitted.py"), ((False, "/etc/passwd"), None), ((False, "tests/helper.py"), None),
        ((True, "submitted/__init__.py"), "submitted/__init__.py"),
    ],
)  # fmt: skip
def test_a_module_of_the_submission_is_loaded_there(
    find: Callable[..., Any], workspace: Path, answer: tuple[bool, str], origin: str | None
) -> None:
    is_package, place = answer
    spec = find("submitted", (is_package, str(workspace / place)))
    assert isinstance(spec.loader, Modules)
    assert spec.origin == (origin and str(workspace / origin))
    assert (spec.submodule_search_locations is not None) == is_package


@pytest.mark.parametrize("answer", [None, (1, "submitted.py"), (False,), "submitted.py", (False, 5)], ids=str)
def test_any_other_answer_is_no_module(find: Callable[..., Any], answer: Any) -> None:
    assert find("submitted", answer) is None


def test_the_library_comes_from_the_image(find: Callable[..., Any], workspace: Path) -> None:
    (workspace / "colorsys.py").write_text("")
    assert not find("colorsys", (False, str(workspace / "colorsys.py"))).origin.startswith(str(workspace))


def test_a_conftest_of_the_submission_is_empty(find: Callable[..., Any], workspace: Path) -> None:
    spec = find("conftest", (False, str(workspace / "conftest.py")))
    assert not isinstance(spec.loader, Modules)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert [name for name in vars(made) if not name.startswith("__")] == []
