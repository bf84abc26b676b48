"""The expected exit status, output and report of a code grader's command, beyond "exit status 0"."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from gradebox.graders.checks.text import patterns
from gradebox.graders.documents.entries import Entry, optional
from gradebox.graders.documents.fields import Count, Text
from gradebox.graders.documents.validators import refused
from gradebox.graders.model.case import CommandSpec
from gradebox.sandbox.types import Outcome

_CANDIDATE = re.compile(r"(?<![\w.-])candidate(?![\w-])")
_NOT_PASSED_ON = "; what `candidate` prints without a redirection goes to stderr, since this text decides"


def _regex(text: str) -> str:
    try:
        patterns.compiled(text)
    except patterns.PatternFault as fault:
        raise refused(f"is not a regular expression: {fault.__cause__}", "Check brackets and backslashes.") from None
    return text


class Expect(Entry):
    """Conditions for the output and the exit status of a command."""

    exit_code: Annotated[Count, Field(ge=0, le=255)] = optional("The exit status that passes.", default=0)
    stdout: Text | None = optional("The exact text that it must print on stdout.")
    stderr: Text | None = optional("The exact text that it must print on stderr.")
    stdout_regex: Annotated[Text, AfterValidator(_regex)] | None = optional(
        "A regular expression that must match somewhere in its stdout."
    )

    @property
    def by_stdout(self) -> bool:
        """Whether what the command prints decides."""
        return self.stdout is not None or self.stdout_regex is not None

    def is_of_grader(self, command: CommandSpec) -> bool:
        """Return whether the grader itself has to print what decides: its command names no other program for that."""
        return self.by_stdout and not any(_CANDIDATE.search(word) for word in command.argv)


def unmet(expect: Expect, outcome: Outcome, *, own_stdout: bool = False) -> str:
    """Return the first expectation that an exited command does not meet; empty if it meets all.

    With `own_stdout`, what the submission prints was not passed on to stdout.

    Raises PatternFault if the regular expression cannot be used on the output.
    """
    if outcome.exit_code != expect.exit_code:
        wanted = "" if expect.exit_code == 0 else f", {expect.exit_code} was expected"
        return f"exit status {outcome.exit_code}{wanted}"
    for name, wanted_text, capture in (
        ("stdout", expect.stdout, outcome.stdout),
        ("stderr", expect.stderr, outcome.stderr),
    ):
        if wanted_text is not None and (not capture.complete or capture.text() != wanted_text):
            return f"{name} is not what was expected{_NOT_PASSED_ON if own_stdout and name == 'stdout' else ''}"
    if expect.stdout_regex is not None and not patterns.found(expect.stdout_regex, outcome.stdout.text()):
        return f"stdout does not match what was expected{_NOT_PASSED_ON if own_stdout else ''}"
    return ""
