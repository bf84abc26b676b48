"""Names of files that steer a judge, and the globs of `protect` and `allow`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.documents.protected_globs import matches
from graders.integrity.control_files import control_globs, is_control_file

NAMES = st.text(st.sampled_from("ab.-_"), min_size=1, max_size=5).filter(lambda name: name not in {".", ".."})
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@pytest.mark.parametrize(
    "path",
    [
        "conftest.py",
        "tests/deep/conftest.py",
        "pytest.ini",
        "sitecustomize.py",
        "src/sitecustomize/__init__.py",
        "usercustomize.cpython-311-x86_64-linux-gnu.so",
        "src/easy-install.pth",
        "src/__pycache__/auth.cpython-311.pyc",
        "bunfig.toml",
        "vitest.config.ts",
        ".env",
        ".env.local",
        ".git/hooks/pre-commit",
        "vendor/.git",
    ],
)
def test_what_steers_a_judge_is_a_control_file_wherever_it_lies(path: str) -> None:
    assert is_control_file(path)


@pytest.mark.parametrize(
    "path",
    ["auth.py", "tests/test_auth.py", "my_conftest.py", "conftest.py.txt", "environment", "pytest", ".gitignore"],
)
def test_ordinary_work_is_none(path: str) -> None:
    assert not is_control_file(path)


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("a.py", "a.py", True),
        ("./a.py", "a.py", True),
        ("a.py", "b.py", False),
        # Without a slash: the last component, at any depth.
        ("*.py", "src/deep/a.py", True),
        ("conftest.py", "tests/conftest.py", True),
        ("a.py", "src/not_a.py", False),
        # With one: the whole path, and a star does not stop at slashes.
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", True),
        ("src/*.py", "lib/src/a.py", False),
        ("src/a.py", "a.py", False),
        ("**/a.py", "a.py", True),
        ("**/a.py", "x/y/a.py", True),
        ("**/t/a.py", "t/a.py", True),
        ("src/**/a.py", "src/x/a.py", True),
        # A directory covers all below it.
        ("tests", "tests/a.py", True),
        ("tests/", "tests/deep/a.py", True),
        ("tests/", "pkg/tests/a.py", True),
        ("src/tests", "src/tests/deep/a.py", True),
        ("src/tests", "lib/src/tests/a.py", False),
        ("**/tests", "tests/a.py", True),
        ("tests", "tests.py", False),
        ("tests", "my-tests/a.py", False),
        ("[ab].py", "b.py", True),
        ("A.py", "a.py", False),
        ("", "a.py", False),
        ("./", "a.py", False),
        ("/", "a.py", False),
    ],
)
def test_matches(glob: str, path: str, *, expected: bool) -> None:
    assert matches(path, [glob]) is expected


def test_no_globs_match_nothing_and_one_of_many_is_enough() -> None:
    assert not matches("a.py", [])
    assert matches("a.py", ["b.py", "*.py"])


@given(PATHS)
def test_every_path_matches_itself_its_name_and_its_directories(path: str) -> None:
    parts = path.split("/")
    assert matches(path, [path])
    assert matches(path, [parts[-1]])
    assert matches(path, ["*"])
    assert all(matches(path, ["/".join(parts[:count]) + "/"]) for count in range(1, len(parts)))


@given(PATHS, PATHS, st.sampled_from([*control_globs(), "a/*", "**/b", "a/b/"]))
def test_what_matches_a_directory_matches_all_below_it(path: str, below: str, glob: str) -> None:
    if matches(path, [glob]):
        assert matches(f"{path}/{below}", [glob])


@given(PATHS)
def test_a_glob_of_each_control_file_allows_exactly_the_control_files(path: str) -> None:
    assert matches(path, control_globs()) == is_control_file(path)
