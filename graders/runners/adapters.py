"""Test runners that say themselves that they came to their end: which command is one, and what it is run as. Pure.

A code-grader whose command is a known test runner (`adapter: auto`) runs it through a runner of ours. Its source lies
in ``images/`` and is an argument of the interpreter, or a file of root's below ``.gradebox/`` in the workspace. It is
handed over and answered like this:

**Stdin** begins with a line, the token: random hexadecimal digits that only the host and our runner know. The runner
reads it from descriptor 0 a byte at a time, before anything of the candidate's is loaded; what follows is the check's
own stdin, for whoever reads it.

**Descriptor 3** is moved to a high one that child processes do not get, and gets lines:

- ``TOKEN done RAN FAILED``: once, when the test runner has come to its true end: how many tests ran (skipped ones did
  not) and how many of them failed.
- ``TOKEN control WHAT``: something passed that must fail. At the end the runner runs tests of its own that must fail,
  by the same way as the others and seen by nobody.
- ``TOKEN skipped WHAT``: the code under test had a test skipped.
- ``TOKEN missing NAME``: a program that the command needs is not in the image. The exit status is 127.

Nothing else on it means anything, nor does a line that holds no token.

**Exit status**: as the test runner chose it, read from its own end, and not changed by handlers at exit. Status 0
without ``done`` claims what did not happen; so does 0 with tests that failed. Any other status is a plain failure.

Everything else stays as the author's command has it: arguments, working directory, environment, output, what the
tests find of themselves. Code that shares a process with its judge can still search that process's memory; each
runner says in its source how far it hides the token.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from graders.model.plan import Step
from graders.model.tree import parents
from graders.runners import adapters_javascript, adapters_julia, adapters_python
from graders.runners.adapter_heads import (
    Adapter,
    File,
    Head,
    Recogniser,
    Source,
    Word,
)
from graders.runners.adapter_reports import (
    RunnerJudgment,
    RunnerReport,
    judge,
    overstated,
    told,
)
from graders.runners.command_line import Line, locate
from sandbox.archive import Entry, Kind, file_entry
from sandbox.types import WORKSPACE

__all__ = [
    "RECOGNISERS",
    "SOURCES",
    "Adapted",
    "RunnerJudgment",
    "RunnerReport",
    "adapt",
    "hint",
    "judge",
    "overstated",
    "recognise",
    "runner_name",
    "told",
]

# A directory of images/ and the files in it that make up a source; `read_runners` has its text under ``adapter NAME``.
SOURCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {**adapters_python.SOURCES, **adapters_javascript.SOURCES, **adapters_julia.SOURCES}
)

# In the order in which they are asked.
RECOGNISERS: Mapping[Adapter, Recogniser] = MappingProxyType(
    {**adapters_python.RECOGNISERS, **adapters_javascript.RECOGNISERS, **adapters_julia.RECOGNISERS}
)


@dataclass(frozen=True, slots=True)
class Adapted:
    """A command that is a known test runner, and what to run in its place.

    Attributes:
        adapter: Which runner it is.
        words: The command that is run, of which some words are runners' sources.
        renamed: Variables of the environment that the runner gets under another name, and gives their own back.
        files: What the runner loads besides the files among the words.
    """

    adapter: Adapter
    words: tuple[Word, ...]
    renamed: Mapping[str, str]
    files: tuple[File, ...] = ()

    def argv(self, runners: Mapping[str, str]) -> tuple[str, ...]:
        """Return the command.

        Args:
            runners: The sources, as `read_runners` returns them.
        """
        return tuple(_text(word, runners) for word in self.words)

    def delivered(self, runners: Mapping[str, str]) -> tuple[Entry, ...]:
        """Return the files that it needs in the workspace, with the directories that they lie in."""
        brought = (*(word for word in self.words if isinstance(word, File)), *self.files)
        files = {file.path: runners[runner_name(file.name)] for file in brought}
        directories = dict.fromkeys(directory for path in files for directory in parents(path))
        return (
            *(Entry(path, Kind.DIRECTORY, 0o755) for path in directories),
            *(file_entry(path, text.encode()) for path, text in files.items()),
        )

    def env(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return the environment with which it is run, of that which the author gave it."""
        return {self.renamed.get(name, name): value for name, value in env.items()}


def adapt(step: Step, adapter: Adapter, runners: Mapping[str, str]) -> Step:
    """Return a step that runs the same command, through a runner of ours where it is a known test runner.

    Args:
        step: The author's command.
        adapter: Which one it may be.
        runners: The sources.
    """
    found = recognise(step.argv, adapter)
    if found is None:
        return step
    token = secrets.token_hex(16)
    return replace(
        step,
        argv=found.argv(runners),
        shown=step.argv,
        env=found.env(step.env),
        stdin=f"{token}\n".encode() + step.stdin,
        report=True,
        token=token,
        brought=found.delivered(runners),
    )


def runner_name(source: str) -> str:
    """Return the name under which `read_runners` has the text of a source."""
    return f"adapter {source}"


def recognise(argv: Sequence[str], adapter: Adapter = Adapter.AUTO) -> Adapted | None:
    """Return what to run in place of a command that is a test runner, None for one that is run as it is.

    Args:
        argv: The author's command; of one written as a line, ``sh -c LINE``. A line counts only if all of it is one
            simple command, with ``cd DIRECTORY &&`` and assignments in front at most.
        adapter: The one that it must be, or `Adapter.AUTO` for any.
    """
    if adapter is Adapter.NONE or not argv:
        return None
    located = locate(argv)
    if located is None:
        return None
    for name, recogniser in RECOGNISERS.items():
        if adapter in (Adapter.AUTO, name):
            head = recogniser(located.words)
            if head is not None and located.is_plain(head.count):
                return _adapted(name, located, head)
    return None


def _adapted(adapter: Adapter, line: Line, head: Head) -> Adapted:
    if not line.shell:
        before = (_renamed(word, head.renamed) for word in line.before)
        return Adapted(adapter, (*before, *head.words, *line.words[head.count :]), head.renamed, head.files)
    renamed = {} if any(map(line.refers_to, head.renamed)) else head.renamed
    # The line stays the shell's to read; only what it names as the program comes from outside it.
    return Adapted(adapter, (*line.shell, line.rewritten(head.count, renamed), "sh", *head.words), renamed, head.files)


def _renamed(word: str, renamed: Mapping[str, str]) -> str:
    name, equals, value = word.partition("=")
    return f"{renamed.get(name, name)}{equals}{value}"


def _text(word: Word, runners: Mapping[str, str]) -> str:
    match word:
        case Source(name):
            return runners[runner_name(name)]
        case File(path=path):
            return f"{WORKSPACE}/{path}"
        case _:
            return word


def hint(adapter: Adapter) -> str:
    """Say what a command must look like to be run by an adapter that a case names."""
    return f"Write the command as {_SHAPES[adapter]}, without a pipe or a second command; or remove `adapter`."


_SHAPES: Mapping[Adapter, str] = {
    Adapter.PYTEST: "`pytest ...` or `python3 -m pytest ...`",
    Adapter.UNITTEST: "`python3 -m unittest ...`",
    Adapter.BUN_TEST: "`bun test ...`",
    Adapter.NODE_TEST: "`node --test ...`",
    Adapter.VITEST: "`vitest run ...` or `npx vitest run ...`",
    Adapter.JEST: "`jest ...` or `npx jest ...`",
    Adapter.JULIA_TEST: "`julia ... runtests.jl`",
}
