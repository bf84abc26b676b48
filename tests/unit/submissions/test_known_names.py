"""Which names of files a case knows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gradebox.graders.checks.items import Item, Items
from gradebox.graders.model.case import Case, CommandSpec, Message, Place
from gradebox.graders.model.plan import Files
from gradebox.graders.model.tree import Tree, scan
from gradebox.graders.submissions.known_names import KnownNames
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry

PLACE = Place(Path("case.yaml"))
ITEMS = Items(name="examples", place=PLACE, language="python", items=(Item(name="one", code="open('data/in.csv')"),))
CASE = Case(
    "fix",
    PLACE,
    Path(),
    (ITEMS,),
    language="python",
    input=(Message("user", "Write `words.py`, then ./bin/run. See /workspace/docs/a.md."),),
    setup=(CommandSpec(("sh", "-c", "make -f build.mk"), shell=True),),
    protect=("README.md",),
)
WORKSPACE = Tree(
    {
        "README.md": file_entry("README.md", b""),
        "empty": ArchiveEntry("empty", EntryKind.DIRECTORY, 0o755),
        "gr\xfcn/a.py": file_entry("gr\xfcn/a.py", b""),
    }
)
NAMES = KnownNames(CASE, Files(WORKSPACE, solution=frozenset({"new.py", "README.md"})))


@pytest.mark.parametrize(
    ("path", "spelled"),
    [
        ("gr\xfcn/a.py", "gr\xfcn/a.py"),
        ("gru\u0308n/a.py", "gr\xfcn/a.py"),
        ("new.py", "new.py"),
        ("words.py", "words.py"),
        ("bin/run", "bin/run"),
        ("docs/a.md", "docs/a.md"),
        ("build.mk", "build.mk"),
        ("data/in.csv", "data/in.csv"),
        ("README.md", None),
        ("other.py", None),
        ("a.py", None),
    ],
)
def test_a_name_of_workspace_reference_task_or_check_is_known(path: str, spelled: str | None) -> None:
    assert NAMES.spelled(path) == spelled


@pytest.mark.parametrize(("path", "known"), [("empty", True), ("gru\u0308n", True), ("data", True), ("new", False)])
def test_directories_of_known_files_are_known(path: str, known: bool) -> None:
    assert NAMES.is_directory(path) is known


def test_what_a_submission_brings_is_the_answer_file_or_what_the_reference_changes() -> None:
    assert (NAMES.wanted, NAMES.has_reference) == ({"new.py"}, True)
    answer = KnownNames(replace(CASE, answer_file="x.py"), Files(WORKSPACE, solution=frozenset({"new.py"})))
    assert answer.wanted == {"x.py"}
    assert KnownNames(CASE, Files(WORKSPACE)).wanted == {"gr\xfcn/a.py"}


def test_names_for_messages_are_no_hidden_ones() -> None:
    assert NAMES.shown == ("gr\xfcn/a.py",)


def test_modules_that_graders_import_are_hints(tmp_path: Path) -> None:
    (tmp_path / "check.py").write_text("from pkg.words import count\nimport tools\n")
    names = KnownNames(CASE, Files(WORKSPACE, scan(tmp_path)))
    assert [names.is_hinted_at(path) for path in ("pkg/words.py", "tools.py", "else.py")] == [True, True, False]
