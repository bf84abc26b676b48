"""`javascript`, `python`: code of the case's author judges the answer, in the sandbox and never on the host.

The code is an expression, the body of a function that returns something, or ``file://PATH``. ``:FUNCTION`` after the
path names a function with another name than the usual one. The code gets `output`, the text of the answer, and
`context`. It returns true or false, a score from 0 to 1, or ``{pass, score, reason}``.

Code that raises fails the check, as in the tools that this check comes from. Unreadable code, a missing module and an
undefined name are the author's fault, and an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Self

from pydantic import Field

from gradebox.graders.checks.base import Check, CheckPlanner, Reading
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.results import scored, unfinished, wanted_score
from gradebox.graders.documents.entries import optional
from gradebox.graders.documents.fields import Fraction, FreeMapping, SourceItem
from gradebox.graders.model import scoring
from gradebox.graders.model.case import Case, CommandSpec
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.plan import Role, Stage, Step
from gradebox.graders.model.verdict import CheckResult, Status
from gradebox.graders.runners import NONE

FILE = "file://"
_INSIDE = Path(__file__).parent / "inside"


class InlineCode(Check):
    """The base of the checks of both languages."""

    negatable = True
    program: ClassVar[tuple[str, ...]]
    runner: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]

    value: SourceItem = Field(description="The code, or `file://PATH`; `:FUNCTION` may follow the path.")
    threshold: Fraction | None = optional("The score from which it passes.")
    transform: SourceItem | None = optional("Code, or `file://PATH`, that converts the answer to the text to judge.")
    vars: FreeMapping = optional("Data that the code receives as `context.vars`.", default_factory=dict)
    config: FreeMapping = optional("Data that the code receives as `context.config`.", default_factory=dict)

    def completed(self, reading: Reading) -> Self | None:
        """Refuse a file of another language, and use the threshold as the required score."""
        for name in ("value", "transform"):
            file = code_file(getattr(self, name) or "")
            if file and not file[0].endswith(self.suffixes):
                message = f"`{file[0]}` is not a file of {self.type}"
                reading.error((name,), message, f"Name one that ends in {', '.join(self.suffixes)}.")
                return None
        known = self.min_score is not None or self.threshold is None
        return self if known else self.but(min_score=self.threshold)

    def stages(self, case: Case, planner: CheckPlanner) -> tuple[Stage, ...]:
        return tuple(
            replace(stage, steps=tuple(self._shown(step) for step in stage.steps))
            for stage in self.grader(case.roots).stages(case, planner)
        )

    def _shown(self, step: Step) -> Step:
        """Return a step that is shown as the author's code, without the program that runs the code."""
        return (
            replace(step, shown=(*self.program[:1], *self.program[-1:], self.value))
            if step.role is Role.CHECK
            else step
        )

    def commands(self) -> Iterator[CommandSpec]:
        yield from self.grader().commands()

    def grader(self, roots: Iterable[Path] = ()) -> CodeGrader:
        """Return the code grader that runs the code. Files of code are its arguments, in their order of use.

        The modules that these files import are delivered with them. Modules beside the code are imported only if they
        are the author's, that is, below `roots`: a submission could bring others.
        """
        files = [file[0] for code in (self.transform, self.value) if (file := code_file(code or ""))]
        beside = {path.stem for root in roots for file in files for path in (root / file).parent.glob("[!.]*")}
        source = (_INSIDE / self.runner).read_text("utf-8")
        common = {name: getattr(self, name) for name in Check.model_fields if name in self.model_fields_set}
        return CodeGrader(
            **{**common, "negate": False},
            command=CommandSpec((*self.program, source, *files)),
            protocol="json",
            adapter=NONE,
            config={
                "code": self.value,
                "transform": self.transform,
                "vars": self.vars,
                "config": self.config,
                "beside": sorted(beside),
            },
        )

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        found = self.grader().judge(case, evidence)
        if found.status is Status.ERROR or found.score is None:
            said = [ran.outcome.stderr.text().strip() for ran in evidence.done if ran.outcome.exit_code]
            reason = said[0].splitlines()[-1][:300] if said and said[0] else found.reason
            return replace(found, type=self.type, negate=self.negate, reason=reason)
        if found.unfinished or found.details.get("raised"):
            # If the candidate prevents the judging, neither the check nor its opposite passes.
            return unfinished(self, case, found.reason, found.steps, found.tampering)
        passes = scoring.reaches(found.score, wanted_score(self, case))
        score = 0.0 if found.details.get("pass") is False and passes else found.score
        return scored(self, case, score, found.reason, found.steps, found.tampering, found.details)


class JavaScript(InlineCode):
    """JavaScript that judges the answer; it runs in Bun."""

    type = "javascript"
    program = ("bun", "-e")
    runner = "run_javascript.js"
    suffixes = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts")


class Python(InlineCode):
    """Python that judges the answer."""

    type = "python"
    program = ("python3", "-I", "-c")
    runner = "run_python.py"
    suffixes = (".py",)


def code_file(code: str) -> tuple[str, str] | None:
    """Return the path and the function in ``file://PATH:FUNCTION``; None for code."""
    if not code.strip().startswith(FILE):
        return None
    path, _, function = code.strip().removeprefix(FILE).partition(":")
    return path.removeprefix("./"), function
