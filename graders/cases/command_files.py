"""Commands of a case that cannot work with any submission: found by inspecting the files that they name.

Without this, a misspelt script of the case would look like a failure of every submission. Only certain mistakes are
errors. A shell line is inspected if it is one simple command.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from posixpath import join, normpath

from graders.cases import grader_files
from graders.checks import evaluation
from graders.checks.code_grader import CodeGrader
from graders.documents.diagnostics import Findings, shown
from graders.documents.paths import is_directory, is_file
from graders.model.case import Case, CommandSpec, Place

_GRADING = "grading/"
_HEAD_BYTES = 64 * 1024
_SHELLS = frozenset({"sh", "bash", "dash"})
_INTERPRETERS = _SHELLS | {"python", "python3", "node", "bun", "julia"}
# No file follows these, but a module or source.
_NO_FILE = frozenset({"-m", "-c", "-e", "-E", "-p", "-s"})
_NOT_SIMPLE = re.compile(r"[;&|<>()$`*?\[\]{}\n#~!]")
_GLOB = re.compile(r"[*?\[]")


def check_commands(findings: Findings, case: Case) -> None:
    """Report the commands of a case's checks that cannot work."""
    for spec in case.checks:
        for command in evaluation.commands(spec):
            words = _words(command)
            if not words:
                continue
            inspection = _Inspection(findings, spec.place, case, command.cwd or spec.cwd)
            inspection.of_program(words)
            # A setup or a hook may create the file.
            if not (case.setup or case.hooks or (isinstance(spec, CodeGrader) and spec.setup)):
                inspection.of_hidden_files(words)


def _words(command: CommandSpec) -> Sequence[str]:
    if not command.shell:
        return command.argv
    line = command.argv[-1]
    try:
        return [] if _NOT_SIMPLE.search(line) else shlex.split(line)
    except ValueError:
        return []


def _script(words: Sequence[str]) -> str | None:
    """Return the file that a command runs: its program, or what an interpreter is given."""
    program = words[0]
    if "/" in program:
        return program
    if program not in _INTERPRETERS:
        return None
    for word in words[1:]:
        if word in _NO_FILE:
            return None
        if not word.startswith("-"):
            return word if "/" in word else None
    return None


@dataclass(frozen=True, slots=True)
class _Inspection:
    """One command, at the place of its check. It runs in `cwd`, relative to the workspace."""

    findings: Findings
    place: Place
    case: Case
    cwd: str

    def of_program(self, words: Sequence[str]) -> None:
        """Report a program that cannot be started, and a script that its shell cannot read."""
        program, script = words[0], _script(words)
        if len(words) == 1 and any(char.isspace() for char in program.strip()) and self._file(program) is None:
            message = f"the command is one word with blanks, which names one program: `{shown(program)}`"
            self._error(message, f"Write the words apart, as in [{', '.join(program.split())[:80]}].")
            return
        if script is None or script.startswith("/"):
            return
        if normpath(join(self.cwd, script)).startswith("../"):
            if grader_files.find(script, self.case.roots) is None:
                hint = "A file above the directories of the case and its suite must lie in their repository."
                self._error(f"the command runs `{shown(script)}`, which does not exist", hint)
            return
        file = self._file(script)
        if file is None:
            self._of_missing(script)
            return
        if self.case.workspace is not None and file.is_relative_to(self.case.workspace):
            # The task may be to fix it.
            return
        text = _head(file)
        if script == program:
            self._of_executable(script, file, text)
        # Others read such line ends. For a shell they are a part of words, for the kernel of the interpreter's name.
        if b"\r\n" in (text if program in _SHELLS else text[: text.find(b"\n") + 1] if script == program else b""):
            hint = "Write it with line ends of Unix, as with `sed -i 's/\\r$//'`."
            self._error(f"`{shown(script)}` has line ends of Windows, which become a part of its words", hint)

    def _of_missing(self, script: str) -> None:
        """Warn about a script whose name is similar to one of grading/; the submission may have to add it."""
        path = normpath(script)
        likely = [] if path.startswith(_GRADING) else _close_matches(path, list(self._hidden()), cutoff=0.85)
        if likely:
            message = f"the command runs `{shown(script)}`, which only a submission can add"
            self.findings.warning(self.place, message, hint=f"Did you mean `{likely[0]}`?")

    def _of_executable(self, script: str, file: Path, text: bytes) -> None:
        if not file.stat().st_mode & 0o111:
            hint = f"Run `chmod +x {shlex.quote(script)}`, or name its interpreter first, as in [sh, {shown(script)}]."
            self._error(f"`{shown(script)}` is not executable", hint)
        elif text and not text.startswith((b"#!", b"\x7fELF")) and b"\0" not in text:
            hint = "Begin it with a line such as `#!/bin/sh`, or name its interpreter first."
            self._error(f"`{shown(script)}` does not begin with `#!`, so no interpreter is known", hint)
        elif text.startswith(b"#!") and not text[2:].lstrip(b" \t").startswith(b"/"):
            hint = "Write the interpreter's whole path, as in `#!/usr/bin/env python3`."
            self._error(f"the first line of `{shown(script)}` names no interpreter by its whole path", hint)

    def of_hidden_files(self, words: Sequence[str]) -> None:
        """Report files of grading/ that do not exist: no submission may add them."""
        if self.case.grading is None:
            return
        script = _script(words)
        for before, word in zip(("", *words), words, strict=False):
            named = word.partition("::")[0]
            path = normpath(named)
            if not path.startswith(_GRADING) or _GLOB.search(path) or (before.startswith("-") and word != script):
                continue
            if self._file(named) is not None or self._any(named):
                continue
            message = f"the command names `{shown(named)}`, and {self.case.grading} has no such file"
            inside = [hidden.removeprefix(_GRADING) for hidden in self._hidden()]
            likely = _close_matches(path.removeprefix(_GRADING), inside)
            hint = f"Did you mean `{_GRADING}{likely[0]}`?" if likely else "Write it, or correct the path."
            if word == script:
                self._error(message, hint)
            else:
                self.findings.warning(self.place, message, hint=hint)

    def _hidden(self) -> Iterator[str]:
        if self.case.grading is not None:
            for file in self.case.grading.rglob("*"):
                yield file.relative_to(self.case.grading.parent).as_posix()

    def _places(self, path: str) -> Iterator[Path]:
        roots = [*self.case.roots, *([self.case.workspace] if self.case.workspace else [])]
        for relative in (path, join(self.cwd, path)):
            yield from (root / relative for root in roots)

    def _file(self, path: str) -> Path | None:
        """Return the file that a word of the command names, None without one."""
        return next((place for place in self._places(path) if is_file(place)), None)

    def _any(self, path: str) -> bool:
        return any(is_directory(place) for place in self._places(path))

    def _error(self, message: str, hint: str) -> None:
        self.findings.error(self.place, message, hint=hint)


def _head(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(_HEAD_BYTES)
    except OSError:
        return b""


def _close_matches(word: str, names: Sequence[str], *, cutoff: float = 0.6) -> list[str]:
    from difflib import get_close_matches  # noqa: PLC0415 - slow to import, and only an error needs it

    return get_close_matches(word, names, n=1, cutoff=cutoff)
