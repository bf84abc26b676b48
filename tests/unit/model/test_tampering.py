"""Findings of tampering, and in which check they were seen."""

from __future__ import annotations

from gradebox.graders.model.tampering import Tampering, TamperingKind

SEEN = Tampering(TamperingKind.TOKEN_MISSING, "it ended early", "exit status 0")


def test_a_member_of_a_check_is_named_after_it() -> None:
    assert str(SEEN) == "it ended early"
    assert SEEN.within("login").within("all").check == "all: login"
    assert str(SEEN.within("login")) == "login: it ended early"
