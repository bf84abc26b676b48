"""Finds commands of a case that cannot work with any submission, by inspecting the files that they name.

Otherwise a misspelt script of the case would look like a failure of every submission. Only mistakes that are certain
are errors. A shell line is inspected only if it is one simple command.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from posixpath import basename, dirname, join, normpath

from gradebox.graders.cases import grader_files
from gradebox.graders.checks import evaluation
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.documents.command_lines.command_line import in_workspace
from gradebox.graders.documents.command_lines.interpreters import SHELLS
from gradebox.graders.documents.command_lines.invocations import Invocation, invocations, only_invocation
from gradebox.graders.documents.diagnostics import Findings, shown
from gradebox.graders.documents.globs import matches
from gradebox.graders.documents.paths import exists, is_directory, is_file
from gradebox.graders.documents.suggest import did_you_mean, similar
from gradebox.graders.model.case import Case, Place
from gradebox.graders.runners.named_tests import missing_tests
from gradebox.graders.submissions.answer import default_file
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import WORKSPACE

_GRADING = "grading/"
_HEAD_BYTES = 64 * 1024
_SUFFIXES = (".py", ".sh", ".js", ".mjs", ".cjs", ".ts", ".mts", ".jl")
_GLOB = re.compile(r"[*?\[]")


def check_commands(findings: Findings, case: Case) -> None:
    """Report the commands of a case's checks that cannot work."""
    for spec in case.checks:
        for command in evaluation.commands(spec):
            run = only_invocation(command.argv)
            if run is None:
                continue
            # A setup or a hook may create the file.
            is_made = bool(case.setup or case.hooks or (isinstance(spec, CodeGrader) and spec.setup))
            cwd = join(command.cwd or spec.cwd, run.directory)
            inspection = _Inspection(findings, spec.place, case, cwd, is_made)
            inspection.of_program(run)
            inspection.of_tests(run.words)
            if not is_made:
                inspection.of_hidden_files(run)
        if isinstance(spec, CodeGrader):
            _check_stdin(findings, case, spec)


def _check_stdin(findings: Findings, case: Case, check: CodeGrader) -> None:
    """Warn if a command runs a program of the submission, so that its stdin lacks data of the case."""
    told = {"expected_output": case.expected_output, "metadata": case.metadata, "config": check.config}
    said = " and ".join(f"`{name}`" for name, value in told.items() if value)
    if check.stdin is not None or not said:
        return
    for found in invocations(check.command.argv):
        program = next((word for word in found.files if "/" in word or word.endswith(_SUFFIXES)), "")
        if program and _is_candidates(case, check, join(found.directory, program)):
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


def _script(run: Invocation) -> str | None:
    """Return the file that a command runs, None if the word may name something else."""
    file = "".join(run.files[:1])
    return file if "/" in file or (run.reads and file.endswith(_SUFFIXES)) else None


@dataclass(frozen=True, slots=True)
class _Inspection:
    """One command and the place of its check. The command runs in `cwd`, relative to the workspace."""

    findings: Findings
    place: Place
    case: Case
    cwd: str
    is_made: bool

    def of_program(self, run: Invocation) -> None:
        """Report a program that cannot be started, and a script that its shell cannot read."""
        program, script = run.words[0], _script(run)
        if len(run.words) == 1 and any(char.isspace() for char in program.strip()) and self._file(program) is None:
            message = f"the command is one word with blanks, which names one program: `{shown(program)}`"
            self._error(message, f"Write the words apart, as in [{', '.join(program.split())[:80]}].")
            return
        if run.module:
            self._of_module(run.module)
        if script is None or script.startswith("/") or self._is_above(script):
            return
        file = self._file(script)
        if file is None:
            self._of_missing(script)
            return
        if self.case.workspace is not None and file.is_relative_to(self.case.workspace):
            # The task may be to fix this script.
            return
        text = _head(file)
        self._of_imports(file, text)
        if not run.reads:
            self._of_executable(script, file, text)
        # A shell takes these line endings as part of words, and the kernel as part of the interpreter's name.
        if b"\r\n" in (text if program in SHELLS else text[: text.find(b"\n") + 1] if not run.reads else b""):
            hint = "Give it Unix line endings, as with `sed -i 's/\\r$//'`."
            self._error(f"`{shown(script)}` has Windows line endings, which become a part of its words", hint)

    def of_tests(self, words: Sequence[str]) -> None:
        """Report test files that do not exist."""
        for file in missing_tests(words, self._file):
            if not self._is_above(file):
                self._of_missing(file, are_tests=True)

    def _is_above(self, file: str) -> bool:
        """Return whether a file lies above the workspace; report it if it does not exist."""
        if not normpath(join(self.cwd, file)).startswith("../"):
            return False
        if grader_files.find(file, self.case.roots) is None:
            places = (Path(normpath(root / file)) for root in self.case.roots)
            hint = next(filter(None, map(did_you_mean, places)), None)
            hint = hint or "A file above the directories of the case and its suite must lie in their repository."
            self._error(f"the command runs `{shown(file)}`, which does not exist", hint)
        return True

    def _of_missing(self, file: str, *, are_tests: bool = False) -> None:
        """Report a file that does not exist, unless the case tells submissions to add it."""
        path = normpath(file)
        if f"{path}/".startswith(_GRADING) or self._is_asked(path):
            return
        inside, told = list(self._beside(dirname(path))), any(self._task())
        near = [join(dirname(path), name) for name in similar(basename(path), inside)]
        likely = near or similar(path, list(self._hidden()), cutoff=0.85)
        hint = f"Did you mean `{likely[0]}`?" if likely else "Write it, or correct the path."
        # A reference with this file would have been found above.
        if inside or self.case.reference is not None or (are_tests and told):
            self._error(f"the command runs `{shown(file)}`, and the case has no such file", hint)
        elif likely or are_tests or told:
            hint = hint if likely else f"{hint} If submissions bring it, name it in `input` or `allow`."
            message = f"the command runs `{shown(file)}`, which only a submission can add"
            self.findings.warning(self.place, message, hint=hint)

    def _of_module(self, module: str) -> None:
        """Report a missing Python module in a directory of the case or its suite."""
        path = module.replace(".", "/")
        files = (f"{path}.py", f"{path}/__main__.py")
        inside = [name.removesuffix(".py") for name in self._beside(dirname(path))]
        if inside and not any(map(self._file, files)) and not self._is_asked(f"{path}.py"):
            likely = similar(basename(path), inside)
            package = module.rpartition(".")[0]
            hint = f"Did you mean `{package}.{likely[0]}`?" if likely else f"Write {files[0]}, or correct the name."
            self._error(f"the command runs the module `{shown(module)}`, and the case has no {files[0]}", hint)

    def _task(self) -> Sequence[str]:
        return [*(str(message.content) for message in self.case.input), self.case.criteria, self.case.description]

    def _is_asked(self, path: str) -> bool:
        """Return whether a submission or a setup may bring a file: the task, the case or the reference names it."""
        case = self.case
        if self.is_made or any(basename(path).partition(".")[0] in text for text in self._task()):
            return True
        if path in (case.answer_file, default_file(case.language)) or matches(path, case.allow):
            return True
        # The files that a diff or an answer adds are not looked up.
        in_reference = (case.reference / each for each in (path, join(self.cwd, path))) if case.reference else ()
        return any(map(exists, in_reference)) or (case.reference is not None and is_file(case.reference))

    def _beside(self, directory: str) -> Iterator[str]:
        """Yield the names in a directory of the case or its suite, if the workspace has no such directory."""
        workspace = self.case.workspace
        if directory in ("", ".") or (workspace is not None and is_directory(workspace / directory)):
            return
        for root in self.case.roots:
            if is_directory(root / directory):
                yield from (child.name for child in (root / directory).iterdir())

    def _of_imports(self, script: Path, text: bytes) -> None:
        """Warn about imports in the case's own scripts of files that do not exist and that no submission may bring."""
        for missing in grader_files.missing_imports(script, text):
            directory = missing.file.parent
            # gradebox puts this module, which starts the candidate, beside each grader.
            if missing.file.stem == "gradebox_candidate":
                continue
            root = next((root for root in self.case.roots if directory.is_relative_to(root)), None)
            if root is not None and (directory == root or not list(self._beside(str(directory.relative_to(root))))):
                continue
            names = [child.name for child in directory.iterdir()] if is_directory(directory) else []
            likely = similar(missing.file.name, [name.partition(".")[0] for name in names])
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

    def of_hidden_files(self, run: Invocation) -> None:
        """Report files of grading/ that do not exist: no submission may add them."""
        script = _script(run)
        for before, word in zip(("", *run.words), run.words, strict=False):
            named = word.partition("::")[0].removesuffix("/...")
            path = normpath(named)
            if not f"{path}/".startswith(_GRADING) or _GLOB.search(path) or self._file(named):
                continue
            needed = word == script or named in missing_tests(run.words, self._file)
            if before.startswith("-") and not needed:
                continue
            grading = self.case.grading
            lacks = "the case has no directory `grading`" if grading is None else f"{grading} has no such file"
            inside = [hidden.removeprefix(_GRADING) for hidden in self._hidden()]
            likely = similar(path.removeprefix(_GRADING), inside)
            hint = f"Did you mean `{_GRADING}{likely[0]}`?" if likely else "Write it, or correct the path."
            report = self.findings.error if needed or grading is None else self.findings.warning
            report(self.place, f"the command names `{shown(named)}`, and {lacks}", hint=hint)

    def _hidden(self) -> Iterator[str]:
        if self.case.grading is not None:
            for file in self.case.grading.rglob("*"):
                yield file.relative_to(self.case.grading.parent).as_posix()

    def _places(self, path: str) -> Iterator[Path]:
        roots = [*self.case.roots, *([self.case.workspace] if self.case.workspace else [])]
        for relative in dict.fromkeys((path, join(self.cwd, path))):
            yield from (root / relative for root in roots)

    def _file(self, path: str) -> Path | None:
        """Return the file or directory that a word of the command names, None if there is none."""
        return next(filter(exists, self._places(path)), None)

    def _error(self, message: str, hint: str) -> None:
        self.findings.error(self.place, message, hint=hint)


def _head(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(_HEAD_BYTES)
    except OSError:
        return b""
