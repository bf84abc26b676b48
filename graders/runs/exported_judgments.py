"""The questions of a run to judges, as objects to which a person or another tool adds replies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from gradebox.graders.grading.task import Task
from gradebox.graders.grading.words import questions
from gradebox.graders.judges.judge_prompt import messages
from gradebox.graders.runs.regrade import kept
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.graders.runs.tasks import key_of_task


def exported(run: SavedRun, tasks: Iterable[Task], *, answered: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the open questions of a run without duplicates, each with the first verdict and check that it belongs to.

    `tasks` have the current cases. With `answered`, also yield answered questions, with each judge's reply.

    Raises GraderError if a needed file can no longer be read.
    """
    seen: set[str] = set()
    for task in tasks:
        before = run.verdicts.get(key_of_task(task))
        found = kept(run, before, task) if before is not None else ""
        if isinstance(found, str):
            continue
        for check, question in questions(found.plan, found.observed):
            if question.key in seen:
                continue
            seen.add(question.key)
            line = {
                "key": question.key,
                "case": task.case.id,
                "submission": task.submission.name,
                "check": check.name,
                "criteria": [asdict(criterion) for criterion in question.criteria],
                "messages": messages(question),
            }
            known = found.observed.judgments.get(question.key)
            if known is None or not known.answered:
                yield {**line, "reply": None}
            elif answered:
                yield from ({**line, "judge": one.judge, "reply": _object(one.text)} for one in known.replies)


def _object(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
