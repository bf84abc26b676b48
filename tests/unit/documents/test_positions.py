"""Paths are followed through documents, whichever names of fields they use."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.documents.diagnostics import DocumentPath
from gradebox.graders.documents.positions import MAX_PROBLEMS, Document, Malformed, Problem, note
from gradebox.graders.documents.yaml import read_yaml

TEXT = """\
id: a
execution:
  evaluators:
    - type: contains
      value: x
"""


@pytest.fixture
def document() -> Document:
    return Document(Path("case.yaml"), read_yaml(TEXT, []))


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ((), (1, 1)),
        (("id",), (1, 5)),
        (("execution", "evaluators", 0, "value"), (5, 14)),
        # What does not exist is reported at the nearest part that does.
        (("execution", "evaluators", 0, "weight"), (4, 7)),
        (("execution", "evaluators", 7), (4, 5)),
        (("nothing", "at", "all"), (1, 1)),
        # An alternative of a type is not part of the document.
        (("execution", "evaluators", 0, "|contains", "value"), (5, 14)),
    ],
)
def test_a_path_leads_to_its_place(document: Document, path: DocumentPath, place: tuple[int, int]) -> None:
    found = document.place(path)
    assert (found.line, found.column) == place


def test_a_key_has_a_place_of_its_own(document: Document) -> None:
    assert document.place(("execution", "evaluators"), of_key=True).column == 3


def test_a_path_is_written_with_the_names_of_the_file(document: Document) -> None:
    assert document.written(("assertions", 0, "value")) == ("execution", "evaluators", 0, "value")
    assert document.written(("assertions", 0, "weight")) == ("execution", "evaluators", 0, "weight")


def test_a_part_is_a_document_with_a_prefix(document: Document) -> None:
    part = document.part(("assertions", 0))
    assert (part.prefix, part.data) == (("execution", "evaluators", 0), {"type": "contains", "value": "x"})


def test_data_is_new_each_time(document: Document) -> None:
    document.data["execution"]["evaluators"].clear()
    assert len(document.data["execution"]["evaluators"]) == 1


def test_very_many_problems_end_the_reading() -> None:
    problems = [Problem(1, 1, "x")] * MAX_PROBLEMS
    with pytest.raises(Malformed, match="too many mistakes"):
        note(problems, Problem(2, 1, "y"))
