"""The difference of two workspaces: exactly what makes one of the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.model.submission import Form, Submission, digest
from gradebox.graders.model.tree import Tree, content, parents
from gradebox.graders.submissions.overlay import lay
from gradebox.graders.targets.changes import changes, fetched
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry


def tree(**files: str) -> Tree:
    return fetched(file_entry(path.replace("__", "/"), data.encode()) for path, data in files.items())


def test_only_what_changed_is_handed_in_and_what_is_gone_is_named() -> None:
    before = tree(kept="1", changed="1", gone="1", d__gone="1")
    after = tree(kept="1", changed="2", added="3")
    made, deleted = changes(before, after)
    assert ({path: content(entry) for path, entry in made.entries.items()}, deleted) == (
        {"added": b"3", "changed": b"2"},
        ("d/gone", "gone"),
    )


def test_the_right_to_execute_is_a_change_and_a_time_is_none() -> None:
    before = Tree({name: ArchiveEntry(name, EntryKind.FILE, 0o644, 1, mtime=1, data=b"x") for name in "ab"})
    after = fetched(
        [
            ArchiveEntry("a", EntryKind.FILE, 0o755, 1, mtime=2, data=b"x"),
            ArchiveEntry("b", EntryKind.FILE, 0o600, 1, 2, b"x"),
        ]
    )
    assert list(changes(before, after)[0].entries) == ["a"]


def test_what_was_made_unreadable_can_be_read_and_a_repository_is_left_out() -> None:
    found = fetched(
        [
            ArchiveEntry("d", EntryKind.DIRECTORY, 0),
            ArchiveEntry("d/f", EntryKind.FILE, 0, 0, data=b""),
            ArchiveEntry(".git", EntryKind.DIRECTORY, 0o755),
            file_entry(".git/config", b"[alias]"),
            file_entry("d/.git", b""),
        ]
    )
    assert {path: oct(entry.mode) for path, entry in found.entries.items()} == {
        "d": "0o700",
        "d/.git": "0o644",
        "d/f": "0o600",
    }


def test_a_directory_that_lost_its_files_but_is_there_stays() -> None:
    directory = ArchiveEntry("d", EntryKind.DIRECTORY, 0o755)
    before, after = fetched([directory, file_entry("d/f", b"")]), fetched([directory])
    made, deleted = changes(before, after)
    assert list(lay(before, Submission("a", Form.DIRECTORY, made, deleted=deleted)).tree.entries) == ["d"]


def test_what_is_gone_is_a_part_of_what_is_handed_in() -> None:
    assert digest(Submission("a", Form.DIRECTORY)) != digest(Submission("a", Form.DIRECTORY, deleted=("x",)))


names = st.sampled_from(["a", "b", "a/b", "a/c", "a/b/c", "b/d", "c"])
entries = st.one_of(
    st.builds(
        lambda data, mode: ("file", data, mode), st.sampled_from(["", "1", "2"]), st.sampled_from([0o644, 0o755])
    ),
    st.builds(lambda to: ("link", to, 0o777), st.sampled_from(["a", "c"])),
    st.just(("directory", "", 0o755)),
)


def built(wanted: dict[str, tuple[str, str, int]]) -> Tree:
    """Return a tree in which everything lies in a directory, as on a disk."""
    found: dict[str, ArchiveEntry] = {}
    for path, (kind, text, mode) in sorted(wanted.items()):
        if any(parent in found and found[parent].kind is not EntryKind.DIRECTORY for parent in parents(path)):
            continue
        for parent in parents(path):
            found.setdefault(parent, ArchiveEntry(parent, EntryKind.DIRECTORY, 0o755))
        if kind == "file":
            found[path] = file_entry(path, text.encode(), mode=mode)
        elif kind == "link":
            found[path] = ArchiveEntry(path, EntryKind.LINK, mode, target=text)
        else:
            found.setdefault(path, ArchiveEntry(path, EntryKind.DIRECTORY, mode))
    return Tree({path: found[path] for path in sorted(found)})


trees = st.dictionaries(names, entries, max_size=6).map(built)


@given(trees, trees)
def test_laid_over_the_one_it_is_the_other(before: Tree, after: Tree) -> None:
    made, deleted = changes(before, after)
    laid = lay(before, Submission("a", Form.DIRECTORY, made, deleted=deleted)).tree
    assert laid.entries == after.entries


@given(trees)
def test_nothing_is_handed_in_of_what_is_the_same(same: Tree) -> None:
    assert changes(same, same) == (Tree(), ())
