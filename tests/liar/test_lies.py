"""A lying peer finds nothing in the grader's process of any language, and each invariant that is taken away.

Thorough runs take LIAR_SECONDS in all, and say how to repeat what they find.
"""

from __future__ import annotations

import os
from shutil import which

import pytest
from gates import Watched, watch
from graders_started import JULIA_IMAGE, has_image
from lies import LANGUAGES, found, lessons, run
from weakened import ALL, INVARIANTS, Weakened

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="Files of a submission belong to another user.")
_SHARE = float(os.environ.get("LIAR_SECONDS", "3600")) / (2 * len(LANGUAGES))
_THOROUGH = (pytest.mark.thorough, pytest.mark.timeout(_SHARE + 900))


def _need(language: str) -> None:
    if language == "javascript" and which("node") is None:
        pytest.skip("There is no Node.js here.")
    if language == "julia" and not has_image():
        pytest.skip(f"There is no image {JULIA_IMAGE} here.")


def _report(watched: Watched) -> str:
    return "\n".join([*watched.cells.report(), *watched.findings])


# Julia takes its time to begin.
@pytest.mark.parametrize("language", ["python", "javascript", pytest.param("julia", marks=_THOROUGH)])
def test_a_checkpoint_withstands_a_liar_that_gets_objects(language: str) -> None:
    _need(language)
    watched = watch(language, 11, lessons(language), messages=1000 if language != "julia" else 200)
    assert watched.findings == [], _report(watched)
    subjects = {key[1] for key in watched.cells.counts if len(key) == 3}
    assert "lent object" in subjects, _report(watched)


@pytest.mark.parametrize(
    "weakened", [pytest.param(each, marks=() if each.is_quick else _THOROUGH, id=str(each)) for each in ALL]
)
def test_an_invariant_that_is_taken_away_is_missed(weakened: Weakened) -> None:
    _need(weakened.language)
    assert found(weakened, seed=3)


def test_every_invariant_of_a_language_is_taken_away() -> None:
    assert {(each.language, each.invariant) for each in ALL} == {
        (language, name) for name, languages in INVARIANTS.items() for language in languages
    }


@pytest.mark.parametrize("language", [pytest.param(each, marks=_THOROUGH) for each in LANGUAGES])
@pytest.mark.parametrize("where", ["gate", "runs"])
def test_a_liar_finds_nothing_for_long(language: str, where: str) -> None:
    _need(language)
    seed = int.from_bytes(os.urandom(3), "big")
    watched = (
        run(language, seed, _SHARE) if where == "runs" else watch(language, seed, lessons(language), seconds=_SHARE)
    )
    print(_report(watched))
    assert watched.findings == []
