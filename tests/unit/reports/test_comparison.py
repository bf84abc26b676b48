"""What changed from one run to another, and the tests that say whether chance would do as much."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from fabricated import scored, with_repeats

from gradebox.graders.grading.fingerprint import key_of
from gradebox.graders.reports.comparison import Transition, compare, mcnemar
from gradebox.graders.runs.saved_run import SavedRun

BEFORE = scored(
    "before", ("a", "x", "passed", 1.0), ("b", "x", "failed", 0.0), ("c", "x", "passed", 0.9), ("d", "x", "error", None)
)
AFTER = scored(
    "after", ("a", "x", "failed", 0.5), ("b", "x", "passed", 1.0), ("c", "x", "passed", 1.0), ("e", "x", "passed", 1.0)
)


def test_each_verdict_of_both_runs_says_what_became_of_it() -> None:
    found = compare(BEFORE, AFTER)
    assert {pair.case: pair.change for pair in found.pairs} == {
        "a": Transition.LOST, "b": Transition.GAINED, "c": Transition.SCORE,
    }  # fmt: skip
    assert [key.case for key in found.only_before] == ["d"]
    assert [key.case for key in found.only_after] == ["e"]
    assert (found.judged, found.regressed, found.missing) == (3, 1, ())
    assert (found.pass_rate_before, found.score_after) == (pytest.approx(2 / 3), pytest.approx(2.5 / 3))
    assert [pair.checks for pair in found.pairs] == [("check",)] * 3


def test_an_error_is_listed_and_takes_no_part_in_the_tests() -> None:
    found = compare(scored("r", ("a", "x", "passed", 1.0)), scored("s", ("a", "x", "error", None)))
    assert [pair.change for pair in found.pairs] == [Transition.OTHER]
    assert (found.judged, found.p_passed, found.p_score, found.regressed) == (0, None, None, 1)


def test_two_candidates_are_paired_by_case() -> None:
    one = scored("r", ("a", "gpt", "passed", 1.0), ("b", "gpt", "failed", 0.0))
    other = scored("s", ("a", "opus", "passed", 1.0), ("b", "opus", "passed", 1.0))
    found = compare(one, other)
    assert (found.without, len(found.pairs), found.count(Transition.GAINED)) == (("submission",), 2, 1)


def labelled(name: str, target: str | None, *scores: float, submission: str = "1") -> SavedRun:
    """Return a run of one case with a sample for each score."""
    verdicts = {}
    for sample, score in enumerate(scores, 1):
        named = submission if sample == 1 else f"{submission} sample {sample}"
        row = ("a", named, "passed" if score == 1 else "failed", score)
        (verdict,) = scored(name, row).verdicts.values()
        made = verdict.model_copy(update={"target": target, "origin": {"sample": sample}})
        verdicts[key_of(made)] = made
    return SavedRun(Path(name), {}, verdicts)


def test_runs_of_two_labels_are_paired_by_submission() -> None:
    found = compare(labelled("r", "old", 0.0), labelled("s", "new", 1.0))
    assert (found.without, [pair.target for pair in found.pairs]) == (("target",), ["new"])
    found = compare(labelled("r", "old", 0.0, submission="gpt"), labelled("s", "new", 1.0, submission="opus"))
    assert (found.without, len(found.pairs)) == (("target", "submission"), 1)


def test_samples_are_paired_by_their_numbers_and_count_as_one_case() -> None:
    before = labelled("r", None, 0.0, 0.0, 0.0, 1.0, submission="gpt")
    found = compare(before, labelled("s", None, 1.0, 1.0, 1.0, 1.0, submission="opus"))
    assert [(pair.submission, pair.sample, pair.score_before) for pair in found.pairs] == [
        ("opus", 1, 0.0), ("opus sample 2", 2, 0.0), ("opus sample 3", 3, 0.0), ("opus sample 4", 4, 1.0),
    ]  # fmt: skip
    assert found.repeated
    # A single case differs, so either sign is as likely.
    assert (found.p_passed, found.p_score) == (1.0, 1.0)


def test_several_candidates_of_other_names_are_not_paired_at_random() -> None:
    one = scored("r", ("a", "p", "passed", 1.0), ("a", "q", "failed", 0.0))
    found = compare(one, scored("s", ("a", "u", "passed", 1.0), ("a", "v", "failed", 0.0)))
    assert found.pairs == ()
    assert (len(found.only_before), len(found.only_after)) == (2, 2)


def test_the_json_has_every_pair() -> None:
    found = json.loads(compare(BEFORE, AFTER).as_json())
    assert [pair["change"] for pair in found["pairs"]] == ["lost", "gained", "score"]


# Computed by hand: twice the smaller tail of a fair coin.
@pytest.mark.parametrize(
    ("gained", "lost", "expected"), [(0, 0, None), (1, 0, 1.0), (5, 0, 2 / 32), (9, 1, 2 * 11 / 1024), (3, 3, 1.0)]
)
def test_mcnemar(gained: int, lost: int, expected: float | None) -> None:
    assert mcnemar(gained, lost) == (None if expected is None else pytest.approx(expected))
    assert mcnemar(lost, gained) == mcnemar(gained, lost)


def test_mcnemar_agrees_with_its_definition_for_many_pairs() -> None:
    assert mcnemar(60, 40) == pytest.approx(2 * sum(math.comb(100, k) for k in range(41)) / 2**100)
    assert mcnemar(9000, 8700) == pytest.approx(0.024, abs=1e-3)


def test_what_passed_and_has_no_verdict_any_more_is_lost() -> None:
    one = scored("r", ("a", "x", "passed", 1.0), ("b", "x", "passed", 1.0), ("c", "x", "failed", 0.0))
    found = compare(one, scored("s", ("a", "x", "passed", 1.0)))
    assert (found.regressed, [key.case for key in found.missing]) == (1, ["b"])
    assert json.loads(found.as_json())["regressed"] == 1


def test_what_only_one_run_has_can_be_left_out() -> None:
    one = scored("r", ("a", "x", "passed", 1.0), ("b", "x", "passed", 1.0))
    other = scored("s", ("a", "x", "passed", 1.0), ("c", "x", "failed", 0.0))
    found = compare(one, other, common=True)
    assert (found.regressed, found.only_before, found.only_after, len(found.pairs)) == (0, (), (), 1)


def test_repeats_count_as_one_thing_in_the_tests() -> None:
    found = compare(with_repeats("r", *[0.0] * 10), with_repeats("s", *[1.0] * 10))
    # Ten repeats of one case are no ten cases: chance would do as much every time.
    assert (found.p_passed, found.p_score) == (1.0, 1.0)
    assert found.repeated


def test_machines_and_images_that_differ_are_named() -> None:
    def on(run: SavedRun, kernel: str, image: str) -> SavedRun:
        machine = {"kernel": kernel, "engine": "Docker Engine 1"}
        update = {"machine": machine, "image": "one", "image_id": image}
        verdicts = {key: verdict.model_copy(update=update) for key, verdict in run.verdicts.items()}
        return SavedRun(run.directory, {}, verdicts)

    one = on(BEFORE, "Linux 5", "sha256:1")
    found = compare(one, on(AFTER, "Linux 6", "sha256:2"))
    assert found.machines == ("Another kernel: Linux 5 -> Linux 6.", "Another image one: sha256:1 -> sha256:2.")
    assert compare(one, one).machines == compare(BEFORE, AFTER).machines == ()
