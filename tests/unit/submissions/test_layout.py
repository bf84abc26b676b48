"""Where the files of a submission belong: one table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.model.case import Case, CommandSpec, Message, Place
from gradebox.graders.model.plan import Files
from gradebox.graders.model.tree import Tree
from gradebox.graders.submissions.known_names import KnownNames
from gradebox.graders.submissions.layout import decide, place_of_file, submissions_within, unplaced
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry

CASE = Case("fix", Place(Path("case.yaml")), Path(), ())
ANSWER = {"answer_file": "words.py", "language": "python"}


def tree(*paths: str) -> Tree:
    return Tree({path: file_entry(path, path.encode()) for path in sorted(paths)})


def names(
    workspace: Iterable[str] = (), reference: Iterable[str] = (), task: str = "", run: str = "", **changes: Any
) -> KnownNames:
    setup = (CommandSpec(("sh", "-c", run), shell=True),) if run else ()
    case = replace(CASE, input=(Message("user", task),), setup=setup, **changes)
    return KnownNames(case, Files(tree(*workspace), solution=frozenset(reference)))


WORDS = {"workspace": ["words.py", "README.md"], "protect": ("README.md",), **ANSWER}
# What a case knows, what is handed in, where it is laid (None: as it lies), and what the note says of it.
DECIDED: dict[str, tuple[dict[str, Any], list[str], list[str] | None, str]] = {
    "flat": (WORDS, ["words.py", "helper.py"], None, ""),
    "one too deep": (WORDS, ["anna/words.py", "anna/helper.py"], ["words.py", "helper.py"], "in anna were moved"),
    "what lies beside stays": (WORDS, ["anna/words.py", "report.pdf"], ["words.py", "report.pdf"], "moved"),
    "two too deep": (WORDS, ["a/b/words.py", "a/b/x.py"], None, "submit a/b, where words.py lies."),
    "two that fit": (WORDS, ["a/words.py", "b/words.py"], None, "2 directories fit by themselves (a, b)"),
    "touched and deeper": (WORDS, ["words.py", "old/words.py"], None, ""),
    "another name": (WORDS, ["anna.py"], ["words.py"], "The file anna.py was taken as words.py."),
    "another name, deep": (WORDS, ["anna/a.py", "anna/report.pdf"], ["words.py", "anna/report.pdf"], "anna/a.py was"),
    "several names": (WORDS, ["a.py", "b.py"], None, "it has a.py, b.py, so rename"),
    "another language": (WORDS, ["words.rb"], None, "looks for work (words.py)"),
    "an archive inside": (WORDS, ["anna.zip"], None, "submit anna.zip itself"),
    "a protected file is nothing": (WORDS, ["README.md", "anna.py"], ["README.md", "words.py"], "taken as"),
    "mac": (
        WORDS,
        ["a/words.py", "a/.DS_Store", "a/._words.py", "__MACOSX/._a", "__MACOSX/a/._words.py", "Thumbs.db"],
        ["words.py"],
        "moved",
    ),
    "umlauts of a Mac": (
        {"workspace": ["gru\u0308n/wo\u0308rter.py".replace("u\u0308", "\xfc").replace("o\u0308", "\xf6")]},
        ["gru\u0308n/wo\u0308rter.py"],
        ["gr\xfcn/w\xf6rter.py"],
        "",
    ),
    "umlauts, one too deep": (
        {"workspace": ["w\xf6rter.py"]},
        ["A\u0308nne/wo\u0308rter.py"],
        ["w\xf6rter.py"],
        "moved",
    ),
    "a checkout's history": (WORDS, ["a/words.py", "a/.git/config", "a/.git/hooks/x"], ["words.py"], "moved"),
    "a line break in a name": (WORDS, ["a\nb/words.py"], ["words.py"], "in a\\nb were moved"),
    "named by the task": ({"task": "Write `words.py`."}, ["anna/words.py"], ["words.py"], "moved"),
    "named by a check": ({"run": "python3 /workspace/src/app.py"}, ["x/src/app.py"], ["src/app.py"], "moved"),
    "in the reference": ({"reference": ["lib/a.py"]}, ["x/lib/a.py"], ["lib/a.py"], "moved"),
    "a directory of the case": ({"workspace": ["src/a.py", "a.py"]}, ["src/new.py"], None, ""),
    "deeper than the task": ({"workspace": ["src/a.py"], "task": "Fix a.py"}, ["x/src/a.py"], ["src/a.py"], "moved"),
    "too shallow": ({"workspace": ["src/a.py"], "task": "Fix a.py"}, ["a.py"], None, "looks for work (src/a.py)"),
    "imported by a check": ({"workspace": ["a.py"], "run": "python3 -c 'import words'"}, ["words.py"], None, ""),
    "a reference knows all": (
        {"workspace": ["a.py"], "reference": ["a.py"], "run": "python3 -c 'import words'"},
        ["words.py"],
        None,
        "looks for work (a.py)",
    ),
    "the task is about litter": ({"workspace": [".DS_Store"]}, [".DS_Store"], None, ""),
    "an empty workspace": ({}, ["anything/at/all.py"], None, ""),
    "nothing": (WORDS, [], None, "The submission is empty: submit words.py."),
}  # fmt: skip


@pytest.mark.parametrize("name", DECIDED)
def test_files_lie_where_they_belong(name: str) -> None:
    known, handed_in, laid, note = DECIDED[name]
    found = decide(names(**known), tree(*handed_in))
    assert sorted(entry.path for entry in found.tree.files()) == sorted(handed_in if laid is None else laid)
    said = found.moved or found.misfit
    assert note in said
    assert bool(note) == bool(said)
    assert not (found.misfit and found.fits)
    assert all(entry.path == path for path, entry in found.tree.entries.items())


def test_what_is_moved_keeps_its_content_and_what_is_left_out_is_named() -> None:
    found = decide(names(**WORDS), tree("a/words.py", "a/.DS_Store"))
    assert found.tree.entries["words.py"].data == b"a/words.py"
    assert found.tree.left_out == ("a/.DS_Store",)


def test_a_file_in_the_place_of_a_directory_gives_way() -> None:
    known = names(workspace=["main.c"], answer_file="out/words.py", language="python")
    found = decide(known, tree("out", "anna.py"))
    assert list(found.tree.entries) == ["out/words.py"]


def test_a_link_is_not_looked_behind() -> None:
    link = Tree({"a": ArchiveEntry("a", EntryKind.LINK, 0o777, target="..")})
    found = decide(names(**WORDS), link)
    assert (found.tree, found.fits) == (link, False)


@pytest.mark.parametrize(
    ("file_name", "case", "path"),
    [
        ("app.py", {"answer_file": "solution.py"}, "app.py"),
        ("Makefile", {}, "Makefile"),
        ("model-a.py", {"answer_file": "out/solution.py"}, "out/solution.py"),
        ("solution.py", {"answer_file": "out/solution.py"}, "out/solution.py"),
        ("solution.py", {"answer_file": "out/solution.py", "task": "Write solution.py"}, "out/solution.py"),
        ("model-a.py", {"answer_file": "run"}, "run"),
        ("model-a.mjs", {"answer_file": "x.js"}, "x.js"),
        ("main.rs", {"answer_file": "src/lib.rs"}, "src/lib.rs"),
        ("parser.ts", {}, "src/parser.ts"),
        ("parser.ts", {"task": "Repair parser.ts"}, "src/parser.ts"),
        ("model-a.py", {"language": "python"}, "solution.py"),
        ("words.py", {"language": "python", "task": "Write words.py"}, "words.py"),
        ("words.py", {"language": "python", "reference": ["words.py"]}, "words.py"),
        ("model-a.jl", {"language": "julia"}, "solution.jl"),
        ("model-a.py", {}, None),
        ("same.py", {}, None),
        ("model-a.py", {"answer_file": "solution.jl"}, None),
        ("model-a.py", {"language": "julia"}, None),
        ("notes.rst", {"language": "python"}, None),
        ("words.ipynb", WORDS, None),
    ],
)
def test_a_single_file_has_its_place(file_name: str, case: dict[str, Any], path: str | None) -> None:
    workspace = ["app.py", "src/parser.ts", "a/same.py", "b/same.py", "Makefile"]
    assert place_of_file(names(**{"workspace": workspace, **case}), file_name) == path


def test_a_file_without_a_place_is_told_what_to_do() -> None:
    assert unplaced(names(**WORDS), "words", "a.ipynb") == (
        "The case words has no place for a.ipynb: its workspace has no file of that name, and `answer_file` is "
        "words.py. Submit source code, a directory or an archive, or rename it to words.py if it is that."
    )
    assert "it has no `answer_file`" in unplaced(names(), "words", "a.ipynb")


def archives(**held: list[str]) -> Callable[[ArchiveEntry], Tree]:
    return lambda entry: tree(*held.get(entry.path.partition(".")[0], []))


APP = {"workspace": ["index.ts", "src/a.ts", "README.md"]}
# What lies in a directory, and which of its entries fit by themselves.
FOLDERS: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "directories": (WORDS, ["anna/words.py", "ben/words.py", "notes.txt"], ["anna", "ben"]),
    "directories with other names": (WORDS, ["anna/a.py", "ben/b.py"], ["anna", "ben"]),
    "one loose file among them": (WORDS, ["words.py", "ben/words.py", "c/x/words.py"], ["words.py", "ben", "c"]),
    "archives": (WORDS, ["anna.zip", "ben.tar.gz", "broken.zip"], ["anna.zip", "ben.tar.gz"]),
    "sources": (WORDS, ["anna.py", "ben.py", "c.txt"], ["anna.py", "ben.py"]),
    "work and new modules": (WORDS, ["words.py", "helper.py", "more/helper.py"], ["words.py"]),
    "work and what was built": (WORDS, ["words.py", "build/words.py", ".venv/words.py"], ["words.py"]),
    "directories of the case": (APP, ["index.ts", "src/a.ts", "src/b.ts"], ["index.ts"]),
    "modules with a usual name": (APP, ["index.ts", "auth/index.ts", "docs/README.md"], ["index.ts"]),
    "copies of the whole": (APP, ["anna/src/a.ts", "ben/src/a.ts"], ["anna", "ben"]),
    "empty workspace, named by the task": ({"task": "Write words.py"}, ["a/words.py", "b/words.py"], ["a", "b"]),
    "empty workspace, nothing named": ({}, ["a/main.py", "b/main.py", "c.py"], []),
}  # fmt: skip


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_of_hand_ins_is_recognised(name: str) -> None:
    known, held, fitting = FOLDERS[name]
    unpacked = archives(anna=["words.py"], ben=["Ben/words.py"])
    assert list(submissions_within(names(**known), tree(*held), unpacked)) == fitting


def test_not_every_archive_of_a_directory_is_unpacked() -> None:
    asked = list[str]()

    def unpacked(entry: ArchiveEntry) -> Tree:
        asked.append(entry.path)
        return Tree()

    assert not submissions_within(names(**WORDS), tree(*(f"{number}.zip" for number in range(50))), unpacked)
    assert len(asked) == 20


def test_very_many_directories_are_read_once() -> None:
    held = tree(*(f"{number}/notes.txt" for number in range(12_000)))
    begin = time.process_time()
    assert not submissions_within(names(**WORDS), held, archives())
    assert time.process_time() - begin < 5
