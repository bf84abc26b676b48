"""One meaning of globs: what a part matches, and where a glob begins."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.documents.globs import at_any_depth, expand, matches, matches_path, matching
from gradebox.graders.model.tree import Tree
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry


def test_the_most_that_a_glob_may_mean() -> None:
    wider = {
        glob: at_any_depth(glob) for glob in ("src/*.py", "src/*", "*.py", "./*.py", "src/**", "src/**/a*", "a/b.py")
    }
    assert wider == {
        "src/*.py": "src/**/*.py",
        "src/*": "src/**/*",
        "*.py": "*.py",
        "./*.py": "./*.py",
        "src/**": "src/**",
        "src/**/a*": "src/**/**/a*",
        "a/b.py": "a/b.py",
    }


NAMES = st.text(st.sampled_from("ab.-_"), min_size=1, max_size=5).filter(lambda name: name not in {".", ".."})
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("a.py", "a.py", True),
        ("a.py", "b.py", False),
        # Without a slash: the last component, at any depth.
        ("*.py", "src/deep/a.py", True),
        ("conftest.py", "tests/conftest.py", True),
        ("a.py", "src/not_a.py", False),
        # With one: the whole path, and a star stops at slashes.
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/*", "src/deep/a.py", True),
        ("src/**/*.py", "src/deep/a.py", True),
        ("./a.py", "a.py", True),
        ("./a.py", "src/a.py", False),
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
        ("...", ".../a.py", True),
    ],
)
def test_a_glob_of_kinds_of_files_is_as_in_gitignore(glob: str, path: str, *, expected: bool) -> None:
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


@given(PATHS, PATHS, st.sampled_from(["*a", ".b*", "a/*", "**/b", "a/b/"]))
def test_what_matches_a_directory_matches_all_below_it(path: str, below: str, glob: str) -> None:
    if matches(path, [glob]):
        assert matches(f"{path}/{below}", [glob])


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("a.txt", "a.txt", True),
        ("a.txt", "sub/a.txt", False),
        ("./a.txt", "a.txt", True),
        ("/workspace/a.txt", "a.txt", True),
        ("*.txt", "a.txt", True),
        ("*.txt", "sub/a.txt", False),
        ("sub", "sub/deep/a.txt", True),
        ("sub/", "sub/a.txt", True),
        ("s?b/*.txt", "sub/a.txt", True),
        ("**/a.txt", "a.txt", True),
        ("**/a.txt", "x/y/a.txt", True),
        ("src/**/a.txt", "src/a.txt", True),
        ("src/**/a.txt", "src/x/y/a.txt", True),
        ("src/**/a.txt", "other/a.txt", False),
        ("**", "x/y", True),
        ("src/**", "src/x/y", True),
        ("src/**", "srcs/x", False),
        ("[ab].txt", "b.txt", True),
        ("A.txt", "a.txt", False),
    ],
)
def test_a_glob_of_paths_begins_at_the_workspace_and_stars_stop_at_slashes(
    glob: str, path: str, *, matches: bool
) -> None:
    assert matches_path(path, [glob]) is matches


def test_a_path_made_to_match_slowly_does_not() -> None:
    assert not matches_path("/".join(["a"] * 2000), ["/".join(["**", "a"] * 20) + "/b"])


@pytest.mark.parametrize("glob", ["*a" * 60 + "b", "/".join(["**"] * 1000), "**/a/" * 500 + "b", "[" * 1000])
def test_no_glob_takes_long(glob: str) -> None:
    assert matches("a" * 200 + "/" + "/".join("a" * 200), [glob]) is (set(glob) == {"*", "/"})


def test_files_and_links_of_a_tree_match_and_directories_do_not() -> None:
    entries = {
        "src": ArchiveEntry("src", EntryKind.DIRECTORY, 0o755),
        "src/a.py": file_entry("src/a.py", b""),
        "src/link": ArchiveEntry("src/link", EntryKind.LINK, 0o777, target="a.py"),
        "top.py": file_entry("top.py", b""),
    }
    assert matching(Tree(entries), "src") == ["src/a.py", "src/link"]
    assert matching(Tree(entries), "*.py") == ["top.py"]


def test_files_are_found_in_order_and_hidden_ones_only_by_their_names(tmp_path: Path) -> None:
    for name in ("b/case.yaml", "a/case.yaml", "a/deep/case.yaml", ".hidden/case.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert expand(tmp_path / "*" / "case.yaml") == [tmp_path / "a/case.yaml", tmp_path / "b/case.yaml"]
    assert tmp_path / "a/deep/case.yaml" in expand(tmp_path / "**" / "case.yaml")
    assert expand(tmp_path / ".h*" / "*.yaml") == [tmp_path / ".hidden/case.yaml"]
