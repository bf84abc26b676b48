"""Finds which programs of a command belong to the case, and which to the candidate. Pure.

Only the files of the case decide this, never those of a submission. A script of the case may look for modules in its
own directory. While such a script can run, that directory contains only the case's files, and no user can write there.
So a submission cannot replace one of the script's modules.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from posixpath import dirname, join

from gradebox.graders.documents.command_lines.command_line import in_workspace, locate
from gradebox.graders.documents.command_lines.invocations import invocations
from gradebox.graders.documents.globs import matches
from gradebox.graders.languages.bundle import bundle
from gradebox.graders.languages.language import inside
from gradebox.graders.model.plan import Files, Step, User
from gradebox.graders.model.tree import Tree
from gradebox.graders.runners.python_command import RENAMED
from gradebox.graders.runners.runner import has_test_name, is_test_file
from gradebox.sandbox.archive import ArchiveEntry, EntryKind
from gradebox.sandbox.types import WORKSPACE

_PYTHON = re.compile(r"(?:/usr(?:/local)?/bin/)?python3?(?:\.\d+)?")
# Options that can stand before a script. With them, Python still searches the script's directory.
_OPTION = re.compile(r"-[BOORSbdiqsuvx]+")
_START = inside("python") / "start_script.py"
# A relative path with `..`, also in a line of a shell or behind `=`.
_UPWARD = re.compile(r"(?<![\w./$~-])(?:[\w.-]+/)*\.\.(?:/[\w.-]+)+(?![\w./-])")

# Interpreters look for modules beside scripts of these languages.
_SEARCHES = (".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts")
# A word with one of these endings names the program, even if only the submission has the file.
_SCRIPTS = (*_SEARCHES, ".sh", ".bash", ".jl", ".rb", ".pl", ".php", ".lua", ".R")


class CasePrograms:
    """The programs that a case's commands run. `allow` has globs of files that a submission may change."""

    def __init__(self, files: Files, allow: Sequence[str] = ()) -> None:
        self._files = files
        self._allow = allow

    def of_case(self, path: str) -> bool:
        """Return whether a path is a file that no submission can change when a command names it."""
        if path in self._files.own.entries:
            return True
        is_there = path in self._files.workspace.entries
        return is_there and path not in self._files.solution and not matches(path, self._allow)

    def of_candidate(self, argv: Sequence[str], cwd: str) -> str:
        """Return the first file that a command runs and that belongs to the candidate; empty if there is none."""
        run = chain(self._run(argv, cwd), self._modules(argv, cwd))
        return next((path for path in run if not self.of_case(path)), "")

    def scripts(self, argv: Sequence[str], cwd: str) -> tuple[str, ...]:
        return tuple(path for path in self._run(argv, cwd) if self.of_case(path))

    def with_whole_paths(self, argv: Sequence[str], cwd: str) -> tuple[str, ...]:
        """Return a command that names the case's files by whole paths where it names them by `..`.

        After a link of the submission, `..` leads to a directory that the submission decides.
        """
        places = {cwd: None, **{join(cwd, found.directory): None for found in invocations(argv)}}
        known = (self._files.own.entries, self._files.workspace.entries)

        def whole(word: re.Match[str]) -> str:
            paths = [path for place in places if (path := _place(word[0], place)) is not None]
            path = next((path for path in paths if any(path in entries for entries in known)), None)
            return word[0] if path is None else f"{WORKSPACE}/{path}"

        return tuple(_UPWARD.sub(whole, word) for word in argv)

    def _run(self, argv: Sequence[str], cwd: str) -> Iterator[str]:
        for found in invocations(argv):
            places = [path for word in found.files if (path := _place(word, join(cwd, found.directory))) is not None]
            known = (
                path
                for path in places
                if path in self._files.own.entries or self._is_file(path) or path.endswith(_SCRIPTS)
            )
            # The name of a program on PATH is not a path.
            first = "".join(found.files[:1])
            is_path = len(found.files) > 1 or "/" in first or "." in first
            path = next(known, places[0] if places and is_path else None)
            if path is not None:
                yield path

    def _modules(self, argv: Sequence[str], cwd: str) -> Iterator[str]:
        """Yield the file of each Python module that a command runs, from the workspace or the reference."""
        for found in filter(lambda each: each.module, invocations(argv)):
            place = _place(found.module.replace(".", "/"), join(cwd, found.directory))
            files = (f"{place}.py", f"{place}/__main__.py") if place else ()
            known = (path for path in files if self._is_file(path) or path in self._files.solution)
            yield from islice(known, 1)

    def _is_file(self, path: str) -> bool:
        entry = self._files.workspace.entries.get(path)
        return entry is not None and entry.kind is not EntryKind.DIRECTORY

    def closed(
        self, commands: Sequence[tuple[Sequence[str], str]], delivered: Mapping[str, ArchiveEntry],
        restored: Container[str], laid: Tree,
    ) -> dict[str, ArchiveEntry]:  # fmt: skip
        """Return the entries that close the directories of the scripts that commands run.

        `commands` are arguments and working directories. `delivered` is delivered anyway. Tests in `laid` stay
        readable.
        """
        run = chain.from_iterable(self.scripts(argv, cwd) for argv, cwd in commands)
        found: dict[str, ArchiveEntry] = {}
        for directory in sorted({dirname(path) for path in run if path.endswith(_SEARCHES)} - {""}):
            if not self._is_graders(directory, restored):
                continue
            found[directory] = ArchiveEntry(directory, EntryKind.DIRECTORY, 0o755)
            found |= {entry.path: entry for entry in self._files.workspace.below(directory)}
            for entry in laid.below(directory):
                if entry.path not in found and entry.kind is EntryKind.FILE and has_test_name(entry.path):
                    found[entry.path] = entry
        return {path: entry for path, entry in found.items() if path not in delivered}

    def started(self, step: Step, laid: Tree) -> Step:
        """Return a step whose Python script finds the standard library before the files beside the script.

        If the case has a file named like a standard module there, the step stays unchanged.
        """
        line = locate(step.argv)
        words = line.words if line and not step.token else ()
        count = next((number for number, word in enumerate(words[1:], 1) if not _OPTION.fullmatch(word)), 0)
        if (
            line is None
            or not count
            or not _PYTHON.fullmatch(words[0])
            or (line.shell and not line.is_plain(count + 1))
        ):
            return step
        path = _place(words[count], step.cwd)
        if path is None or not path.endswith(".py") or not self.of_case(path) or self._has_library(dirname(path), laid):
            return step
        text = line.rewritten(count + 1, {}) if line.shell else ""
        # A launcher before Python may need to see the script, as `uv run` does.
        if line.before or (line.shell and not text.startswith('"$@"')):
            return step
        bare, renamed = (("-S",), RENAMED) if step.user is User.GRADER else ((), {})
        start = (*words[:count], *bare, "-c", bundle(_START), words[count])
        if not line.shell:
            return replace(step, argv=(*start, *words[count + 1 :]), shown=step.command, renamed=renamed)
        argv = (*line.shell, f"exec {text}", "sh", *start)
        return replace(step, argv=argv, shown=step.command, renamed={} if "PYTHONPATH" in text else renamed)

    def _has_library(self, directory: str, laid: Tree) -> bool:
        """Return whether the case has, or allows, a file with the name of a standard module in a directory."""
        allowed = (path for path in laid.entries if matches(path, self._allow))
        paths = chain(self._files.workspace.entries, self._files.own.entries, self._files.solution, allowed)
        inside = f"{directory}/" if directory else ""
        heads = {path[len(inside) :].split("/")[0] for path in paths if path.startswith(inside)}
        return not sys.stdlib_module_names.isdisjoint(head.partition(".")[0] for head in heads)

    def _is_graders(self, directory: str, restored: Container[str]) -> bool:
        """Return whether all files that the case has in a directory belong to the grader."""
        inside = f"{directory}/"
        if any(path.startswith(inside) for path in self._files.solution):
            return False
        return all(
            entry.kind is EntryKind.DIRECTORY
            or ((entry.path in restored or is_test_file(entry.path)) and not matches(entry.path, self._allow))
            for entry in self._files.workspace.below(directory)
        )


def _place(word: str, cwd: str) -> str | None:
    return in_workspace(join(cwd, word))
