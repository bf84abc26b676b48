"""A run as one JSON object: the request, the number of verdicts of each status, and every verdict."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

from gradebox.graders.model.verdict_document import result_of
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.graders.runs.statistics import Totals


def report(run: SavedRun) -> Iterator[str]:
    """Yield the object in pieces, so that memory does not limit the size of a run."""
    counts = Counter(verdict.verdict for verdict in run.verdicts.values())
    totals = Totals.of(map(result_of, run.verdicts.values()))
    tries = [{**key._asdict(), **asdict(found)} for key, found in totals.tries.tried()]
    known = {"tries": tries} if tries else {}
    head = json.dumps({"run": run.id, "asked": run.requested, "counts": dict(sorted(counts.items())), **known})
    yield head[:-1] + ', "verdicts": ['
    for number, verdict in enumerate(run.verdicts.values()):
        text = json.dumps(verdict.model_dump(mode="json"), separators=(",", ":"))
        yield f"{',' if number else ''}\n{text}"
    yield "\n]}\n"
