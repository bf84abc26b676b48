"""A test that was skipped for the submission, or left out, is named in the report."""

from __future__ import annotations

from typing import Any

import pytest
from apart_bench import pair

from gradebox.graders.languages.python.inside.apart.wire import CandidateDied
from gradebox.graders.runners.inside.python.apart_start import Judging, shown_traceback


class _Files(set[str]):
    def is_inside(self, path: str) -> bool:
        return path.startswith("/workspace/")


def _judging(contract: dict[str, list[str]] | None = None, *, record: bool = False) -> Judging:
    """Return one that has no submission and no report."""
    judging: Any = Judging.__new__(Judging)
    judging.candidate, judging.counts, judging.skipped = pair()[1], {}, []
    judging.candidate.checkpoint.begin(contract, record)
    judging.ran = judging.failed = judging.failures = 0
    judging.finder = type("Finder", (), {"failures": 0, "files": _Files({"/workspace/tests/test_a.py"})})
    return judging  # type: ignore[no-any-return]


def test_a_function_of_tests_has_as_many_as_with_the_reference() -> None:
    recording = _judging(record=True)
    for name in ("a.py::f[1]", "a.py::f[2]", "a.py::g"):
        recording.count(name)
    assert recording.left_out() == []
    words = recording.candidate.checkpoint.noted["#"]
    assert words == {"ran 3 ", "ran 2 a.py::f"}
    judging = _judging({"#": sorted(words)})
    judging.count("a.py::f[1]")
    assert judging.left_out() == [
        "2 of the 3 tests that the reference has", "1 of the 2 tests of a.py::f that the reference has",
    ]  # fmt: skip
    judging.count("a.py::f[2]")
    judging.count("a.py::h")
    assert judging.left_out() == []


@pytest.mark.parametrize(
    ("error", "is_named"),
    [(CandidateDied(), True), (ValueError(), False), (None, False)],
    ids=["the process ended", "an error of the tests", "nothing"],
)
def test_a_skip_for_an_error_of_the_submission_is_named(error: BaseException | None, is_named: bool) -> None:
    judging, skipped = _judging(), RuntimeError("skipped")
    skipped.__cause__ = error
    judging.skip("a.py::f", skipped)
    assert judging.skipped == (["a.py::f, by an error of the submission"] if is_named else [])


def test_a_skip_for_a_module_that_cannot_be_loaded_is_named_once() -> None:
    judging = _judging()
    judging.finder.failures = 1
    judging.skip("a.py::f", None)
    judging.skip("a.py::g", None)
    assert judging.skipped == ["a.py::f, by a module of the submission that cannot be loaded"]


@pytest.mark.parametrize(
    ("path", "is_it"),
    [("/workspace/tests/test_a.py", False), ("/workspace/tests/test_b.py", True), ("/usr/lib/x.py", False)],
)
def test_a_file_that_is_not_the_cases_is_the_submissions(path: str, is_it: bool) -> None:
    assert _judging().is_submitted(path) == is_it


def test_an_error_shows_where_it_came_from_in_the_submission() -> None:
    with pytest.raises(ValueError, match="x") as raised:
        raise ValueError("x")
    raised.value.__dict__["_gradebox_traceback"] = "File a.py"
    assert shown_traceback(raised.value) == "File a.py"
    assert shown_traceback(ValueError()) == shown_traceback(None) == ""
