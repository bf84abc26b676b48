"""A run as one JSON object."""

from __future__ import annotations

import json
from pathlib import Path

from fabricated import ASKED, check, graded, hostile, many, write

from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.reports.json_report import report


def test_the_object_has_the_request_the_counts_and_every_verdict(tmp_path: Path) -> None:
    run = write(tmp_path, [*many(20), hostile()])
    pieces = list(report(run))
    found = json.loads("".join(pieces))
    assert list(found) == ["run", "asked", "counts", "verdicts"]
    assert (found["run"], found["asked"]) == (run.id, dict(ASKED))
    assert sum(found["counts"].values()) == len(found["verdicts"]) == 21
    assert [VerdictDocument.model_validate(one) for one in found["verdicts"]] == list(run.verdicts.values())
    assert len(pieces) == 23


def test_a_run_without_verdicts_is_an_object(tmp_path: Path) -> None:
    assert json.loads("".join(report(write(tmp_path, []))))["verdicts"] == []


def test_the_verdicts_of_tries_are_in_the_object(tmp_path: Path) -> None:
    tried = [graded("a", check("t", score), trials="mean", repeat=number) for number, score in enumerate((1.0, 0.5), 1)]
    (found,) = json.loads("".join(report(write(tmp_path, tried))))["tries"]
    assert (found["case"], found["strategy"], found["status"], found["score"]) == ("a", "mean", "failed", 0.75)
    assert (found["passed"], found["count"], found["figures"]["min"]) == (1, 2, 0.5)
