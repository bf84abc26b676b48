"""A run as a run directory of AgentV: ``--report agentv=DIR``.

`gradebox.graders.formats.agentv` makes the content of the files. That package does not know saved runs, so this module
reads the run and writes the files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from gradebox.graders.formats.agentv.run_directory import (
    BENCHMARK,
    INDEX,
    WITHOUT_ERRORS,
    Benchmark,
    Graded,
    directory_of,
    files,
    from_below,
    row,
    target_names,
)
from gradebox.graders.grading.fingerprint import key_of
from gradebox.graders.model.verdict_document import VerdictDocument, result_of
from gradebox.graders.runs.saved_evidence import answer_of, transcript_of
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.graders.runs.statistics import Tries, TryKey


def report(run: SavedRun) -> Iterator[str]:
    """Yield the rows of the index."""
    yield from (_row(one) for one in graded(run))


def write(run: SavedRun, directory: Path) -> None:
    """Write the directory, and its index last. Raises OSError if it cannot be written."""
    benchmark = Benchmark()
    index: list[str] = []
    without_errors: list[str] = []
    for one in graded(run):
        for path, text in files(one):
            file = directory / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8", "replace", newline="")
        benchmark.add(one)
        index.append(_row(one))
        without_errors += [] if one.is_error else [f"{json.dumps(from_below(row(one)))}\n"]
    (directory / WITHOUT_ERRORS).parent.mkdir(parents=True, exist_ok=True)
    (directory / BENCHMARK).write_text(benchmark.document(run.id), "utf-8")
    (directory / WITHOUT_ERRORS).write_text("".join(without_errors), "utf-8")
    (directory / INDEX).write_text("".join(index), "utf-8")


def graded(run: SavedRun) -> Iterator[Graded]:
    """Yield the verdicts of a run with data about their submissions; of the tries of a case, only the best."""
    names = target_names(run.verdicts.values())
    alone = len(set(names)) <= 1
    tries: dict[TryKey, list[VerdictDocument]] = {}
    totals = Tries()
    for verdict in run.verdicts.values():
        totals.add(result_of(verdict))
        if verdict.trials:
            tries.setdefault(TryKey.of(verdict), []).append(verdict)
    tried = dict(totals.tried())
    for verdict, name in zip(run.verdicts.values(), names, strict=True):
        together = tries.get(TryKey.of(verdict), []) if verdict.trials else []
        if together:
            best = max(together, key=lambda one: (one.verdict != "error", one.gated_score or 0.0))
            if key_of(verdict) != key_of(best):
                continue
        answer, transcript = answer_of(run, verdict), transcript_of(run, verdict)
        place = directory_of(verdict, name, alone=alone)
        come_to = tried.get(TryKey.of(verdict)) if together else None
        yield Graded(verdict, name, place, answer, transcript, tuple(together), come_to)


def _row(one: Graded) -> str:
    return f"{json.dumps(row(one))}\n"
