"""Commands of a case that cannot work with any submission: found by inspecting the files that they name.

Without this, a misspelt script of the case would look like a failure of every submission. Only certain mistakes are
errors. A shell line is inspected if it is one simple command.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from posixpath import basename, dirname, join, normpath

from graders.cases import grader_files
from graders.checks import evaluation
from graders.checks.code_grader import CodeGrader
from graders.documents.diagnostics import Findings, shown
from graders.documents.paths import is_directory, is_file
from graders.documents.suggest import did_you_mean
from graders.integrity.referenced_files import program_files
from graders.model.case import Case, CommandSpec, Place
from graders.runners.command_line import in_workspace, is_shell, locate
from sandbox.records import dataclass
from sandbox.types import WORKSPACE

_GRADING = "grading/"
_HEAD_BYTES = 64 * 1024
_SHELLS = frozenset({"sh", "bash", "dash"})
_INTERPRETERS = _SHELLS | {"python", "python3", "node", "bun", "julia"}
# These run the program that comes after them.
_LAUNCHERS = frozenset({("uv", "run"), ("bun", "run"), ("npx", "tsx"), ("poetry", "run"), ("bunx", "tsx")})
_SUFFIXES = (".py", ".sh", ".js", ".mjs", ".cjs", ".ts", ".mts", ".jl")
# No file follows these, but a module or source.
_NO_FILE = frozenset({"-m", "-c", "-e", "-E", "-p", "-s"})
_NOT_SIMPLE = re.compile(r"[;&|<>()$`*?\[\]{}\n#~!]")
_GLOB = re.compile(r"[*?\[]")


def check_commands(findings: Findings, case: Case) -> None:
    """Report the commands of a case's checks that cannot work."""
    for spec in case.checks:
        for command in evaluation.commands(spec):
            words = _unwrapped(_words(command))
            if not words:
                continue
            # A setup or a hook may create the file.
            is_made = bool(case.setup or case.hooks or (isinstance(spec, CodeGrader) and spec.setup))
            inspection = _Inspection(findings, spec.place, case, command.cwd or spec.cwd, is_made)
            inspection.of_program(words)
            if not is_made:
                inspection.of_hidden_files(words)
        if isinstance(spec, CodeGrader):
            _check_stdin(findings, case, spec)


def _check_stdin(findings: Findings, case: Case, check: CodeGrader) -> None:
    """Report what a command cannot read, since a program of the submission could read it in its place."""
    told = {"expected_output": case.expected_output, "metadata": case.metadata, "config": check.config}
    said = " and ".join(f"`{name}`" for name, value in told.items() if value)
    if check.stdin is not None or not said:
        return
    for words in program_files(check.command.argv):
        program = next((word for word in words if "/" in word or word.endswith(_SUFFIXES)), "")
        if program and _is_candidates(case, check, program):
            message = f"the command runs `{shown(program)}` of the submission, so its stdin has no {said}"
            findings.warning(check.place, message, hint="Write `stdin: none` if that is right, or `stdin: grader`.")
            return


def _is_candidates(case: Case, check: CodeGrader, word: str) -> bool:
    path = in_workspace(join(WORKSPACE, check.command.cwd or check.cwd, word))
    if path is None or any(is_file(root / path) for root in case.roots):
        return False
    if case.reference is not None and is_file(case.reference / path):
        return True
    return case.workspace is None or not is_file(case.workspace / path)


def _unwrapped(words: Sequence[str]) -> Sequence[str]:
    """Return the words of a command without what runs another program, such as ``uv run``."""
    located = locate(words) if words and not is_shell(words) else None
    words = located.words if located else words
    while len(words) > 2 and tuple(words[:2]) in _LAUNCHERS:
        rest = [number for number, word in enumerate(words[2:], 2) if not word.startswith("-")]
        runs_file = words[0] == "bun"
        words = [*words[: int(runs_file)], *words[rest[0] if rest else len(words) :]]
    return words


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
            return word if "/" in word or word.endswith(_SUFFIXES) else None
    return None


def _module(words: Sequence[str]) -> str | None:
    """Return the module that a command runs with ``python -m``."""
    is_python = words[0] in ("python", "python3") and "-m" in words[1:-1]
    return words[words.index("-m") + 1] if is_python else None


@dataclass(frozen=True, slots=True)
class _Inspection:
    """One command, at the place of its check. It runs in `cwd`, relative to the workspace."""

    findings: Findings
    place: Place
    case: Case
    cwd: str
    is_made: bool

    def of_program(self, words: Sequence[str]) -> None:
        """Report a program that cannot be started, and a script that its shell cannot read."""
        program, script = words[0], _script(words)
        if len(words) == 1 and any(char.isspace() for char in program.strip()) and self._file(program) is None:
            message = f"the command is one word with blanks, which names one program: `{shown(program)}`"
            self._error(message, f"Write the words apart, as in [{', '.join(program.split())[:80]}].")
            return
        if module := _module(words):
            self._of_module(module)
        if script is None or script.startswith("/"):
            return
        if normpath(join(self.cwd, script)).startswith("../"):
            if grader_files.find(script, self.case.roots) is None:
                places = (Path(normpath(root / script)) for root in self.case.roots)
                hint = next(filter(None, map(did_you_mean, places)), None)
                hint = hint or "A file above the directories of the case and its suite must lie in their repository."
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
        self._of_imports(file, text)
        if script == program:
            self._of_executable(script, file, text)
        # Others read such line ends. For a shell they are a part of words, for the kernel of the interpreter's name.
        if b"\r\n" in (text if program in _SHELLS else text[: text.find(b"\n") + 1] if script == program else b""):
            hint = "Give it Unix line endings, as with `sed -i 's/\\r$//'`."
            self._error(f"`{shown(script)}` has Windows line endings, which become a part of its words", hint)

    def _of_missing(self, script: str) -> None:
        """Report a script that does not exist; the submission may have to add it, unless it lies beside graders."""
        path = normpath(script)
        if path.startswith(_GRADING):
            return
        inside = list(self._beside(dirname(path)))
        if inside and not self.is_made and not self._is_named(path):
            message = f"the command runs `{shown(script)}`, and the case has no such file"
            likely = _close_matches(basename(path), inside)
            hint = f"Did you mean `{join(dirname(path), likely[0])}`?" if likely else "Write it, or correct the path."
            self._error(message, hint)
        elif likely := _close_matches(path, list(self._hidden()), cutoff=0.85):
            message = f"the command runs `{shown(script)}`, which only a submission can add"
            self.findings.warning(self.place, message, hint=f"Did you mean `{likely[0]}`?")

    def _of_module(self, module: str) -> None:
        """Report a module of a directory beside the case that does not exist."""
        path = module.replace(".", "/")
        files = (f"{path}.py", f"{path}/__main__.py")
        inside = [name.removesuffix(".py") for name in self._beside(dirname(path))]
        if inside and not self.is_made and not any(map(self._file, files)) and not self._is_named(path):
            likely = _close_matches(basename(path), inside)
            package = module.rpartition(".")[0]
            hint = f"Did you mean `{package}.{likely[0]}`?" if likely else f"Write {files[0]}, or correct the name."
            self._error(f"the command runs the module `{shown(module)}`, and the case has no {files[0]}", hint)

    def _is_named(self, path: str) -> bool:
        """Say whether the task names a file, so that the submission has to bring it."""
        asked = (*(str(message.content) for message in self.case.input), self.case.criteria, self.case.description)
        return any(basename(path).partition(".")[0] in text for text in asked)

    def _beside(self, directory: str) -> Iterator[str]:
        """Yield the names in a directory of the case or its suite, if the workspace has none of that name."""
        workspace = self.case.workspace
        if directory in ("", ".") or (workspace is not None and is_directory(workspace / directory)):
            return
        for root in self.case.roots:
            if is_directory(root / directory):
                yield from (child.name for child in (root / directory).iterdir())

    def _of_imports(self, script: Path, text: bytes) -> None:
        """Warn of imports of the case's own scripts that lead to no file, and to none that a submission may bring."""
        for missing in grader_files.missing_imports(script, text):
            directory = missing.file.parent
            # What starts the candidate is put beside each grader.
            if missing.file.stem == "gradebox_candidate":
                continue
            root = next((root for root in self.case.roots if directory.is_relative_to(root)), None)
            if root is not None and (directory == root or not list(self._beside(str(directory.relative_to(root))))):
                continue
            names = [child.name for child in directory.iterdir()] if is_directory(directory) else []
            likely = _close_matches(missing.file.name, [name.partition(".")[0] for name in names])
            hint = f"Did you mean `{likely[0]}`?" if likely else "Write the file, or correct the path."
            message = f"`{shown(missing.written)}` is imported, and there is no such file"
            self.findings.warning(missing.place, message, hint=hint)

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
            if self._file(named) is not None or any(map(is_directory, self._places(named))):
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
        for relative in dict.fromkeys((path, join(self.cwd, path))):
            yield from (root / relative for root in roots)

    def _file(self, path: str) -> Path | None:
        """Return the file that a word of the command names, None without one."""
        return next(filter(is_file, self._places(path)), None)

    def _error(self, message: str, hint: str) -> None:
        self.findings.error(self.place, message, hint=hint)


def _head(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(_HEAD_BYTES)
    except OSError:
        return b""


def _close_matches(word: str, names: Sequence[str], *, cutoff: float = 0.6) -> list[str]:
    if not names:
        return []
    from difflib import get_close_matches  # noqa: PLC0415 - slow to import, and only an error needs it

    return get_close_matches(word, names, n=1, cutoff=cutoff)
