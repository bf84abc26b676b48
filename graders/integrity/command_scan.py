"""Finds the test runners, interpreters and tests that the commands of a case use. Pure.

A command may be a script of the case, or a target of its Makefile. So short files of the case that commands name are
read, too. The search may find a runner that is not used. Then a file may be mistaken for that runner's configuration,
but only if it has the exact name of a control file and contains what only such a file contains.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache, cached_property
from posixpath import basename, dirname, join

from gradebox.graders.documents.command_lines.command_line import in_workspace
from gradebox.graders.documents.command_lines.invocations import invocations_of_line
from gradebox.graders.integrity import manifests
from gradebox.graders.integrity.referenced_files import named_entries, named_paths
from gradebox.graders.languages import languages
from gradebox.graders.model.plan import Step
from gradebox.graders.runners import runners
from gradebox.graders.runners.runner import Trees, is_test_file
from gradebox.sandbox.archive import ArchiveEntry, EntryKind
from gradebox.sandbox.types import WORKSPACE

_SCRIPT_BYTES = 64 * 1024
_SCRIPTS = 200

# Programs without an adapter that run the tests they are given, or all tests that they find.
_OTHER_RUNNERS = r"mocha|ava|(?:npm|yarn|pnpm)\s+(?:run\s+)?test"
# Other programs whose own files define what they run.
_FOLLOWS_A_FILE = re.compile(r"(?<![\w.-])(?:make|just|tox|nox|npm|yarn|pnpm)(?![\w-])")
_ENTERED = re.compile(r"(?:\bcd|\bPYTHONPATH=)\s{0,9}([^\s;&|]+)")
# Words that add a directory to the module path: by running a module in it, or from within a test.
_OPENS_WORKSPACE = re.compile(r"-m\s+(?:pytest|py\.test)\b|\bsys\.path\b|\bsyspath_prepend\b")
_PACKAGE_SCRIPTS = re.compile(r"(?<![\w.-])(?:npm|yarn|pnpm|bun)\s+(?:run|test|t|start)\b")

# `bun test` always runs tests, even if a script `test` exists. Scripts with other names build or start the program.
_TEST_SCRIPT = re.compile(
    r"(?<![\w.-])(?:(?:npm|yarn|pnpm)(?:\s+run)?|bun\s+run)\s+((?:test|check|verify|spec|ci)\b[\w:.-]*)"
)

# In settings of a runner of JavaScript: values, imported modules, texts, hooks, and how names of modules end.
_VALUE = r"(?:\[[^\]]*\]|\{[^}]*\}|[\w.]+\([^)]*\)|[^,\n]*)"
_IMPORTED = r"(?:\bfrom|\bimport|\brequire\()\s*[\"']\.[^\"'\n]*[\"']"
_QUOTED = re.compile(r"[\"'`]([^\"'`\n]+)[\"'`]")
_HOOKS = re.compile(r"\b(?:before|after)(?:Each|All)\b")
_ENDS = ("", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", "/index.js", "/index.ts")


@cache
def _words() -> Mapping[str, re.Pattern[str]]:
    """Return a pattern for each interpreter and test runner, which matches its names in commands."""
    found: dict[str, list[str]] = {}
    for language in languages().values():
        for tool, words in language.tools.items():
            found.setdefault(tool, []).append(words)
    for runner in filter(lambda each: each.words, runners().values()):
        found.setdefault(runner.name, []).append(runner.words)
        # A command that names a runner also starts the interpreter of that runner.
        found.setdefault(languages()[runner.language].interpreter, []).append(runner.words)
    return {tool: _as_word("|".join(words)) for tool, words in found.items()}


@cache
def _runs_tests() -> re.Pattern[str]:
    return _as_word("|".join([*(each.words for each in runners().values() if each.words), _OTHER_RUNNERS]))


def _as_word(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-])(?:{words})(?![\w-])")


class CommandScan:
    """Finds the test runners, interpreters and tests that the steps of a plan and their scripts use.

    `read` returns the content of a file.
    """

    def __init__(self, trees: Trees, steps: tuple[Step, ...], read: Callable[[ArchiveEntry], bytes]) -> None:
        self._trees = trees
        self.steps = steps
        self._read = read

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts that show which runners the case uses: its commands, and its own files that the commands name."""
        return (*map(self._of_step, self.steps), *self._of_files.values())

    def _of_step(self, step: Step) -> str:
        # The arguments of an item runner are left out, since they contain its source.
        return " ".join((step.command[0], *step.mentions))

    @cached_property
    def _of_files(self) -> dict[str, str]:
        scripts = {
            entry.path: entry
            for tree in (self._trees.workspace, self._trees.own)
            for path in named_entries(self.steps, tree)
            for entry in tree.below(path)
        }
        files = [entry for entry in scripts.values() if entry.kind is EntryKind.FILE and entry.size <= _SCRIPT_BYTES]
        texts = {entry.path: self.text(entry) for entry in files[:_SCRIPTS]}
        if any(_PACKAGE_SCRIPTS.search(text) for text in (*map(self._of_step, self.steps), *texts.values())):
            package = manifests.package(self.text(self._trees.workspace.entries.get("package.json")))
            texts |= {"package.json": json.dumps(package.get("scripts"))} if package else {}
        return texts

    @cached_property
    def named_by_scripts(self) -> frozenset[str]:
        """The workspace files that the package's scripts run, if a command runs such a script as its tests."""
        entries = self._trees.workspace.entries
        package = manifests.package(self.text(entries.get("package.json"))) or {}
        scripts = package.get("scripts")
        lines = scripts if isinstance(scripts, dict) else {}
        found: dict[str, str] = {}
        pending = [self._of_step(step) for step in self.steps]
        while pending:
            for name in _TEST_SCRIPT.findall(pending.pop()):
                for each in (f"pre{name}", name, f"post{name}"):
                    if isinstance(line := lines.get(each), str) and each not in found:
                        found[each] = line
                        pending.append(line)
        run = (each for line in found.values() for each in invocations_of_line(line))
        paths = ((in_workspace(join(each.directory, word)) for word in each.files) for each in run)
        first = (next((path for path in files if path in entries), None) for files in paths)
        return frozenset(path for path in first if path is not None)

    @cached_property
    def named_by_settings(self) -> frozenset[str]:
        """The workspace files that settings of the test runners in use load beside the tests or import, with hooks."""
        entries, found = self._trees.workspace.entries, set[str]()
        for runner in (each for name, each in runners().items() if each.loading_keys and name in self.tools):
            globs = ("package.json", *(kind.glob for kind in runner.control_files))
            keys = re.compile(rf"\b(?:{'|'.join(runner.loading_keys)})['\"]?\s*:\s*{_VALUE}|{_IMPORTED}")
            settings = [path for path in entries if any(fnmatchcase(basename(path), glob) for glob in globs)]
            found |= {place for path in settings for place in self._named_in(path, keys)}
        pending = [*found]
        while pending:
            imported = self._named_in(pending.pop(), re.compile(_IMPORTED)) - found
            more = {path for path in imported if _HOOKS.search(self.text(entries[path]))}
            found |= more
            pending += more
        return frozenset(found)

    def _named_in(self, path: str, pattern: re.Pattern[str]) -> set[str]:
        """Return the workspace files that the matches of a pattern in a file name, with or without their suffix."""
        entries = self._trees.workspace.entries
        values = (match[0].partition(":")[2] or match[0] for match in pattern.finditer(self.text(entries[path])))
        words = [word.removeprefix("<rootDir>/") for value in values for word in _QUOTED.findall(value)]
        places = {place for word in words if (place := in_workspace(join(dirname(path), word))) is not None}
        return {f"{place}{end}" for place in places for end in _ENDS} & entries.keys()

    @cached_property
    def tools(self) -> frozenset[str]:
        """The names of the test runners and interpreters in use."""
        return frozenset(tool for tool, word in _words().items() if any(word.search(text) for text in self.texts))

    @cached_property
    def tests(self) -> frozenset[str]:
        """The paths of the tests, as far as commands and scripts name them; "" stands for the whole workspace."""
        workspace, own = self._trees.workspace, self._trees.own
        named: list[tuple[str, Iterable[str]]] = [
            (self._of_step(step), named_entries((step,), workspace) | named_entries((step,), own))
            for step in self.steps
        ]
        # A test that mentions its runner does not start it.
        named += [(text, named_paths((text,))) for path, text in self._of_files.items() if not is_test_file(path)]
        found: set[str] = set()
        for text, paths in named:
            if _runs_tests().search(text):
                hold = {path for path in paths if any(is_test_file(entry.path) for entry in workspace.below(path))}
                found |= hold | {path for path in paths if path in own.entries} or {""}
            elif _FOLLOWS_A_FILE.search(text):
                found.add("")
        return frozenset(found)

    @cached_property
    def directories(self) -> frozenset[str]:
        """The directories in which commands run and look for modules, relative to the workspace."""
        found = {"", *(step.cwd.removeprefix(WORKSPACE).strip("/") for step in self.steps)}
        for step in self.steps:
            # An adapter passes the path in a variable whose name has the same ending.
            given = [value for name, value in step.env.items() if name.endswith("PYTHONPATH")]
            named = [*_ENTERED.findall("\n".join(step.mentions)), *given]
            words = [word.strip("'\"") for words in named for word in words.split(":")]
            paths = (in_workspace(word if word.startswith("/") else f"{step.cwd}/{word}") for word in words if word)
            found |= {path for path in paths if path is not None}
        return frozenset(found - {"."}) | {""}

    @cached_property
    def is_apart(self) -> bool:
        """Whether pytest runs hidden tests alone, and nothing lets it or the tests load modules of the workspace."""
        hidden = all(path in self._trees.own.entries for path in self.tests)
        opened = any(_OPENS_WORKSPACE.search(text) for text in self.texts)
        return hidden and not opened and self.directories == {""}

    def runs(self, program: str) -> bool:
        """Return whether a command or script runs a program."""
        word = re.compile(rf"(?<![\w.-]){re.escape(program)}(?![\w.-])")
        return any(word.search(text) for text in self.texts)

    def reaches(self, path: str) -> bool:
        """Return whether pytest could find configuration at a path: above or below a path that a command names."""
        place = dirname(path)
        return any(
            place in ("", target) or not target or target.startswith(f"{place}/") or place.startswith(f"{target}/")
            for target in self._targets
        )

    @cached_property
    def _targets(self) -> frozenset[str]:
        """Return the paths that texts with pytest name; "" stands for a text that names none."""
        targets: set[str] = set()
        for text in self.texts:
            if _words()["pytest"].search(text):
                there = {path for path in named_paths((text,)) if self._is_there(path)}
                targets |= there or {""}
        return frozenset(targets)

    def _is_there(self, path: str) -> bool:
        return path in self._trees.laid.entries or path in self._trees.own.entries

    def text(self, entry: ArchiveEntry | None) -> str:
        """Return the content of a file; empty for one that is too large to be configuration."""
        if entry is None or entry.kind is not EntryKind.FILE or entry.size > manifests.MAX_BYTES:
            return ""
        return self._read(entry).decode("utf-8", "replace")
