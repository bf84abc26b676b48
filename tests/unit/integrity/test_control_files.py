"""Names of files that steer a judge, and the globs of `protect` and `allow`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.documents.globs import matches
from gradebox.graders.integrity.control_files import control_globs, env, home_files, is_control_file

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


@given(PATHS)
def test_a_glob_of_each_control_file_allows_exactly_the_control_files(path: str) -> None:
    assert matches(path, control_globs()) == is_control_file(path)


def test_interpreters_load_nothing_that_was_left_below_home() -> None:
    assert {".local/lib/", ".julia/config/", ".bash_profile", ".npmrc", ".curlrc"} <= set(home_files())
    assert len(set(home_files())) == len(home_files())
    assert not any(place.startswith("/") or ".." in place for place in home_files())
    assert env()["PYTHONNOUSERSITE"] == "1"
