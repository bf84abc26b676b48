"""Finds parts of a case that let an answer decide its own verdict: graders that run its text, and checks of words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gradebox.graders.cases import grader_files
from gradebox.graders.checks import evaluation
from gradebox.graders.checks.text.regex import Regex
from gradebox.graders.documents.command_lines.invocations import only_invocation
from gradebox.graders.documents.diagnostics import shown
from gradebox.graders.documents.python_source import nodes_of
from gradebox.graders.model.case import Case, CaseCheck, Place
from gradebox.sandbox.limits import Network

MEANT = "gradebox: trusted"
"""A comment with this text marks a line as no hazard: no data of a submission reaches it."""
_MOST_FILES, _MOST_BYTES = 200, 1024 * 1024
_READ_AS_DATA = "Read it as data, such as JSON, or end the line with the comment `gradebox: trusted`."
_LOADS_CODE = "it can run arbitrary code from the data that it loads"
_RUNS_CODE = "text from the submission would run as the grader"

# Python calls that are hazards, and why. `yaml.load` is one unless it has a safe loader.
_PYTHON: Mapping[str, str] = {
    **dict.fromkeys(("eval", "exec"), _RUNS_CODE),
    **dict.fromkeys(("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"), _RUNS_CODE),
    **dict.fromkeys(("pickle.load", "pickle.loads", "marshal.load", "marshal.loads", "shelve.open"), _LOADS_CODE),
    **dict.fromkeys(("yaml.load", "yaml.unsafe_load"), _LOADS_CODE),
}
# Names that defeat `isolation: apart`: they bring code of the submission into the grader's process or user.
_PYTHON_BRINGS = ("spec_from_file_location", "SourceFileLoader")
_JAVASCRIPT_BRINGS = re.compile(
    r"(?P<call>(?:spawn|execFile)(?:Sync)?)\s*\(\s*(?:process\.execPath|[\"'](?:node|bun|tsx|npx|bunx)[\"'])"
)
_INTERPRETERS = re.compile(r"\bsys\.executable$|^'(?:python[\d.]*|bash|sh|node|julia)'$")
_BRINGS = "it runs the submission as the grader, so that `isolation: apart` protects nothing there"
_BY_CANDIDATE = "Call its functions, or start it with `candidate` in front."
_UNPACKS = "a link in the archive can lead the grader to what the submission cannot read, such as a golden file"
_AS_DATA = 'Use `filter="data"`, or unpack it with `candidate` in front.'
_FORMATS = "a text of the submission can name whatever its arguments lead to, such as the globals of the tests"
_PLAIN = "Format texts and numbers alone, or end the line with the comment `gradebox: trusted`."
_SUBPROCESS = frozenset({"run", "call", "check_call", "check_output", "Popen"})
_SAFE_LOADERS = ("SafeLoader", "CSafeLoader", "BaseLoader")
_LITERAL = r"""(?!\s*(?:"[^"$`]*"|'[^']*'|`[^`$]*`)\s*\))"""
_JAVASCRIPT = re.compile(
    rf"(?<![\w.])(?P<call>eval|new\s+Function|vm\.runIn\w+|(?:child_process\.)?exec(?:Sync)?)\s*\({_LITERAL}"
)
# A shell that reads a script from such a path reads a file that no submission can write.
_OF_THE_CASE = ("/", "grading/", "$(dirname")
_SHELL_UNPACKS = re.compile(
    r"(?<![\w/.-])(?<!candidate )(?P<call>(?:bsd)?tar(?= +(?:-C +\S+ +|--\S+ +)*-?[A-Za-z]*x)|unzip"
    r"|git (?:clone|apply|am))(?= )"
)
_UNPACKERS = re.compile(r"^'(?:bsdtar|tar|unzip)'$")
_SHELL = re.compile(r"""(?m)^\s*(?:\w+=\S*\s+)*(?P<call>eval|source|\.)\s+(?P<what>\S+)""")


class Hazard(NamedTuple):
    """One hazard: its place, a clause that describes it, and what to do."""

    place: Place
    message: str
    hint: str


def hazards(case: Case) -> Iterator[Hazard]:
    """Yield the hazards in the case file and in the files of its graders."""
    if case.limits.network is not Network.NONE:
        message = "with a network, a candidate can fetch an answer, and send the tests away"
        yield Hazard(case.place, message, "Bring what it needs into the image, or in `setup`.")
    yield from _of_lists(case)
    is_apart = case.is_open or any(evaluation.is_apart(check, case) for check in case.checks)
    for file in islice(dict.fromkeys(_files(case)), _MOST_FILES):
        try:
            text = file.read_bytes()[:_MOST_BYTES].decode("utf-8", "replace")
        except OSError:
            continue
        lines = text.splitlines()
        for line, column, call, why in _calls(file, text):
            if MEANT not in lines[line - 1] and (why not in (_BRINGS, _UNPACKS) or is_apart):
                hint = {_BRINGS: _BY_CANDIDATE, _FORMATS: _PLAIN, _UNPACKS: _AS_DATA}.get(why, _READ_AS_DATA)
                yield Hazard(Place(file, line, column), f"`{shown(call)}` in a grader: {why}", hint)


def _of_lists(case: Case) -> Iterator[Hazard]:
    """Yield a hazard if required checks only look for words, and no other required check reads the same text."""
    required = [check for check in case.checks if check.required]
    found = [check for check in required if _finds(check)]
    others = [check for check in required if check not in found]
    if not found or any(check.negate or check.type not in _ELSEWHERE or _is_of_text(check, case) for check in others):
        return
    message = "an answer that lists every possibility passes all required checks, which look for words alone"
    if others:
        names = ", ".join(shown(check.name) for check in found)
        message = f"an answer that lists every possibility passes {names}, whatever the other required checks say"
    yield Hazard(found[0].place, message, "Add one that such an answer fails, such as `equals` or a negated one.")


def _finds(check: CaseCheck) -> bool:
    """Return whether a check looks for something anywhere in a text."""
    if isinstance(check, Regex) and "m" not in check.flags and check.value[:1] == "^" and check.value[-1:] == "$":
        return False
    return check.type in _FINDS and not check.negate


def _is_of_text(check: CaseCheck, case: Case) -> bool:
    """Return whether a command may judge the answer: there are no files that it could judge instead."""
    return any(evaluation.commands(check)) and case.workspace is None and not case.answer_file


_FINDS = frozenset({"contains", "icontains", "contains-any", "contains-all", "icontains-any", "icontains-all", "regex"})
# Types of checks that judge files and not the text of an answer.
_ELSEWHERE = frozenset(
    {"code-grader", "unit-tests", "examples", "call", "file-exists", "file-contains", "file-changes"}
)


def _files(case: Case) -> Iterator[Path]:
    """Yield the files of a case's graders: those in grading/, and those that commands name."""
    if case.grading is not None:
        yield from (file for file in sorted(case.grading.rglob("*")) if file.is_file() and not file.is_symlink())
    for spec in case.checks:
        for command in evaluation.commands(spec):
            run = only_invocation(command.argv)
            for name in run.files[:1] if run else ():
                file = grader_files.find(name, case.roots)
                if file is not None and not (case.workspace and file.is_relative_to(case.workspace)):
                    yield file


def _calls(file: Path, text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield line, column, name and reason of each call that runs or loads text."""
    if file.suffix == ".py":
        yield from _of_python(text)
    elif file.suffix in (".js", ".mjs", ".cjs", ".ts", ".mts"):
        yield from _matches(_JAVASCRIPT, text)
        yield from _matches(_JAVASCRIPT_BRINGS, text, _BRINGS)
    elif file.suffix in (".sh", ".bash"):
        yield from _matches(_SHELL, text)
        yield from _matches(_SHELL_UNPACKS, text, _UNPACKS)


def _matches(pattern: re.Pattern[str], text: str, why: str = _RUNS_CODE) -> Iterator[tuple[int, int, str, str]]:
    for match in pattern.finditer(text):
        what = match.groupdict().get("what") or ""
        if match["call"] != "eval" and what.strip("\"'").startswith(_OF_THE_CASE):
            continue
        start = match.start("call")
        line = text.count("\n", 0, start) + 1
        if not text[text.rfind("\n", 0, start) + 1 : start].lstrip().startswith(("//", "#", "*")):
            yield line, start - text.rfind("\n", 0, start), match["call"], why


def _of_python(text: str) -> Iterator[tuple[int, int, str, str]]:
    for node in nodes_of(text):
        if isinstance(node, ast.Call) and _unpacks(node, text):
            yield node.lineno, node.col_offset + 1, ast.unparse(node.func), _UNPACKS
        elif isinstance(node, ast.Call) and _formats(node.func):
            yield node.lineno, node.col_offset + 1, ast.unparse(node.func), _FORMATS
        elif isinstance(node, ast.Call) and node.args:
            name = ast.unparse(node.func)
            why = _PYTHON.get(name, "")
            module, _, function = name.rpartition(".")
            if function in _SUBPROCESS and (
                module == "subprocess" or (not module and "from subprocess import" in text)
            ):
                why = _RUNS_CODE if _is_shell(node.keywords) else _of_program(node.args[0])
            if name == "yaml.load" and ast.unparse(node).endswith(tuple(f"{loader})" for loader in _SAFE_LOADERS)):
                why = ""
            if function in _PYTHON_BRINGS:
                yield node.lineno, node.col_offset + 1, name, _BRINGS
            elif why and not isinstance(node.args[0], ast.Constant):
                yield node.lineno, node.col_offset + 1, name, why


def _formats(function: ast.expr) -> bool:
    """Whether the result of a call is used as a format string."""
    is_format = isinstance(function, ast.Attribute) and function.attr in ("format", "format_map")
    return is_format and isinstance(function.value, ast.Call)  # type: ignore[attr-defined]


def _is_shell(keywords: Sequence[ast.keyword]) -> bool:
    return any(each.arg == "shell" and getattr(each.value, "value", None) is True for each in keywords)


def _unpacks(call: ast.Call, text: str) -> bool:
    """Whether a call unpacks a tar archive with its links. Modules that unpack zip archives make none."""
    name = ast.unparse(call.func).rpartition(".")[2]
    is_one = name == "unpack_archive" or (name in ("extract", "extractall") and "tarfile" in text)
    return is_one and not any(each.arg == "filter" for each in call.keywords)


def _of_program(words: ast.expr) -> str:
    """Return why a list of words is a hazard, by its first word; "" for another, such as `candidate`."""
    first = words.elts[0] if isinstance(words, ast.List | ast.Tuple) and len(words.elts) > 1 else None
    program = ast.unparse(first) if first is not None else ""
    return _BRINGS if _INTERPRETERS.search(program) else _UNPACKS if _UNPACKERS.search(program) else ""
