"""Finds the complaints of a grader about something that the case should have brought. Only reads files of the case.

The grader made the same complaint without the submission, so no candidate wrote it. The question left is whether the
submission had to bring the missing thing. It had to if the task names the thing, since nobody can guess a module's
name. A file below `grading/`, a known tool, or a package that the workspace lists as a dependency is always the case's.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from posixpath import basename, dirname, join, normpath

from gradebox.graders.documents.command_lines.interpreters import SHELLS
from gradebox.graders.documents.command_lines.invocations import invocations
from gradebox.graders.documents.command_lines.launchers import LAUNCHERS
from gradebox.graders.languages import languages
from gradebox.graders.languages.complaints import Complaint
from gradebox.graders.model.evidence import StepOutcome
from gradebox.graders.model.plan import Plan, Step
from gradebox.graders.model.tree import content
from gradebox.graders.runners import runner_report, runners
from gradebox.sandbox.archive import EntryKind
from gradebox.sandbox.types import WORKSPACE

# Usual names of submitted files, the directories that contain them, and directories of build output.
_USUAL = frozenset({"solution", "main", "index", "app", "answer", "submission", "program", "run", "solve"})
_USUAL_PLACES = frozenset({"", "src", "lib"})
_BUILT = frozenset({"build", "dist", "target", "out", "bin", "node_modules"})
_TOOLS = frozenset({"npm", "yarn", "make", "git", "curl", "jq", "tsc", "tsx", "deno"})
_DOCUMENT = re.compile(r".*\.(?:md|rst|adoc)|(?:.*/)?(?!requirements)[^/]*\.txt")
_MANIFEST = re.compile(r"(?:.*/)?(?:requirements[\w-]*\.txt|pyproject\.toml|setup\.cfg|package\.json|Project\.toml)")
_TEXT_BYTES = 256 * 1024
_TEXTS = 50
_NAME_CHARACTERS = 200

# The kind of complaint that is not printed by a command: judging apart cannot do what a test requests.
LIMIT = "limit"
_SENTENCES = {
    "program": "the program {} was not found; choose an `image` that has it, or correct its name",
    "module": "the module {} was not found; put it beside the grader, or choose an `image` that has it",
    "name": "{} is not defined; define it, or name it in the task if the submission has to bring it",
    "target": "{} lacks what is imported from it; correct the import",
    "directory": "the working directory {} does not exist; correct `cwd`, or name it in the task",
    "report": "the test report {} is not there, or in another format; correct `report`, or what the command writes",
    "source": "{} cannot be run: it has a syntax error, or may not be executed; correct it",
}
_NO_FILE = "there is no file {}; write it, correct the path, or name it in the task if the submission has to bring it"


class AuthorMistakes:
    """Decides which complaints the case of a plan is to blame for."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def found(self, complaint: Complaint, ran: StepOutcome) -> bool:
        """Return whether the case is to blame for a complaint of a step that ran without a submission."""
        return complaint.kind == LIMIT or self._is_to_blame(complaint, ran)

    def _is_to_blame(self, complaint: Complaint, ran: StepOutcome) -> bool:
        kind, name, source = complaint
        step = ran.step
        if kind == "report":
            # A runner that failed early writes no report.
            done = runner_report.read(step.token, ran.outcome.report.content()).done
            return source == "format" or ran.outcome.exit_code == 0 or done is not None
        source = _path(source, step)
        if source in self._plan.workspace.entries and not self._is_own(source):
            # The task may be to repair this file.
            return False
        match kind:
            case "source":
                return name in SHELLS or self._is_own(_path(name, step))
            case "data":
                return self._is_beside_grader(_path(name, step))
            case "target":
                path = _path(name, step)
                return self._is_own(source) and (path.startswith("/") or self._is_own(path))
            case "name":
                return self._is_own(source) and not self._names(name)
            case "module" if name.startswith("."):
                return self._lacks(normpath(join(dirname(source), name)))
            case "module" if not name.startswith("/"):
                top = name if name.startswith("@") else re.split(r"[./]", name)[0]
                return top in _tools() or self._depends_on(top) or not self._names(top)
            case "program":
                return name in _tools() or name in _programs(step) or not self._names(name)
            case _:
                return self._lacks(_path(name, step))

    def _lacks(self, path: str) -> bool:
        """Return whether the case had to bring a program file."""
        return path.startswith(("/", "../")) or self._is_beside_grader(path) or not self._names(path)

    def _is_own(self, path: str) -> bool:
        """Return whether a file belongs to the case and no submission can change it."""
        return path in self._plan.files.own.entries or any(entry.path == path for entry in self._plan.restored)

    def _is_beside_grader(self, path: str) -> bool:
        """Return whether a path lies below `grading/`, or in another directory that only the case has."""
        directory = dirname(path)
        files = self._plan.files
        return path.startswith("grading/") or (
            directory in files.own.entries and directory not in files.workspace.entries
        )

    def _names(self, name: str) -> bool:
        """Return whether the task names a file, module or function, or whether the name is a usual one."""
        stem = basename(name).partition(".")[0]
        top = name.partition("/")[0]
        if top in _BUILT or (dirname(name) in _USUAL_PLACES and stem.casefold() in self._usual):
            return True
        words = "|".join(re.escape(word) for word in (name, stem) if word)
        named = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
        return any(map(named.search, self._task))

    def _depends_on(self, name: str) -> bool:
        word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE)
        return any(map(word.search, self._texts(_MANIFEST)))

    @cached_property
    def _usual(self) -> frozenset[str]:
        files = [self._plan.case.answer_file or "", *(each.answer_file for each in languages().values())]
        return _USUAL | {basename(file).partition(".")[0].casefold() for file in files if file}

    @cached_property
    def _task(self) -> tuple[str, ...]:
        """The texts that a candidate can read: the input, and documents in the workspace."""
        case = self._plan.case
        asked = (str(message.content) for message in case.input)
        return (*asked, case.criteria, case.description, *self._texts(_DOCUMENT))

    def _texts(self, wanted: re.Pattern[str]) -> tuple[str, ...]:
        files = (entry for entry in self._plan.workspace.files() if entry.kind is EntryKind.FILE)
        read = [entry for entry in files if wanted.fullmatch(entry.path) and entry.size <= _TEXT_BYTES][:_TEXTS]
        return tuple(content(entry).decode("utf-8", "replace") for entry in read)


def _path(written: str, step: Step) -> str:
    """Return a path in the form that trees use; one outside the workspace stays absolute or starts with `..`."""
    return normpath(join(step.cwd, written)).removeprefix(f"{WORKSPACE}/")


def _programs(step: Step) -> tuple[str, ...]:
    """Return the programs that a command starts directly, not those that its scripts start."""
    first = next(invocations(step.command), None)
    return (*step.command[:1], *first.launchers, first.words[0]) if first else step.command[:1]


@cache
def _tools() -> frozenset[str]:
    """Return the programs and modules that a submission never has to bring."""
    of_runners = (name for runner in runners().values() for name in (runner.name, *runner.modules))
    of_languages = (program for language in languages().values() for program in language.programs)
    return frozenset((*_TOOLS, *(name[0] for name in LAUNCHERS), *of_runners, *of_languages))


def sentence(complaint: Complaint) -> str:
    """Return a clause that says what is missing or broken, and what to do."""
    if complaint.kind == LIMIT:
        return complaint.name
    name = complaint.name[:_NAME_CHARACTERS]
    return _SENTENCES.get(complaint.kind, _NO_FILE).format(f"`{name}`")
