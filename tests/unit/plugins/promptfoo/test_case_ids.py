"""The ids of cases: AgentV's in its files, otherwise made of the words of a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.documents.positions import Document, Node
from gradebox.plugins.promptfoo.case_ids import agentv_id, made_id, slug, unique
from gradebox.plugins.promptfoo.rows import Row

DOCUMENT = Document(Path("a.yaml"), Node({}, 1, 1), ("tests", 2))
CROSSED = Row(DOCUMENT, suffix=" 1.2", is_crossed=True, agentv_id="scenario-1-2-1")
ALONE = Row(DOCUMENT, suffix=" 1.1", agentv_id="row-3")


@pytest.mark.parametrize(
    ("row", "own", "prompt", "combination", "found"),
    [
        (ALONE, "hello", "", "", "hello"),
        (ALONE, "", "", "", "row-3"),
        (ALONE, "hello", "prompts/a b.md", "", "hello__prompt_prompts-a-b.md"),
        (ALONE, "hello", "p", "2", "hello__prompt_p-2"),
        (CROSSED, "hello", "", "", "hello-1.2"),
        (CROSSED, "", "p", "", "scenario-1-2-1__prompt_p"),
        (Row(DOCUMENT), "", "p", "", ""),
    ],
)
def test_ids_of_agentv(row: Row, own: str, prompt: str, combination: str, found: str) -> None:
    assert agentv_id(row, own, prompt, combination) == found


def test_other_ids_are_made_of_words_or_of_the_place() -> None:
    assert made_id(ALONE, "Says hi!", "terse") == "Says-hi-1.1-terse"
    assert made_id(Row(DOCUMENT), "", "") == "test-3"


def test_an_id_is_taken_once() -> None:
    taken: set[str] = set()
    assert [unique("a", taken) for _ in range(3)] == ["a", "a-2", "a-3"]
    assert slug("-É x/", 3) == "x"
