"""Fifty submissions that talk to their judge: none of them leaves its block, and none becomes a part of the rules."""

from __future__ import annotations

import re

import pytest
from injections import INJECTIONS

from gradebox.graders.judges.judge_prompt import asked_again, escaped, messages
from gradebox.graders.model.judgment import Criterion, Part, Question

BLOCK = re.compile(r"<data ([0-9a-f]{32})>\n(.*?)\n</data \1>", re.DOTALL)


def shown(injection: str) -> tuple[str, str, list[str]]:
    """Return the rules, what stands outside of blocks, and the blocks."""
    parts = (Part("Is it kind?\n"), Part(injection, "output"), Part("\nAnd the files:\n"), Part(injection, "files"))
    system, user = messages(Question(parts, (Criterion("a", "A"),)))
    return system["content"], BLOCK.sub("BLOCK", user["content"]), [one[1] for one in BLOCK.findall(user["content"])]


def test_there_are_fifty() -> None:
    assert len(set(INJECTIONS)) >= 50


@pytest.mark.parametrize("injection", INJECTIONS, ids=range(len(INJECTIONS)))
def test_nothing_that_a_candidate_wrote_leaves_its_block(injection: str) -> None:
    plain_rules, outside, blocks = shown(injection)
    assert outside == "Is it kind?\nBLOCK\nAnd the files:\nBLOCK"
    assert blocks == [escaped(injection)] * 2
    boundaries = re.compile(r"[0-9a-f]{32}")
    assert boundaries.sub("", plain_rules) == boundaries.sub("", shown("")[0])
    text = escaped(injection)
    assert not re.search(r"</?data|<\||\[/?INST|<</?SYS|</?s>|<(start|end)_of", text, re.IGNORECASE)
    assert all(char in "\n\t" or char.isprintable() or char == "\u3000" for char in text)


def test_every_message_has_a_boundary_of_its_own() -> None:
    assert len({re.sub(r".*<data ([0-9a-f]{32})>.*", r"\1", shown("")[0], flags=re.DOTALL) for _ in range(20)}) == 20


def test_honest_text_stays_as_it_is() -> None:
    for text in ("if a < b | c > d:\n\treturn [x]\n", "<div class='s'>", "é 漢字 🎉", "a\u00a0b"):
        assert escaped(text) == text


def test_the_rules_ask_for_the_form_that_is_read() -> None:
    free, _ = messages(Question((Part("x"),)))
    assert '"score": 0.0 to 1.0' in free["content"]
    scored, _ = messages(Question((Part("x"),), (Criterion("a", "A", {0: "no"}), Criterion("b", "B"))))
    assert "a whole number from 0 to 10" in scored["content"]
    assert "a, b" in scored["content"]
    audit, _ = messages(Question((Part("x"),), audit=True))
    assert '"cheating": true or false' in audit["content"]


def test_who_is_asked_again_sees_the_reply_and_what_is_wrong_with_it() -> None:
    mine, again = asked_again("hm", "it is not JSON")
    assert (mine["role"], mine["content"], again["role"]) == ("assistant", "hm", "user")
    assert "it is not JSON" in again["content"]
    assert asked_again("", "it is empty")[0]["content"] == "(nothing)"
