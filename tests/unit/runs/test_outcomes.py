"""Outcomes as a file: everything that a check is judged by comes back."""

from __future__ import annotations

import json

import pytest
from evidence_bench import done, exited

from gradebox.graders.errors import RunRefused
from gradebox.graders.model.evidence import Artifact, Outcomes
from gradebox.graders.runs.outcomes import decode, encode, words

KEPT = Outcomes(
    submission="digest",
    done={"it": (done(exited(1, "caf\N{LATIN SMALL LETTER E WITH ACUTE}")),)},
    faults=("It was away.",),
    plan_hashes={"": "a", "it": "b"},
    stdin_hashes={"it": {"config": "c"}},
)


def test_what_was_kept_comes_back() -> None:
    assert decode(encode(KEPT)) == KEPT


def test_bytes_that_are_no_text_come_back() -> None:
    from dataclasses import replace

    step = replace(KEPT.done["it"][0], artifact=Artifact(b"\xff\x00"))
    assert decode(encode(replace(KEPT, done={"it": (step,)}))).done["it"][0].artifact == Artifact(b"\xff\x00")


def test_the_same_outcomes_make_the_same_file() -> None:
    assert encode(KEPT) == encode(decode(encode(KEPT)))


def test_a_file_of_version_0_1_is_read() -> None:
    (found,) = json.loads(encode(KEPT))
    found["basis"], found["told"] = found.pop("plan_hashes"), found.pop("stdin_hashes")
    assert decode(json.dumps([found]).encode()) == KEPT


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'[{"done": 1}]'])
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(RunRefused, match="saved outcomes cannot be read"):
        decode(data)


def test_long_words_are_kept_as_their_hash() -> None:
    short, long = words(("python3", "x" * 501))
    assert short == "python3"
    assert long.startswith("sha256:")
