"""The `llm-grader` check: criteria in words that only a model or a person can judge.

Without a judge, it is shown as not judged and does not count; a required check is then an error of the case. It never
passes without a judge.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Self

from pydantic import Field, Tag

from gradebox.graders.checks.base import Check, CheckPlanner, Reading
from gradebox.graders.checks.grader_io import grader_input
from gradebox.graders.checks.llm.panel import hear
from gradebox.graders.checks.results import ending_sentence, error, not_judged, record, scored, unfinished, whose_fault
from gradebox.graders.checks.rubric import RubricList, numbered
from gradebox.graders.checks.rubrics import combine, in_words, judged_by
from gradebox.graders.documents.commands import Command
from gradebox.graders.documents.diagnostics import shown
from gradebox.graders.documents.entries import Entry, also, by_shape, optional
from gradebox.graders.documents.fields import Count, FreeMapping, Number, Text
from gradebox.graders.documents.paths import named_file
from gradebox.graders.documents.reader import read_text
from gradebox.graders.model.case import Case, CommandSpec
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.judgment import WHOLE, Question
from gradebox.graders.model.plan import Role, Stage
from gradebox.graders.model.verdict import CheckResult, StepRecord
from gradebox.sandbox.ending import Fault

_FILE = "file://"
# The endings that mark a one-line prompt as the path of a file.
_TEMPLATES = (".md", ".txt", ".j2", ".prompt", ".tmpl")


class PromptCommand(Entry):
    """A command that writes the prompt for the judge."""

    command: Command = Field(
        validation_alias=also("script"), description="Reads the input of a code-grader on stdin, and prints the prompt."
    )
    config: FreeMapping = optional("Data that it receives on stdin as `config`.", default_factory=dict)


_Prompt = Annotated[
    Annotated[Text, Tag("|text")] | Annotated[PromptCommand, Tag("|mapping")],
    by_shape("must be text or a mapping with `command`", "text", "mapping"),
]


class LlmGrader(Check):
    """A judge decides by criteria in words. Without a judge, a required check is an error, others are not judged."""

    type = "llm-grader"
    spellings = ("llm-judge", "llm-rubric", "agent-rubric")
    free = True

    prompt: _Prompt | None = optional(
        "The question for the judge: plain text, a template, the path of a template file, or a command.",
        "value",
        "criteria",
    )
    rubrics: RubricList = optional("The criteria for the judge.", default=())
    model: Text | None = optional("Model of the judge.")
    provider: Text | None = optional("Provider of the judge.")
    target: Text | None = optional("The name of the judge to ask, if the case has several.")
    temperature: Number | None = optional("Temperature of the judge.")
    max_steps: Count | None = optional("How many steps the judge may take.", "maxSteps")
    config: FreeMapping = optional("Other settings of the judge.", default_factory=dict)

    def completed(self, reading: Reading) -> Self | None:
        """Read a prompt from its file, and refuse rubrics that need no judge."""
        errors = reading.reader.findings.errors
        rubrics = numbered(self.rubrics, reading.reader, (*reading.path, "rubrics")) if self.rubrics else ()
        for index, rubric in enumerate(rubrics or ()):
            for name in ("command", "check"):
                if getattr(rubric, name) is not None:
                    message = f"a judge is asked about the rubrics of a check `{self.type}`, and `{name}` is none"
                    reading.error(("rubrics", index, name), message, "Write `type: rubrics`.")
        prompt = read_prompt(reading, self.prompt) if isinstance(self.prompt, str) else self.prompt
        if reading.reader.findings.errors > errors:
            return None
        return self.but(rubrics=rubrics or (), prompt=prompt)

    def is_in_words(self) -> bool:
        return True

    def commands(self) -> Iterator[CommandSpec]:
        if isinstance(self.prompt, PromptCommand):
            yield self.prompt.command

    def stages(self, case: Case, planner: CheckPlanner) -> tuple[Stage, ...]:
        if not isinstance(self.prompt, PromptCommand):
            return ()
        stdin = grader_input(case, self, planner.submission_data, self.prompt.config)
        step = planner.step(Role.CHECK, "prompt", self.prompt.command, check=self, stdin=stdin)
        return (planner.stage(f"{self.name} prompt", [step], self.name),)

    def questions(self, case: Case, evidence: Evidence) -> Iterator[Question]:
        from gradebox.graders.checks.llm.questions import question  # noqa: PLC0415 - only where somebody judges

        words = _printed(evidence) if isinstance(self.prompt, PromptCommand) else self.prompt or ""
        if words is not None:
            wanted: dict[str, Any] = {"judge": self.target or "", "model": self.model or ""}
            wanted["temperature"] = self.temperature
            yield question(case, evidence, words, in_words(self.rubrics), **wanted)

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        hearing = hear(self, case, evidence)
        steps = tuple(_records(evidence))
        broken = next((done for done in evidence.done if done.outcome.exit_code != 0), None)
        if broken is not None:
            reason = f"its prompt was not written: {ending_sentence(broken)}"
            blame = unfinished if whose_fault(broken) is Fault.CANDIDATE else error
            return blame(self, case, reason, steps)
        if hearing.fault:
            return error(self, case, hearing.fault, steps)
        if self.rubrics and not hearing.silent:
            judged = [judged_by(hearing, rubric) for rubric in self.rubrics]
            return combine(self, case, judged, steps, hearing.details)
        gates = [rubric.id for rubric in self.rubrics if rubric.required]
        if gates:
            return error(self, case, f"{hearing.silent}, and these rubrics are required: {', '.join(gates[:5])}", steps)
        score, reason, _ = hearing.of(WHOLE)
        if score is None:
            words = f": {self.prompt:.200}" if hearing.silent and isinstance(self.prompt, str) and self.prompt else ""
            return not_judged(self, case, f"{reason}{words}", steps)
        return scored(self, case, score, reason, steps, details=hearing.details)


def _records(evidence: Evidence) -> Iterator[StepRecord]:
    for done in evidence.done:
        passed = done.outcome.exit_code == 0
        yield record(done, passed=passed, reason="" if passed else ending_sentence(done))


def _printed(evidence: Evidence) -> str | None:
    """Return the prompt that a command wrote; None if there is none.

    A placeholder replaces literal quotations of the answer, so that they stay marked as the candidate's.
    """
    done = next((ran for ran in evidence.done if ran.step.role is Role.CHECK), None)
    if done is None or done.outcome.exit_code != 0 or not done.outcome.stdout.complete:
        return None
    written = done.outcome.stdout.text()
    answer = (evidence.answer or "").strip()
    return written.replace(answer, "{{output}}") if answer else written


def read_prompt(reading: Reading, prompt: str) -> str:
    """Return a prompt; if it is the path of a file, return the file's content."""
    path = prompt.strip().removeprefix(_FILE)
    names_file = prompt.strip().startswith(_FILE)
    if not names_file and (any(char.isspace() for char in path) or not path.endswith(_TEMPLATES)):
        return prompt
    document = reading.reader.document.file.parent.absolute()
    file = named_file(path, (document,))
    if file is None:
        reading.error(("prompt",), f"the file `{shown(path)}` does not exist", f"It is looked up from {document}.")
        return prompt
    return read_text(file, reading.reader.findings) or prompt
