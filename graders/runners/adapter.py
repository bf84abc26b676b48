"""Runs a test runner through an adapter that reports whether the runner completed. Pure.

A code-grader whose command is a known test runner (``adapter: auto``) runs it through an adapter of ours. The adapter's
source is an argument of the interpreter, or a file owned by root below ``.gradebox/`` in the workspace. Host and
adapter communicate as follows.

**Stdin** begins with a line, the token: random hexadecimal digits that only the host and our adapter know. The adapter
reads it from descriptor 0 byte by byte, before it loads any code of the candidate. The check's own stdin follows.

**Descriptor 3**: the adapter moves it to a high number that child processes do not inherit, and writes lines:

- ``TOKEN done RAN FAILED``: once, when the test runner has truly completed: how many tests ran (skipped ones are not
  counted) and how many of them failed.
- ``TOKEN control WHAT``: something passed that must fail. At the end the adapter runs tests of its own that must fail,
  in the same way as the others but without showing them.
- ``TOKEN skipped WHAT``: the code under test skipped a test.
- ``TOKEN unloaded FILE: WHY``: a test file could not be loaded, or its program stopped early.
- ``TOKEN image NAME PATH``: a module built into Python was imported instead of the case's module at a path.
- ``TOKEN exited``: the code under test called the ordinary exit of its language. That is a failure, not tampering,
  so the line may come without the token.
- ``TOKEN missing NAME``: a program that the command needs is not in the image. The exit status is 127.
- ``TOKEN limit TEXT``, ``TOKEN contract JSON``: from tests that run apart (`boundary_report`).

The host ignores all other lines, and lines without the token.

**Exit status**: the one that the test runner chose. The adapter reads it where the runner ends, so exit handlers cannot
change it. Status 0 without ``done``, or with failed tests, is a false claim. Any other status is a plain failure.

Everything else is as in the author's command: arguments, working directory, environment, output, and what the tests can
observe of their own run. Code that shares a process with its judge can still search that process's memory; each
adapter's source says how far it hides the token.
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
    """A command that is a known test runner, and the command to run in its place."""

    runner: Runner  # The test runner.
    words: tuple[Word, ...]  # The command to run; some of its words are sources of ours.
    renamed: Mapping[str, str]  # New names of environment variables, by their old names; the adapter renames them back.
    files: tuple[File, ...] = ()  # Files that the adapter loads besides those in `words`.
    mentions: tuple[str, ...] = ()  # Paths that occur in source text within the words.

    def argv(self, *, apart: bool = False) -> tuple[str, ...]:
        """Return the command; with `apart`, it runs the submission in another process."""
        from gradebox.graders.runners.runner import ApartOnly, SourceText  # noqa: PLC0415 - as `runners` does

        first, other = self.runner.sources[0], self.runner.apart
        kept = [word for word in self.words if apart or not isinstance(word, ApartOnly)]
        words = [other if apart and isinstance(other, SourceText) and word is first else word for word in kept]
        return tuple(map(_text, words))

    def delivered(self, *, apart: bool = False) -> tuple[ArchiveEntry, ...]:
        """Return the files that the command needs in the workspace, with their directories."""
        from gradebox.graders.runners.runner import File  # noqa: PLC0415 - as above

        words = (*self.words, *self.files, *((self.runner.apart,) if apart else ()))
        brought = [word for word in words if isinstance(word, File)]
        files = {file.path: file.source.text() for file in brought}
        directories = dict.fromkeys(directory for path in files for directory in parents(path))
        return (
            *(ArchiveEntry(path, EntryKind.DIRECTORY, 0o755) for path in directories),
            *(file_entry(path, text.encode()) for path, text in files.items()),
        )


def adapt(step: Step, adapter: str, *, apart: bool = False) -> Step:
    """Return a step that runs the same command, through an adapter of ours if it is a known test runner.

    `adapter` is the name of a test runner, `AUTO` or `NONE`. With `apart`, the tests run as the grader and the
    submission runs in another process, if the runner supports that.
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
        env={**step.env, **told},
        renamed=found.renamed,
        stdin=f"{token}\n".encode() + step.stdin,
        report=True,
        token=token,
        mentions=(*step.mentions, *found.mentions),
        brought=(*step.brought, *found.delivered(apart=apart)),
    )


def recognise(argv: Sequence[str], adapter: str = AUTO) -> Adapted | None:
    """Return the command to run in place of a test runner's command, None for a command that is run unchanged.

    A shell line is ``sh -c LINE``. It is recognised only if it is one simple command, optionally after ``cd DIRECTORY
    &&`` and assignments. `adapter` is the name of the only test runner to recognise, or `AUTO` for any.
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
    # The shell still reads the line; only the words of the program are passed as arguments of the shell.
    words = (*line.shell, line.rewritten(head.count, renamed), "sh", *head.words)
    return Adapted(runner, words, renamed, head.files, head.mentions)


def _renamed(word: str, renamed: Mapping[str, str]) -> str:
    name, equals, value = word.partition("=")
    return f"{renamed.get(name, name)}{equals}{value}"


def _text(word: Word) -> str:
    from gradebox.graders.runners.runner import ApartOnly, File, SourceText  # noqa: PLC0415 - as above

    match word:
        case SourceText():
            return word.text()
        case ApartOnly():
            return word.word
        case File(path=path):
            return f"{WORKSPACE}/{path}"
        case _:
            return word


def hint(adapter: str) -> str:
    """Return advice on how a command must look so that the adapter that a case names can run it."""
    shape = runners()[adapter].shape
    return f"Write the command as {shape}, without a pipe or a second command; or remove `adapter`."
