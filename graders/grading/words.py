"""Asks the judges of a case about its checks in words, after its commands have run. Their replies are evidence."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from gradebox.graders.checks import evaluation
from gradebox.graders.checks.llm.questions import audit_question
from gradebox.graders.checks.llm.replies import parse
from gradebox.graders.grading.open_sandboxes import open_sandbox
from gradebox.graders.grading.settings import Settings
from gradebox.graders.judges.asking import ask
from gradebox.graders.model.case import CaseCheck
from gradebox.graders.model.evidence import Evidence, Observations, of_check
from gradebox.graders.model.judgment import MAX_REPLY_CHARACTERS, WHOLE, Judgment, Question
from gradebox.graders.model.plan import Plan
from gradebox.sandbox import profiles
from gradebox.sandbox.archive import ArchiveEntry
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.limits import Limits, Network
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import WORKSPACE, Command, Outcome

_REASON_CHARACTERS = 500


def questions(
    plan: Plan, observed: Observations, checks: Iterable[CaseCheck] | None = None
) -> Iterator[tuple[CaseCheck, Question]]:
    """Yield the questions of a case's checks, or of some checks, to judges, each with the check that asks it."""
    evidence = Evidence.of(plan, observed.judgments)
    for check in plan.case.checks if checks is None else checks:
        for question in evaluation.questions(check, plan.case, of_check(evidence, check.name, observed.done)):
            yield check, question


def ask_judges(
    engine: Engine, plan: Plan, observed: Observations, settings: Settings, checks: Iterable[CaseCheck] | None = None
) -> None:
    """Ask the case's judges all open questions, or those of some checks, and record the replies.

    No judge is asked about a submission that could not be graded.
    """
    panel = plan.case.judge
    if panel is None or observed.faults or observed.failures:
        return
    host = _Host(engine, settings)

    def asked(question: Question) -> Judgment:
        return ask(panel, question, host, settings.replies, settings.spending)

    for _, question in questions(plan, observed, checks):
        if question.key not in observed.judgments and panel.asked(question):
            observed.judgments[question.key] = asked(question)
    if checks is None and any(judge.role == "audit" for judge in panel.judges):
        with suppress(OSError):
            question = audit_question(plan.case, Evidence.of(plan))
            judgment = observed.judgments[question.key] = asked(question)
            observed.audits = tuple(_findings(question, judgment))


def _findings(question: Question, judgment: Judgment) -> Iterator[str]:
    """Yield the findings of audits, and which audits failed. Audits decide nothing, so neither is an error."""
    for reply in judgment.replies:
        if reply.problem:
            yield f"the audit by the judge {reply.judge} could not be made: {reply.problem}"
            continue
        # Asking has already parsed the reply.
        opinion = parse(question, reply.text)[WHOLE]
        if opinion.score == 0:
            yield f"the judge {reply.judge} suspects cheating: {opinion.reason[:_REASON_CHARACTERS]}"


@dataclass(frozen=True, slots=True)
class _Host:
    engine: Engine
    settings: Settings

    @property
    def environ(self) -> Mapping[str, str]:
        return os.environ

    @property
    def stopped(self) -> bool:
        return self.settings.stop.is_set()

    def run(
        self,
        image: str,
        network: Network,
        files: Iterable[ArchiveEntry],
        argv: Sequence[str],
        env: Mapping[str, str],
        stdin: bytes,
        seconds: float,
    ) -> Outcome:
        limits = profiles.limits(self.settings.profile, Limits(network=network))
        with open_sandbox(self.engine, self.settings.sandbox_spec(image, limits, seconds), self.settings) as sandbox:
            sandbox.snapshot()
            uid = sandbox.uid(1)
            sandbox.reset(uid)
            sandbox.put(files, protect=True)
            command = Command(
                argv=tuple(argv),
                cwd=WORKSPACE,
                env={**sandbox.env, **env},
                stdin=stdin,
                uid=uid,
                wall_seconds=seconds,
                capture_bytes=4 * MAX_REPLY_CHARACTERS,
            )
            return sandbox.run(command)
