"""Runs a test runner through an adapter that reports whether the runner came to its end. Pure.

A code-grader whose command is a known test runner (``adapter: auto``) runs it through an adapter of ours. Its source is
an argument of the interpreter, or a file of root's below ``.gradebox/`` in the workspace. Host and adapter talk so:

**Stdin** begins with a line, the token: random hexadecimal digits that only the host and our adapter know. The adapter
reads it from descriptor 0 a byte at a time, before anything of the candidate's is loaded. What follows is the check's
own stdin, for whatever reads it.

**Descriptor 3** is moved to a high one that child processes do not get, and gets lines:

- ``TOKEN done RAN FAILED``: once, when the test runner has come to its true end: how many tests ran (skipped ones did
  not) and how many of them failed.
- ``TOKEN control WHAT``: something passed that must fail. At the end the adapter runs tests of its own that must fail,
  by the same way as the others and seen by nobody.
- ``TOKEN skipped WHAT``: the code under test skipped a test.
- ``TOKEN unloaded FILE: WHY``: a file of tests could not be loaded, or its program ended before its end.
- ``TOKEN image NAME PATH``: in place of a module that the case has at a path, one built into Python was imported.
- ``TOKEN exited``: the code under test left by the ordinary exit of its language. That is a failure and no tampering,
  so it may come without the token.
- ``TOKEN missing NAME``: a program that the command needs is not in the image. The exit status is 127.
- ``TOKEN limit TEXT``, ``TOKEN contract JSON``: of tests that run apart (`boundary_report`).

Nothing else on it means anything, nor does a line that holds no token.

**Exit status**: as the test runner chose it, read from its own end, and not changed by handlers at exit. Status 0
without ``done`` claims what did not happen; so does 0 with tests that failed. Any other status is a plain failure.

Everything else stays as the author's command has it: arguments, working directory, environment, output, what the
tests find of themselves. Code that shares a process with its judge can still search that process's memory; each
adapter says in its source how far it hides the token.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gradebox.graders.documents.command_lines.command_line import CommandLine, locate
from gradebox.graders.languages import languages
from gradebox.graders.model.plan import Step, User
from gradebox.graders.model.tree import parents
from gradebox.graders.runners import AUTO, NONE, runners
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import WORKSPACE

if TYPE_CHECKING:
    from gradebox.graders.runners.runner import File, Head, Runner, Word


@dataclass(frozen=True, slots=True)
class Adapted:
    """A command that is a known test runner, and what to run in its place."""

    runner: Runner  # Which test runner it is.
    words: tuple[Word, ...]  # The command that is run, of which some words are sources of ours.
    renamed: Mapping[str, str]  # Environment variables that the adapter gets under another name, and restores.
    files: tuple[File, ...] = ()  # What the adapter loads besides the files among the words.
    mentions: tuple[str, ...] = ()  # Paths that its words name within source text.

    def argv(self, *, apart: bool = False) -> tuple[str, ...]:
        """Return the command, in which the submission runs in another process or not."""
        from gradebox.graders.runners.runner import SourceText  # noqa: PLC0415 - as `runners` does

        first, other = self.runner.sources[0], self.runner.apart
        words = [other if apart and isinstance(other, SourceText) and word is first else word for word in self.words]
        return tuple(map(_text, words))

    def delivered(self, *, apart: bool = False) -> tuple[ArchiveEntry, ...]:
        """Return the files that it needs in the workspace, with the directories that they lie in."""
        from gradebox.graders.runners.runner import File  # noqa: PLC0415 - as above

        words = (*self.words, *self.files, *((self.runner.apart,) if apart else ()))
        brought = [word for word in words if isinstance(word, File)]
        files = {file.path: file.source.text() for file in brought}
        directories = dict.fromkeys(directory for path in files for directory in parents(path))
        return (
            *(ArchiveEntry(path, EntryKind.DIRECTORY, 0o755) for path in directories),
            *(file_entry(path, text.encode()) for path, text in files.items()),
        )

    def env(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return the environment with which it is run, of that which the author gave it."""
        return {self.renamed.get(name, name): value for name, value in env.items()}


def adapt(step: Step, adapter: str, *, apart: bool = False) -> Step:
    """Return a step that runs the same command, through an adapter of ours where it is a known test runner.

    `adapter` is the name of a test runner, `AUTO` or `NONE`. With `apart`, the tests run as the grader and the
    submission in another process, if the runner can do that.
    """
    found = recognise(step.argv, adapter)
    if found is None:
        return step
    apart = apart and found.runner.apart is not None
    own = languages().get(found.runner.language)
    told = dict(own.item_env) if own else {}
    token = secrets.token_hex(16)
    return replace(
        step,
        argv=found.argv(apart=apart),
        user=User.GRADER if apart else step.user,
        shown=step.command,
        env=found.env(step.env) | told,
        stdin=f"{token}\n".encode() + step.stdin,
        report=True,
        token=token,
        mentions=(*step.mentions, *found.mentions),
        brought=(*step.brought, *found.delivered(apart=apart)),
    )


def recognise(argv: Sequence[str], adapter: str = AUTO) -> Adapted | None:
    """Return what to run in place of a command that is a test runner, None for one that is run as it is.

    A command that is written as a line is ``sh -c LINE``. It counts only if all of it is one simple command, with ``cd
    DIRECTORY &&`` and assignments in front at most. `adapter` is the name of the only test runner that it may be, or
    `AUTO` for any.
    """
    if adapter == NONE or not argv:
        return None
    located = locate(argv)
    if located is None:
        return None
    for name, runner in runners().items():
        if adapter in (AUTO, name):
            head = runner.recognise(located.words)
            if head is not None and located.is_plain(head.count):
                return _adapted(runner, located, head)
    return None


def _adapted(runner: Runner, line: CommandLine, head: Head) -> Adapted:
    if not line.shell:
        before = (_renamed(word, head.renamed) for word in line.before)
        words = (*before, *head.words, *line.words[head.count :])
        return Adapted(runner, words, head.renamed, head.files, head.mentions)
    renamed = {} if any(map(line.refers_to, head.renamed)) else head.renamed
    # The line is still read by the shell; only what it names as the program is passed from outside.
    words = (*line.shell, line.rewritten(head.count, renamed), "sh", *head.words)
    return Adapted(runner, words, renamed, head.files, head.mentions)


def _renamed(word: str, renamed: Mapping[str, str]) -> str:
    name, equals, value = word.partition("=")
    return f"{renamed.get(name, name)}{equals}{value}"


def _text(word: Word) -> str:
    from gradebox.graders.runners.runner import File, SourceText  # noqa: PLC0415 - as above

    match word:
        case SourceText():
            return word.text()
        case File(path=path):
            return f"{WORKSPACE}/{path}"
        case _:
            return word


def hint(adapter: str) -> str:
    """Say what a command must look like to be run by an adapter that a case names."""
    shape = runners()[adapter].shape
    return f"Write the command as {shape}, without a pipe or a second command; or remove `adapter`."
