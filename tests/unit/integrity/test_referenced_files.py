"""Which files a command names: words that may be paths."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tampering_bench import step, tree

from gradebox.graders.integrity.referenced_files import named_entries, named_paths
from gradebox.sandbox.archive import check_path

NAMES = st.text(st.sampled_from("abc.-_ '\"$é"), min_size=1, max_size=6).filter(lambda name: name not in {".", ".."})
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
PLAIN = PATHS.filter(lambda path: not set(path) & set(" '\"$"))


@given(PATHS)
def test_a_path_that_is_a_word_is_named(path: str) -> None:
    assert path in named_paths(["cat", path])
    assert path in named_paths([f"/workspace/{path}"])
    assert path in named_paths([f"./{path}"])


@given(PLAIN)
def test_a_path_in_an_option_or_of_one_test_is_named(path: str) -> None:
    assert path in named_paths([f"--config={path}", "x"])
    assert path in named_paths([f"{path}::TestLogin::test_it"])


@given(
    PATHS.filter(lambda path: not path.startswith("-")),
    st.sampled_from(["cat {}", "a && cat {} | b", "(cat {}; b)", "cat < {}>out", "X={} b"]),
)
def test_a_path_that_a_shell_would_take_from_a_line_is_named(path: str, line: str) -> None:
    assert path in named_paths(["sh", "-c", line.format(shlex.quote(path))])


@given(PLAIN.filter(lambda path: not path.startswith("-")), st.integers(0, 4), st.sampled_from(["sh -c", "bash -lc"]))
def test_a_path_in_a_line_within_a_line_is_named(path: str, depth: int, shell: str) -> None:
    line = f"diff x {path}"
    for _ in range(depth):
        line = f"{shell} {shlex.quote(line)}"
    assert path in named_paths(["sh", "-c", line])
    assert path in named_paths(["timeout", "5", "sh", "-c", line])


def test_words_of_a_text_in_a_line_name_no_file() -> None:
    assert "grading/a" not in named_paths(["sh", "-c", "grep 'see grading/a' out.txt"])


@given(st.lists(st.text(max_size=20), max_size=4), st.sampled_from(["/workspace", "/workspace/src"]))
def test_nothing_that_is_named_leads_out_of_the_workspace(arguments: list[str], cwd: str) -> None:
    for path in named_paths(arguments, cwd):
        assert check_path(path) is None


@pytest.mark.parametrize(
    ("arguments", "cwd", "named"),
    [
        (["/etc/passwd", "..", "../a", "a/../../b", ".", "/", ""], "/workspace", ()),
        (["a/../b", "c//d", "./e/"], "/workspace", ("b", "c/d", "e")),
        (["a"], "/workspace/src", ("a", "src/a")),
        (["../grading/a", "../../a"], "/workspace/src", ("grading/a",)),
        (["/workspace/a"], "/workspace/src", ("a",)),
        (["python3", "-m", "notes"], "/workspace", ("python3", "-m")),
        (["go", "test", "./grading/...", "./..."], "/workspace", ("go", "test", "grading/...", "grading", "...")),
        (["a\0b"], "/workspace", ()),
        (["it's a"], "/workspace", ("it's a", "it's", "a")),
    ],
)
def test_named_paths(arguments: list[str], cwd: str, named: tuple[str, ...]) -> None:
    assert named_paths(arguments, cwd) == named


def test_entries_are_named_by_their_paths_and_by_globs_below_a_directory() -> None:
    files = tree(
        {"tests/": "", "tests/a.py": "", "tests/b.py": "", "tests/deep/": "", "tests/deep/c.py": "", "a.py": ""}
    )
    assert named_entries([step("pytest", "tests/*.py")], files) == {"tests/a.py", "tests/b.py"}
    assert named_entries([step("cat", "a.py", "../tests/deep", cwd="/workspace/src")], files) == {"a.py", "tests/deep"}
    # What matches everywhere names nothing.
    assert named_entries([step("cat", "*.py")], files) == frozenset()
