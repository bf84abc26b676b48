"""What changed from one run to another, and the tests that say whether chance would do as much."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graders.grading.fingerprint import Key, key_of
from graders.model.result import Result
from graders.model.verdict import CheckResult, Status, Verdict
from graders.model.verdict_document import VerdictDocument, document
from graders.reports.comparison import Transition, compare, mcnemar
from graders.reports.comparison_text import comparison_lines
from graders.runs.saved_run import SavedRun

STARTED = datetime(2026, 1, 31, tzinfo=UTC)
Row = tuple[str, str, str, float | None]


def saved(name: str, *rows: Row) -> SavedRun:
    verdicts: dict[Key, VerdictDocument] = {}
    for case, submission, status, score in rows:
        check = CheckResult("check", "code-grader", Status(status), score, 0.8)
        verdict = Verdict(Status(status), score, score, None, 0.8, (check,))
        one = document(Result("0", case, submission, verdict, STARTED))
        verdicts[key_of(one)] = one
    return SavedRun(Path(name), {}, verdicts)


BEFORE = saved(
    "before", ("a", "x", "passed", 1.0), ("b", "x", "failed", 0.0), ("c", "x", "passed", 0.9), ("d", "x", "error", None)
)
AFTER = saved(
    "after", ("a", "x", "failed", 0.5), ("b", "x", "passed", 1.0), ("c", "x", "passed", 1.0), ("e", "x", "passed", 1.0)
)


def test_each_verdict_of_both_runs_is_told_by_what_became_of_it() -> None:
    found = compare(BEFORE, AFTER)
    assert {pair.case: pair.change for pair in found.pairs} == {
        "a": Transition.LOST, "b": Transition.GAINED, "c": Transition.SCORE,
    }  # fmt: skip
    assert [key.case for key in found.only_before] == ["d"]
    assert [key.case for key in found.only_after] == ["e"]
    assert (found.judged, found.regressed, found.missing) == (3, 1, ())
    assert (found.pass_rate_before, found.score_after) == (pytest.approx(2 / 3), pytest.approx(2.5 / 3))
    assert [pair.checks for pair in found.pairs] == [("check",)] * 3


def test_an_error_is_told_and_takes_no_part_in_the_tests() -> None:
    found = compare(saved("r", ("a", "x", "passed", 1.0)), saved("s", ("a", "x", "error", None)))
    assert [pair.change for pair in found.pairs] == [Transition.OTHER]
    assert (found.judged, found.p_passed, found.p_score, found.regressed) == (0, None, None, 1)


def test_two_candidates_are_paired_by_case() -> None:
    one = saved("r", ("a", "gpt", "passed", 1.0), ("b", "gpt", "failed", 0.0))
    other = saved("s", ("a", "opus", "passed", 1.0), ("b", "opus", "passed", 1.0))
    found = compare(one, other)
    assert (found.by_submission, len(found.pairs), found.count(Transition.GAINED)) == (False, 2, 1)
    text = "\n".join(line.plain for line in comparison_lines(found))
    assert "paired by case alone" in text
    assert "gained b opus: failed -> passed, 0.000 -> 1.000  (check)" in text


def test_several_candidates_of_other_names_are_not_paired_at_random() -> None:
    one = saved("r", ("a", "p", "passed", 1.0), ("a", "q", "failed", 0.0))
    found = compare(one, saved("s", ("a", "u", "passed", 1.0), ("a", "v", "failed", 0.0)))
    assert found.pairs == ()
    assert (len(found.only_before), len(found.only_after)) == (2, 2)


def test_nothing_in_a_name_acts_on_the_terminal() -> None:
    run = saved("r", ("a", "\x1b[31mred\n", "passed", 1.0))
    other = saved("s", ("a", "\x1b[31mred\n", "failed", 0.0))
    text = "".join(line.plain for line in comparison_lines(compare(run, other)))
    assert "\x1b" not in text
    assert "\n" not in text


def test_of_very_many_changes_the_rest_is_counted_by_kind() -> None:
    cases = [(f"c{number}", "work", number < 250) for number in range(300)]
    one = saved("r", *((case, name, "passed" if lost else "failed", 0.5) for case, name, lost in cases))
    other = saved("s", *((case, name, "failed" if lost else "passed", 0.5) for case, name, lost in cases))
    told = [line.plain for line in comparison_lines(compare(one, other))]
    assert [line for line in told if " more, " in line] == ["  lost   ... and 50 more, all in --json"]
    assert sum(": failed -> passed" in line for line in told) == 50


def test_the_json_has_every_pair() -> None:
    found = json.loads(compare(BEFORE, AFTER).as_json())
    assert [pair["change"] for pair in found["pairs"]] == ["lost", "gained", "score"]


# Computed by hand: twice the smaller tail of a fair coin.
@pytest.mark.parametrize(
    ("gained", "lost", "wanted"), [(0, 0, None), (1, 0, 1.0), (5, 0, 2 / 32), (9, 1, 2 * 11 / 1024), (3, 3, 1.0)]
)
def test_mcnemar(gained: int, lost: int, wanted: float | None) -> None:
    assert mcnemar(gained, lost) == (None if wanted is None else pytest.approx(wanted))
    assert mcnemar(lost, gained) == mcnemar(gained, lost)


def test_mcnemar_agrees_with_its_definition_for_many_pairs() -> None:
    assert mcnemar(60, 40) == pytest.approx(2 * sum(math.comb(100, k) for k in range(41)) / 2**100)
    assert mcnemar(9000, 8700) == pytest.approx(0.024, abs=1e-3)


def test_what_passed_and_has_no_verdict_any_more_is_lost() -> None:
    one = saved("r", ("a", "x", "passed", 1.0), ("b", "x", "passed", 1.0), ("c", "x", "failed", 0.0))
    found = compare(one, saved("s", ("a", "x", "passed", 1.0)))
    assert (found.regressed, [key.case for key in found.missing]) == (1, ["b"])
    told = [line.plain for line in comparison_lines(found)]
    assert "  missing b x: passed -> no verdict" in told
    assert "  only before: c x" in told
    assert told[-1] == "  1 passed before and no longer does"
    assert json.loads(found.as_json())["regressed"] == 1


def test_what_only_one_run_has_can_be_left_out() -> None:
    one = saved("r", ("a", "x", "passed", 1.0), ("b", "x", "passed", 1.0))
    other = saved("s", ("a", "x", "passed", 1.0), ("c", "x", "failed", 0.0))
    found = compare(one, other, common=True)
    assert (found.regressed, found.only_before, found.only_after, len(found.pairs)) == (0, (), (), 1)


def test_that_nothing_is_in_both_is_said() -> None:
    found = compare(saved("r", ("a", "x", "failed", 0.0)), saved("s", ("b", "x", "failed", 0.0)))
    assert "  No verdict is in both runs." in [line.plain for line in comparison_lines(found)]


def test_repeats_count_as_one_thing_in_the_tests() -> None:
    def repeated(name: str, *scores: float) -> SavedRun:
        rows = saved(name, ("a", "x", "passed", 1.0))
        (verdict,) = rows.verdicts.values()
        documents = [
            verdict.model_copy(
                update={"repeat": repeat, "score": score, "verdict": "passed" if score > 0.8 else "failed"}
            )
            for repeat, score in enumerate(scores, 1)
        ]
        return SavedRun(Path(name), {}, {key_of(one): one for one in documents})

    found = compare(repeated("r", *[0.0] * 10), repeated("s", *[1.0] * 10))
    # Ten repeats of one case are no ten cases: chance would do as much every time.
    assert (found.p_passed, found.p_score) == (1.0, 1.0)
    assert "paired permutation test, repeats taken together" in "".join(line.plain for line in comparison_lines(found))
