"""Finds the files that a submission of a case brings, and the data that graders read, for cheats to use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from gradebox.graders.authoring.attack.programs import definitions, imported
from gradebox.graders.checks import evaluation
from gradebox.graders.checks.base import Check
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.items import Items
from gradebox.graders.errors import GraderError
from gradebox.graders.grading.prepare import commands, place_source, read_files
from gradebox.graders.integrity.referenced_files import named_paths
from gradebox.graders.languages import of_fence
from gradebox.graders.languages.definitions import Definition
from gradebox.graders.model.case import Case
from gradebox.graders.model.plan import Files
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import Tree, changed_paths, content
from gradebox.graders.runners.runner import is_test_file
from gradebox.graders.submissions.answer import default_file
from gradebox.graders.submissions.overlay import lay
from gradebox.graders.submissions.source import read_reference
from gradebox.sandbox.archive import ArchiveEntry, EntryKind
from gradebox.sandbox.types import WORKSPACE

_MOST_FILES = 20
_MOST_BYTES = 256 * 1024
# Names of result files in a text.
_RESULTS = re.compile(r"[\w./-]{1,100}\.(?:xml|json|tap|txt)\b")
_USUAL_RESULTS = ("reward.txt", "reward.json", "results.json", "score.txt", "report.xml", "/tmp/reward.txt")  # noqa: S108
_IMPORTED = re.compile(r"^\s*(?:import|from)\s+([A-Za-z_]\w*)", re.MULTILINE)
# Attributes that tests ask a mock about, and those that must not be called.
_MOCKED = re.compile(r"\.(\w+)\.(?:(assert_not_)?\w*call\w*|return_value|side_effect)\b")
_PATH = re.compile(r"(?:^|[\s\"';])PATH=([^\s;&|\"']+)")
_LOCAL_PROGRAM = re.compile(r"(?<![\w/])(?:\./)?((?:\.?[\w-]+/)*(?:\.bin|\.?venv/bin))/[\w.-]+")
_LIKELY = (
    'yes no true false True False None null ok OK done passed PASSED success correct {"score": 1.0, "pass": true} '
    "hello Hello, World! Hello, world! hello world error Error a b c A B C D Paris "
)


@dataclass(frozen=True, slots=True)
class BroughtFile:
    """A file that a submission brings: its language, its source, and its text in the workspace (`start`), if any."""

    path: str
    language: str
    source: str
    start: str | None
    mode: int
    defined: tuple[Definition, ...]


@dataclass(frozen=True)
class Surface:
    """What a cheat can know about a case."""

    case: Case
    files: tuple[BroughtFile, ...]  # The files that a submission brings.
    answers: bool  # Whether submissions are answers.
    # The files of the workspace, and the case's own files beside it.
    workspace: Tree
    own: Tree

    @cached_property
    def commands(self) -> tuple[str, ...]:
        return tuple(word for command in commands(self.case) for word in command)

    @cached_property
    def scripts(self) -> tuple[str, ...]:
        trees = {**self.own.entries, **self.workspace.entries}
        named = [path for path in named_paths(self.commands) if path in trees]
        below = [path for path in trees if any(path.startswith(f"{each}/") for each in named)]
        tests = [path for path in self.workspace.entries if is_test_file(path)]
        brought = {file.path for file in self.files}
        files = [path for path in dict.fromkeys((*named, *below, *tests)) if trees[path].kind is EntryKind.FILE]
        return tuple(path for path in files if path not in brought and _language(path, b""))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts of graders: commands, items, scripts."""
        trees = {**self.workspace.entries, **self.own.entries}
        items = (item.code for check in _checks(self.case) if isinstance(check, Items) for item in check.items)
        around = (f"{c.setup}\n{c.teardown}" for c in _checks(self.case) if isinstance(c, Items))
        return (*self.commands, *items, *around, *(_text(trees[path]) for path in self.scripts))

    @cached_property
    def imports(self) -> tuple[str, ...]:
        """The Python modules that graders import, without those of the submission."""
        brought = {file.path.partition("/")[0].removesuffix(".py") for file in self.files}
        found = dict.fromkeys(name for text in self.texts for name in _IMPORTED.findall(text))
        usual = ("json", "re", "subprocess", "os", "random", "typing", "math", "pathlib", "pytest", "unittest")
        return tuple(name for name in dict.fromkeys((*found, *usual)) if name not in brought and name != "sys")[:40]

    @cached_property
    def expected(self) -> tuple[str, ...]:
        """The files of the case that are not programs: graders may compare a submission's output with them."""
        return tuple(path for path, entry in self.own.entries.items() if _is_data(path, entry))[:40]

    @cached_property
    def mocked(self) -> tuple[dict[str, None], dict[str, None]]:
        """The attributes that tests ask their mocks about, and those among them that must not be called."""
        found = [match for text in self.texts for match in _MOCKED.findall(text)][:40]
        return dict.fromkeys(name for name, _ in found), dict.fromkeys(name for name, is_not in found if is_not)

    @cached_property
    def reports(self) -> tuple[str, ...]:
        """The result files that graders may read, and files with usual names."""
        own = [c.report.path for c in _checks(self.case) if isinstance(c, CodeGrader) and c.report is not None]
        named = (name for text in self.texts for name in _RESULTS.findall(text))
        there = {**self.workspace.entries, **self.own.entries}
        return tuple(p for p in dict.fromkeys((*own, *named, *_USUAL_RESULTS)) if p not in there)[:40]

    @cached_property
    def program_directories(self) -> tuple[str, ...]:
        """The directories of the workspace in which programs are looked up."""
        environments = [self.case.env, *(check.env for check in _checks(self.case))]
        environments += [command.env for check in self.case.checks for command in evaluation.commands(check)]
        paths = [env["PATH"] for env in environments if "PATH" in env]
        paths += [path for text in self.texts for path in _PATH.findall(text)]
        found = [part.replace("$PWD", ".").replace("$(pwd)", ".") for path in paths for part in path.split(":")]
        found = [part.removeprefix(f"{WORKSPACE}/") if part != WORKSPACE else "." for part in found]
        found += [match for text in self.texts for match in _LOCAL_PROGRAM.findall(text)]
        return tuple(dict.fromkeys(part.removeprefix("./") for part in found if part and part[0] not in "/$~"))

    @property
    def words(self) -> str:
        """The task, and words that an answer is likely to contain."""
        said = [message.content for message in self.case.input if isinstance(message.content, str)]
        numbers = " ".join(map(str, range(101)))
        return "\n".join((*said, self.case.criteria, _LIKELY + numbers))

    def language(self) -> str:
        """The language of most files that a submission brings, otherwise the case's; empty for none."""
        languages = [file.language for file in self.files if file.language] or [self.case.language or ""]
        return max(languages, key=languages.count)


def surface(case: Case) -> Surface:
    """Read the files that a submission of a case brings.

    Raises CaseRefused if a directory of the case cannot be read, and OSError if a file of it cannot be read.
    """
    files = read_files(case)
    reference = _reference(case, files)
    solved = lay(files.workspace, reference).tree if reference else files.workspace
    found = Surface(case, (), _is_answer(case, reference), files.workspace, files.own)
    paths = list(changed_paths(files.workspace, solved)) if reference else _guessed(found)
    whole = [path for path in paths if not is_test_file(path)] or paths
    brought = tuple(_brought(path, solved, files.workspace, found) for path in whole[:_MOST_FILES])
    return Surface(case, brought, found.answers, files.workspace, files.own)


def _reference(case: Case, files: Files) -> Submission | None:
    try:
        found = read_reference(case)
    except GraderError:
        return None
    return place_source(case, found, files).submission if found else None


def _is_answer(case: Case, reference: Submission | None) -> bool:
    if reference is not None:
        return reference.output is not None or reference.form is Form.ANSWER
    return case.whole_answer or not (case.workspace or case.answer_file)


def _guessed(found: Surface) -> list[str]:
    """Return the files that a submission most likely brings to a case without a reference."""
    default = found.case.answer_file or default_file(found.case.language)
    code = [path for path in found.workspace.entries if _language(path, b"") and path not in found.scripts]
    return [path for path in code if not is_test_file(path)] or ([default] if default else [])


def _brought(path: str, solved: Tree, workspace: Tree, found: Surface) -> BroughtFile:
    there, entry = workspace.entries.get(path), solved.entries.get(path)
    start = _text(there) if there is not None and there.kind is EntryKind.FILE else None
    source = _text(entry) if entry is not None and entry.kind is EntryKind.FILE else start or ""
    language = _language(path, source.encode("utf-8", "replace")[:100])
    # If the source equals that of the workspace, all its definitions are to be replaced.
    defined = definitions(language, source, None if source == start else start)
    if not defined and entry is None:
        defined = imported(language, path, found.texts)
    return BroughtFile(path, language, source, start, entry.mode if entry else 0o644, defined)


def _language(path: str, begin: bytes) -> str:
    suffix = path.rpartition("/")[2].rpartition(".")
    found = of_fence(suffix[2].lower()) if suffix[1] else None
    if found is None and begin.startswith(b"#!"):
        words = re.findall("[a-z]+", begin.partition(b"\n")[0].decode("latin-1"))
        found = next(filter(None, map(of_fence, words)), None)
    return found.name if found else ""


def _is_data(path: str, entry: ArchiveEntry) -> bool:
    return entry.kind is EntryKind.FILE and not _language(path, b"") and path.rpartition("/")[2] != "case.yaml"


def _checks(case: Case) -> Iterator[Check]:
    pending: list[Iterable[object]] = [case.checks]
    while pending:
        for check in pending.pop():
            assert isinstance(check, Check)
            yield check
            pending.append(evaluation.members(check))


def _text(entry: ArchiveEntry) -> str:
    return content(entry)[:_MOST_BYTES].decode("utf-8", "replace")
