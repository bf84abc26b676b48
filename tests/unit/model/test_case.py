"""Cases as data: places and defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.model.case import DEFAULT_THRESHOLD, Case, Place


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Place(Path("case.yaml"), 3, 5), "case.yaml:3:5"),
        (Place(Path("case.yaml"), 3), "case.yaml:3:0"),
        (Place(Path("case.yaml")), "case.yaml"),
    ],
)
def test_a_place_reads_as_editors_take_it(place: Place, text: str) -> None:
    assert str(place) == text


def test_a_case_has_defaults_for_all_that_is_optional() -> None:
    case = Case("a", Place(Path("case.yaml")), Path(), ())
    assert (case.threshold, case.workspace, case.language, case.whole_answer) == (DEFAULT_THRESHOLD, None, None, False)
