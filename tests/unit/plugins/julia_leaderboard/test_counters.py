"""The counters of saved verdicts, and their sums by model."""

from __future__ import annotations

import pytest
from fabricated import answered, check, graded

from gradebox.graders.model.verdict_document import document
from gradebox.plugins.julia_leaderboard.counters import by_model, counters_of


def test_the_counters_of_an_answer() -> None:
    verdict = document(answered("add_one", "org/x:7b", tests="110", examples="1"))
    found = counters_of(verdict)
    assert found is not None
    assert (found.name, found.model, found.prompt_label, found.prompt_strategy) == ("add_one", "org/x:7b", "AsIs", "")
    assert (found.parsed, found.executed, found.unit_tests_passed, found.unit_tests_count) == (True, True, 2, 3)
    assert (found.examples_executed, found.examples_count) == (1, 1)
    assert found.score == pytest.approx(100 * (1 + 1 + 2 / 3 + 1) / 4)


def test_an_answer_that_was_not_judged_has_no_counters() -> None:
    found = counters_of(document(answered("add_one", "x", fault="the image lacks it")))
    assert found is not None
    assert (found.verdict, found.score, found.parsed, found.unit_tests_count) == ("error", None, None, None)


def test_another_case_has_none() -> None:
    assert counters_of(document(graded("a", check("t", 1.0)))) is None


def test_the_model_of_an_answer_without_one_is_its_name() -> None:
    found = counters_of(document(answered("add_one", None)))
    assert found is not None
    assert found.model == "model-a"


def test_models_are_sorted_by_their_mean_score_and_errors_count_for_none() -> None:
    verdicts = [
        answered("a", "worse", tests="00", examples="1"),
        answered("a", "better"),
        answered("b", "worse", parsed=False, tests="00", examples="0"),
        answered("b", "better", fault="no engine"),
        answered("b", "lost", fault="no engine"),
    ]
    better, worse, lost = by_model(filter(None, (counters_of(document(one)) for one in verdicts)))
    assert (better.model, better.mean, better.answers, better.errors, better.full) == ("better", 100.0, 2, 1, 1)
    assert (worse.mean, worse.parsed, worse.executed, worse.zero, worse.unit_tests_count) == (37.5, 1, 1, 1, 4)
    assert (worse.examples_executed, worse.examples_count) == (1, 2)
    assert (lost.model, lost.mean, lost.errors) == ("lost", None, 1)
