"""Notebooks among the files of a submission."""

from __future__ import annotations

import json

from gradebox.graders.model.tree import Tree, content
from gradebox.graders.submissions.notebook_files import (
    answers_as_files,
    code_as_file,
    with_code_of_notebook,
    written_files,
)
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry

NOTEBOOK = json.dumps({"cells": [{"cell_type": "code", "source": "a = 1"}]}).encode()


def tree(*paths: str) -> Tree:
    return Tree({path: file_entry(path, NOTEBOOK) for path in paths})


def test_its_code_is_a_file_beside_it() -> None:
    found = with_code_of_notebook(tree("hw/one.ipynb", "data.csv"))
    assert found is not None
    assert sorted(found.entries) == ["data.csv", "hw/one.ipynb", "hw/one.py"]
    assert content(found.entries["hw/one.py"]) == b"a = 1\n"


def test_of_several_and_beside_a_file_of_the_same_name_nothing_is_made() -> None:
    assert with_code_of_notebook(tree("a.ipynb", "b.ipynb")) is None
    assert with_code_of_notebook(tree("a.ipynb", "a.py")) is None
    assert with_code_of_notebook(tree("a.txt")) is None


def test_only_a_file_that_is_a_notebook_becomes_code() -> None:
    assert code_as_file(file_entry("a.ipynb", b"{}")) is None
    assert code_as_file(file_entry("a.py", NOTEBOOK)) is None
    assert code_as_file(ArchiveEntry("a.ipynb", EntryKind.LINK, target="/etc/passwd")) is None


def test_answers_that_a_case_names_are_files() -> None:
    nbgrader = {"nbgrader": {"grade_id": "squares", "solution": True}}
    cells = [{"cell_type": "code", "source": "a = 1", "metadata": nbgrader}]
    data = json.dumps({"cells": cells}).encode()
    one = Tree({"hw/one.ipynb": file_entry("hw/one.ipynb", data)})
    found = answers_as_files(one, lambda path: path == "cells/squares.py")
    assert {path: content(entry) for path, entry in found.entries.items()} == {"cells/squares.py": b"a = 1\n"}
    assert not answers_as_files(one, lambda _: False).entries
    assert not answers_as_files(tree("a.ipynb", "b.ipynb"), lambda _: True).entries
    assert not answers_as_files(tree("a.py"), lambda _: True).entries


def test_files_that_cells_write_lie_beside_the_notebook_unless_the_submission_has_them() -> None:
    cells = [{"cell_type": "code", "source": f"%%writefile {path}\nx"} for path in ("one.py", "b.py")]
    notebook = file_entry("hw/one.ipynb", json.dumps({"cells": cells}).encode())
    assert sorted(written_files(notebook).entries) == ["hw/b.py", "hw/one.py"]
    own = Tree({"hw/one.ipynb": notebook, "hw/b.py": file_entry("hw/b.py", b"own")})
    found = with_code_of_notebook(own)
    assert found is not None
    assert [content(found.entries[path]) for path in ("hw/b.py", "hw/one.py")] == [b"own", b"x"]
    assert not written_files(file_entry("a.py", b"")).entries
