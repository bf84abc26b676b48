"""Notebooks among the files of a submission."""

from __future__ import annotations

import json
import re

import pytest

from gradebox.graders.model.tree import Tree, content
from gradebox.graders.submissions.notebook import MAX_CODE_CHARACTERS, NotebookRefused
from gradebox.graders.submissions.notebook_files import (
    MAX_ANSWERS_BYTES,
    answers_as_files,
    made_files,
    with_code_of_notebook,
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
    assert made_files(file_entry("a.ipynb", b"{}")) is None
    assert made_files(file_entry("a.py", NOTEBOOK)) is None
    assert made_files(ArchiveEntry("a.ipynb", EntryKind.LINK, target="/etc/passwd")) is None


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
    made = made_files(notebook)
    assert made is not None
    assert sorted(made.written.entries) == ["hw/b.py", "hw/one.py"]
    own = Tree({"hw/one.ipynb": notebook, "hw/b.py": file_entry("hw/b.py", b"own")})
    found = with_code_of_notebook(own)
    assert found is not None
    assert [content(found.entries[path]) for path in ("hw/b.py", "hw/one.py")] == [b"own", b"x"]


@pytest.mark.timeout(60)
def test_answers_that_are_too_long_together_are_refused() -> None:
    text = "x = 1" + " " * (MAX_CODE_CHARACTERS // 200)
    nbgrader = [{"nbgrader": {"grade_id": f"a{n}", "solution": True}} for n in range(190)]
    cells = [{"cell_type": "code", "source": f"{text}#", "metadata": one} for one in nbgrader]
    one = Tree({"one.ipynb": file_entry("one.ipynb", json.dumps({"cells": cells}).encode())})
    with pytest.raises(NotebookRefused, match=f"more than {MAX_ANSWERS_BYTES} bytes"):
        answers_as_files(one, lambda _: True)
    assert len(answers_as_files(one, lambda path: bool(re.fullmatch("cells/a[0-7].py", path))).entries) == 8
