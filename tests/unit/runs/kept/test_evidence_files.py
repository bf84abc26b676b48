"""The files that are kept of a grading; what is in them is tested with `runs.saved_evidence` and `runs.outcomes`."""

from __future__ import annotations

from dataclasses import replace

from fabricated import check, graded

from gradebox.graders.runs.kept.evidence_files import ANSWER, CHANGES, evidence_files


def test_what_is_empty_has_no_file() -> None:
    assert not {ANSWER, CHANGES} & dict(evidence_files(graded("a", check("c", 1.0)))).keys()


def test_texts_are_kept_whatever_they_hold() -> None:
    found = dict(evidence_files(replace(graded("a", check("c", 1.0)), answer="\ud800", changes="+\udcff\n")))
    assert (found[ANSWER], found[CHANGES]) == (b"?", b"+\\xff\n")
