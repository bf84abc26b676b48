"""The code of a notebook: which cells are in it, and in which language it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.submissions.notebook import (
    MAX_CODE_CHARACTERS,
    NotebookCode,
    NotebookRefused,
    NotNotebook,
    code_of_notebook,
)


def cell(source: Any, *tags: str, kind: str = "code", **nbgrader: bool) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, "metadata": {"tags": [*tags], "nbgrader": nbgrader}}


def code(*cells: dict[str, Any], **metadata: Any) -> NotebookCode:
    return code_of_notebook(json.dumps({"nbformat": 4, "metadata": metadata, "cells": cells}).encode())


def test_code_cells_are_joined_in_order() -> None:
    found = code(cell("# text", kind="markdown"), cell(["a = 1\n", "b = 2"]), cell("c = a + b"), cell(" \n"))
    assert (found.suffix, found.text(), [*found.answers], found.files) == (".py", "a = 1\nb = 2\n\nc = a + b\n", [], {})


@pytest.mark.parametrize("tag", ["skip", "skip-execution"])
def test_a_cell_with_a_tag_is_left_out(tag: str) -> None:
    assert code(cell("a"), cell("b", tag)).text() == "a\n"


def test_tests_of_nbgrader_are_the_teachers_and_its_answers_are_not() -> None:
    cells = (
        cell("answer", grade=True, solution=True),
        cell("test", grade=True, solution=False),
        cell("b", solution=True),
    )
    assert code(*cells).text() == "answer\n\nb\n"


def test_cells_with_the_tag_answer_are_all_that_counts() -> None:
    assert code(cell("play"), cell("a", "answer"), cell("more"), cell("b", "answer")).text() == "a\n\nb\n"


def test_commands_of_the_notebook_do_nothing() -> None:
    cells = (
        cell("%matplotlib inline\nif True:\n    !pip install x\na = 7 % 4"),
        cell("%%bash\nrm x"),
        cell("%%time\nb = 1"),
    )
    text = code(*cells).text()
    assert text == "pass  # %matplotlib inline\nif True:\n    pass  # !pip install x\na = 7 % 4\n\nb = 1\n"
    compile(text, "x", "exec")


@pytest.mark.parametrize(
    ("metadata", "suffix"),
    [
        ({}, ".py"),
        ({"kernelspec": {"language": "julia"}}, ".jl"),
        ({"language_info": {"name": "JavaScript"}}, ".js"),
        ({"kernelspec": {"language": "brainfuck"}}, ".py"),
        ({"kernelspec": 7, "language_info": []}, ".py"),
    ],
)
def test_the_suffix_is_that_of_its_language(metadata: dict[str, Any], suffix: str) -> None:
    assert code(cell("%x"), **metadata).suffix == suffix


def test_the_older_format_has_sheets() -> None:
    old = {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": ["a = 1"], "language": "python"}]}]}
    assert code_of_notebook(json.dumps(old).encode()).text() == "a = 1\n"


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"cells": 1}', b"[" * 100_000, b"\xff"])
def test_what_is_no_notebook_is_refused(data: bytes) -> None:
    with pytest.raises(NotNotebook):
        code_of_notebook(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
)


@given(JSON, JSON, JSON)
def test_a_hostile_notebook_is_read_or_refused(metadata: Any, source: Any, tags: Any) -> None:
    cells = [{"cell_type": "code", "source": source, "metadata": {"tags": tags}}, metadata]
    found = code_of_notebook(json.dumps({"cells": cells, "metadata": metadata}).encode())
    assert found.text().endswith("\n")


def answer(name: Any, *sources: str) -> list[dict[str, Any]]:
    return [cell(source, solution=True, grade_id=name) for source in sources]


def ran(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(text, names)
    return names


def test_each_answer_has_the_cells_before_it_whatever_they_do() -> None:
    free, later = cell("import math\n%matplotlib inline\nbase = 2\nraise ValueError"), cell("raise OSError")
    found = code(free, *answer("one-a", "x = ("), *answer("b", "y = math.sqrt(base)"), later, *answer("c", "z = 1"))
    assert list(found.answers) == ["one_a", "b", "c"]
    assert ran(found.answer("b"))["y"] == 2**0.5
    assert ran(found.answer("c"))["z"] == 1
    with pytest.raises(SyntaxError):
        compile(found.answer("one_a"), "x", "exec")


def test_an_answer_can_call_what_later_cells_define() -> None:
    later = (
        cell("from __future__ import annotations\nraise SystemExit\n"),
        cell("def one(): return 0\ndef two(): return 2\nx = 1"),
    )
    found = code(*answer("a", "def one(): return two() - 1"), *later, *answer("b", "def three(): return one()"))
    code_of = {name: found.answer(name) for name in found.answers}
    assert ran(code_of["a"])["one"]() == 1
    assert "x" not in ran(code_of["a"])
    assert ran(code_of["b"])["three"]() == 0
    assert code_of["b"].startswith("from __future__ import annotations\n")


def test_what_jupyter_defines_is_there_if_it_is_used() -> None:
    found = code(cell("%matplotlib inline"), *answer("a", "display(1)"))
    ran(found.text())
    ran(found.answer("a"))


def test_cells_that_are_written_to_files_are_files() -> None:
    found = code(cell("%%writefile a.py\nx = 1\n"), cell("import a"), cell("%%writefile -a a.py\ny = 2"))
    assert (found.text(), found.files) == ("import a\n", {"a.py": "x = 1\ny = 2"})
    most = code(*(cell(f"%%writefile {n}.py\n") for n in range(1100)))
    assert len(most.files) == 1000


def test_an_answer_that_somebody_has_split_is_whole() -> None:
    found = code(*answer("a", "x = 1"), cell("y = 5"), *answer("a", "z = x + 1"))
    assert ran(found.answer("a"))["z"] == 2


def test_in_other_languages_the_cells_before_come_first_as_they_are() -> None:
    found = code(cell("x = 1"), *answer("a", "y = x"), kernelspec={"language": "julia"})
    assert {name: found.answer(name) for name in found.answers} == {"a": "x = 1\n\ny = x\n"}


@pytest.mark.parametrize("name", ["../a", "a/b", "", "1a", None, 7, "a" * 101, "ä"])
def test_what_can_be_no_module_is_no_answer_of_its_own(name: Any) -> None:
    assert not [*code(*answer(name, "a")).answers]


@pytest.mark.timeout(60)
def test_what_nobody_wants_of_a_notebook_is_not_made() -> None:
    source = "def f(x):\n    return x\n" * 200
    found = code(*(one for n in range(3000) for one in answer(f"a{n}", source)))
    assert len([*found.answers]) == 3000
    with pytest.raises(NotebookRefused, match=f"more than {MAX_CODE_CHARACTERS} characters of code"):
        found.text()


@pytest.mark.timeout(60)
def test_a_file_of_many_cells_is_written_in_time_that_grows_with_its_size() -> None:
    assert len(code(*[cell("%%writefile -a a.txt\n" + "x" * 50)] * 200_000).files["a.txt"]) == 10_000_000


@pytest.mark.parametrize("language", ["python", "julia"])
def test_code_that_is_too_long_is_refused(language: str) -> None:
    cells = [*answer("a", "x" * MAX_CODE_CHARACTERS), cell("y")]
    kernel = {"language": language}
    assert code(cells[0], kernelspec=kernel).answer("a")
    for make in (code(*cells, kernelspec=kernel).text, lambda: code(*cells, kernelspec=kernel).answer("a")):
        with pytest.raises(NotebookRefused):
            make()
