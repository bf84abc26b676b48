"""A failed test says which limit of judging apart may be the reason, and nothing that did not happen."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gradebox.graders.languages.python.inside.apart.checkpoint import LIMIT, Checkpoint
from gradebox.graders.languages.python.inside.apart.in_grader.limits import limit_met


def met(answer: Any, error: Any = None, *, connection: int = 5, **told: Any) -> str:
    def ask(what: str) -> Any:
        assert what == "kept"
        if isinstance(answer, Exception):
            raise answer
        return answer

    return limit_met(
        SimpleNamespace(
            checkpoint=Checkpoint(), ask=ask, connection=connection, failures=[1],
            is_threaded=False, was_threaded=False, lending=SimpleNamespace(is_torn=False), **told,
        ), error,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (([], "parallel"), "one at a time"),
        (([], "timeouts"), "a timeout of the submission"),
        (([], "contexts"), "a context variable"),
        ((["colour", "not a name"], ""), "seen by itself alone: colour"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_the_submission_met_is_said(answer: Any, words: str) -> None:
    said = met(answer)
    assert said.startswith(LIMIT)
    assert said.endswith(words) or words in said
    assert "not a name" not in said


@pytest.mark.parametrize("answer", [([], ""), ([], "anything else"), ([], 5), ValueError(), 5])
def test_nothing_is_said_of_anything_else(answer: Any) -> None:
    assert met(answer) == ""
    assert met(([], "parallel"), connection=-1) == ""


def test_identity_of_what_is_copied_is_said_at_once() -> None:
    assert "are copied each time" in met(ValueError(), AssertionError("assert (1, 2) is (1, 2)"))
    assert met(([], ""), AssertionError("assert 1 == 2")) == ""
    assert "of the library" in met(([], ""), AssertionError("assert namespace(a=1) == namespace(a=1)"))
    assert met(([], ""), AssertionError("assert namespace(a=1) == namespace(a=2)")) == ""


def test_threads_of_the_tests_are_said_once() -> None:
    candidate: Any = SimpleNamespace(
        checkpoint=Checkpoint(),
        connection=-1,
        is_threaded=False,
        was_threaded=True,
        lending=SimpleNamespace(is_torn=False),
    )
    assert "threading.local" in limit_met(candidate, AssertionError())
    assert limit_met(candidate, AssertionError()) == ""
    candidate.was_threaded = True
    assert limit_met(candidate, TypeError()) == ""
