"""Answers are for the innermost open request, and what the candidate may not request ends its process."""

from __future__ import annotations

import os
from typing import Any

import pytest
from apart_bench import pair

from gradebox.graders.languages.python.inside.apart.peer import Peer
from gradebox.graders.languages.python.inside.apart.wire import Malformed, encoded


def _grader(*trees: Any) -> Peer:
    """Return a grader's side that gets messages and whose own are lost."""
    grader = pair()[1]
    messages = [encoded(tree)[4:] for tree in trees]
    grader.read_message = lambda: messages.pop(0)  # type: ignore[method-assign]
    grader.connection = _NOTHING
    return grader


_NOTHING = os.open(os.devnull, os.O_WRONLY)


def _answer(identifier: Any, *rest: Any) -> list[Any]:
    return ["=", identifier, [], [], *rest]


def test_an_answer_is_for_the_request_that_waits() -> None:
    assert _grader(_answer(1, "x")).ask("module", "m", ()) == "x"


@pytest.mark.parametrize(
    "tree",
    [
        _answer(2, 1), _answer(-1, 1), _answer(0, 1), _answer("1", 1), _answer(True, 1), _answer(1), _answer(1, 1, 1),
        ["=", 1, [], 1, 1], ["=", 1, {}, [], 1], ["=", 1, [], ["1"], 1], ["!", 1, [], [], 1], ["x", 1, [], [], 1],
        [], 1, {}, ["?", 1, [], []], ["?", 1, [], [], 5], ["?", 1, [], [], "nothing", ["o", 1]],
        ["?", 1, [], [], "call", ["o", 1], ["t"], ["t"]], ["?", 1, [], [], "call", ["l", -1, ""], ["t"], ["t"]],
        ["?", 1, [], [], "get", "text", "upper"], ["?", 1, [], [], "get", ["k", "str"], "upper"],
        ["?", 1, [], [], "note", "file", "x"], ["?", 2, [], [], "get", ["o", 1], "x"],
        ["?", -1, [], [], "get", ["o", 1], "x"], ["?", 0, [], [], "get", ["o", 1], "x"],
    ],
    ids=str,
)  # fmt: skip
def test_any_other_message_is_refused(tree: Any) -> None:
    with pytest.raises(Malformed):
        _grader(tree).ask("module", "m", ())
