"""Finds parts of a case that let an answer decide its own verdict: graders that run its text, and checks of words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gradebox.graders.authoring.shell_hazards import (
    GIVES_REST,
    MEASURES,
    MIXES,
    PUBLIC,
    RUNS_CODE,
    SHARED,
    UNPACKS,
    of_shell,
)
from gradebox.graders.cases import grader_files
from gradebox.graders.checks import evaluation
from gradebox.graders.checks.calls.call import CallCheck, shown_call
from gradebox.graders.checks.text.regex import Regex
from gradebox.graders.documents.command_lines.invocations import only_invocation
from gradebox.graders.documents.diagnostics import shown
from gradebox.graders.documents.globs import matches
from gradebox.graders.documents.python_source import nodes_of
from gradebox.graders.model.case import Case, CaseCheck, Place
from gradebox.sandbox.limits import Network

MEANT = "gradebox: trusted"
"""A comment with this text marks a line as no hazard: no data of a submission reaches it."""
_MOST_FILES, _MOST_BYTES = 200, 1024 * 1024
_READ_AS_DATA = "Read it as data, such as JSON, or end the line with the comment `gradebox: trusted`."
_LOADS_CODE = "it can run arbitrary code from the data that it loads"

# Python calls that are hazards, and why. `yaml.load` is one unless it has a safe loader.
_PYTHON: Mapping[str, str] = {
    **dict.fromkeys(("eval", "exec"), RUNS_CODE),
    **dict.fromkeys(("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"), RUNS_CODE),
    **dict.fromkeys(("pickle.load", "pickle.loads", "marshal.load", "marshal.loads", "shelve.open"), _LOADS_CODE),
    **dict.fromkeys(("yaml.load", "yaml.unsafe_load"), _LOADS_CODE),
}
# Names that defeat `isolation: apart`: they bring code of the submission into the grader's process or user.
_PYTHON_BRINGS = ("spec_from_file_location", "SourceFileLoader")
_JAVASCRIPT_BRINGS = re.compile(
    r"(?P<call>(?:spawn|execFile)(?:Sync)?)\s*\(\s*(?:process\.execPath|[\"'](?:node|bun|tsx|npx|bunx)[\"'])"
)
_INTERPRETERS = re.compile(r"\bsys\.executable$|^'(?:python[\d.]*|bash|sh|node|julia)'$")
_SCRATCH = re.compile(r"['\"]/(?:tmp|var/tmp|dev/shm)/")
_BRINGS = "it runs the submission as the grader, so that `isolation: apart` protects nothing there"
_BY_CANDIDATE = "Call its functions, or start it with `candidate` in front."
_FORMATS = "a text of the submission can name whatever its arguments lead to, such as the globals of the tests"
_PLAIN = "Format texts and numbers alone, or end the line with the comment `gradebox: trusted`."
_NOT_FINITE = "it also reads `nan`, which is neither less than another number nor greater"
_FINITE = "Refuse it with `math.isfinite`, or end the line with the comment `gradebox: trusted`."
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_SUBPROCESS = frozenset({"run", "call", "check_call", "check_output", "Popen"})
_SAFE_LOADERS = ("SafeLoader", "CSafeLoader", "BaseLoader")
_LITERAL = r"""(?!\s*(?:"[^"$`]*"|'[^']*'|`[^`$]*`)\s*\))"""
_JAVASCRIPT = re.compile(
    rf"(?<![\w.])(?P<call>eval|new\s+Function|vm\.runIn\w+|(?:child_process\.)?exec(?:Sync)?)\s*\({_LITERAL}"
)
# Programs that read the files that their arguments name.
_READERS = frozenset({"cat", "cmp", "diff", "git", "head", "jq", "sort", "sqlite3", "tail", "wc", "xmllint"})
_UNPACKERS = frozenset({"bsdtar", "tar", "unzip"})
_READS = "a path that the submission gives, such as that of an expected file, is read as the grader"
_COPIES = "the submission can read all files of the copy, such as expected ones"
# What to do about each hazard. All others: `_READ_AS_DATA`.
_HINTS = {
    _FORMATS: _PLAIN,
    _NOT_FINITE: _FINITE,
    _BRINGS: _BY_CANDIDATE,
    UNPACKS: 'Use `filter="data"`, or unpack it with `candidate` in front.',
    _READS: "Give the program a path of your own, or its text by stdin; or end the line with `# gradebox: trusted`.",
    GIVES_REST: "Give it a stdin of its own: `candidate ... < /dev/null`.",
    MIXES: "Give it a stdout of its own: `candidate ... > /dev/null`.",
    PUBLIC: "Take its output first: `got=$(candidate ...)`, and compare that.",
    SHARED: "Write it below TMPDIR, or end the line with `# gradebox: trusted` if the submission may know it.",
    MEASURES: "Set limits: `candidate --timeout SECONDS --memory BYTES`, or `ulimit` before it.",
    _COPIES: "Copy the inputs alone: `ignore=shutil.ignore_patterns(...)`, or one file after the other.",
}
_ONLY_APART = _HINTS.keys() - {_FORMATS, _NOT_FINITE}
"""Hazards that only exist beside another user."""


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
    yield from _of_inverse_calls(case)
    is_apart = case.is_open or any(evaluation.is_apart(check, case) for check in case.checks)
    for file in islice(dict.fromkeys(_files(case)), _MOST_FILES):
        try:
            text = file.read_bytes()[:_MOST_BYTES].decode("utf-8", "replace")
        except OSError:
            continue
        lines = text.splitlines()
        for line, column, call, why in _calls(file, text):
            if MEANT not in lines[line - 1] and (why not in _ONLY_APART or is_apart):
                hint = _HINTS.get(why, _READ_AS_DATA)
                yield Hazard(Place(file, line, column), f"`{shown(call)}` in a grader: {why}", hint)
        if is_apart and file.suffix == ".py" and case.workspace and case.reference and case.reference.is_dir():
            yield from _unprotected(case, case.workspace, case.reference, file, text)


def _unprotected(case: Case, workspace: Path, reference: Path, file: Path, text: str) -> Iterator[Hazard]:
    """Yield a hazard for each file of the workspace that a grader reads, and that no solution has to change."""
    lines = text.splitlines()
    for node in nodes_of(text):
        if not isinstance(node, ast.Call) or ast.unparse(node.func) not in ("open", "Path", "pathlib.Path"):
            continue
        name = getattr(node.args[0], "value", None) if len(node.args) == 1 else None
        is_own = not isinstance(name, str) or MEANT in lines[node.lineno - 1] or matches(name, case.protect)
        if not is_own and name and (workspace / name).is_file() and not (reference / name).exists():
            message = f"a grader reads `{shown(name)}` of the workspace, which a submission can change"
            yield Hazard(Place(file, node.lineno, node.col_offset + 1), message, "Add it to `protect`.")


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


def _of_inverse_calls(case: Case) -> Iterator[Hazard]:
    """Yield a hazard for each check that gives to one function what another function must return, and the reverse."""
    for check in evaluation.every(case.checks):
        if not isinstance(check, CallCheck):
            continue
        alone = [one for one in check.calls if len(one.args) == 1 and not one.kwargs and one.args[0] and one.returns]
        made = {repr((one.args[0], one.returns)): one for one in reversed(alone)}
        for one in alone:
            other = made.get(repr((one.returns, one.args[0])), one)
            if (other.call or check.entry) != (one.call or check.entry):
                calls = " and ".join(f"`{shown(shown_call(check, each))}`" for each in (one, other))
                message = f"what one of {calls} takes is what the other must return, so a submission can remember it"
                yield Hazard(check.place, message, "Give the two functions different data.")
                break


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
_ELSEWHERE = {"code-grader", "unit-tests", "examples", "call", "file-exists", "file-contains", "file-changes"}


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
        yield from (_placed(text, *found) for found in of_shell(text))


def _placed(text: str, at: int, call: str, why: str) -> tuple[int, int, str, str]:
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), call, why


def _matches(pattern: re.Pattern[str], text: str, why: str = RUNS_CODE) -> Iterator[tuple[int, int, str, str]]:
    for match in pattern.finditer(text):
        start = match.start("call")
        if not text[text.rfind("\n", 0, start) + 1 : start].lstrip().startswith(("//", "#", "*")):
            yield _placed(text, start, match["call"], why)


def _of_python(text: str) -> Iterator[tuple[int, int, str, str]]:
    nodes = [*nodes_of(text)]
    orders = not re.search(r"\bis(?:finite|nan|close)\b|parse_constant", text) and any(map(_orders, nodes))
    for node in nodes:
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            why = _FORMATS if _formats(node.func) else _why(node, name, text)
            if why := why or (_NOT_FINITE if orders and _may_be_nan(node, name) else ""):
                yield node.lineno, node.col_offset + 1, name, why


def _orders(node: ast.AST) -> bool:
    """Whether it compares numbers by their order."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("min", "max", "sorted")
    return isinstance(node, ast.Compare) and any(isinstance(each, _ORDERS) for each in node.ops)


def _may_be_nan(node: ast.Call, name: str) -> bool:
    """Whether a call reads a number from a text, or a JSON text that a program printed."""
    given = ast.unparse(node.args[0]) if node.args and not isinstance(node.args[0], ast.Constant) else ""
    # A file that the command names is the case's own, as the answer of a test is.
    is_own = given.startswith(("open(", "len(", "sum(", "time.", "sys.argv"))
    return bool(given) and not is_own and (name == "float" or (name == "json.loads" and "stdout" in given))


def _why(node: ast.Call, name: str, text: str) -> str:
    """Return why a call is a hazard; empty if it is none."""
    module, _, function = name.rpartition(".")
    # Modules that unpack zip archives make no links.
    if function == "unpack_archive" or (function in ("extract", "extractall") and "tarfile" in text):
        return "" if any(each.arg == "filter" for each in node.keywords) else UNPACKS
    if "candidate" in text and (function == "wait4" or (function == "getrusage" and "CHILDREN" in ast.unparse(node))):
        return MEASURES
    if "candidate" in text and _writes_scratch(node, function):
        return SHARED
    if function == "copytree":
        return "" if any(each.arg == "ignore" for each in node.keywords) else _COPIES
    if not node.args:
        return ""
    if function in _PYTHON_BRINGS:
        return _BRINGS
    if function in _SUBPROCESS and (module == "subprocess" or (not module and "from subprocess import" in text)):
        if _is_shell(node.keywords):
            return "" if isinstance(node.args[0], ast.Constant) else RUNS_CODE
        return _of_program(node.args[0], text)
    if name == "yaml.load" and ast.unparse(node).endswith(tuple(f"{loader})" for loader in _SAFE_LOADERS)):
        return ""
    return "" if isinstance(node.args[0], ast.Constant) else _PYTHON.get(name, "")


def _writes_scratch(node: ast.Call, function: str) -> bool:
    """Whether a call writes a file, which it names, where everybody can read it."""
    if function in ("write_text", "write_bytes"):
        return bool(_SCRATCH.search(ast.unparse(node.func)))
    modes = [
        ast.unparse(each) for each in (*node.args[1:2], *(key.value for key in node.keywords if key.arg == "mode"))
    ]
    written = function == "open" and any(mode.strip("'\"")[:1] in ("w", "a", "x") for mode in modes)
    return written and bool(_SCRATCH.search(ast.unparse(node)))


def _formats(function: ast.expr) -> bool:
    """Whether the result of a call is used as a format string."""
    is_format = isinstance(function, ast.Attribute) and function.attr in ("format", "format_map")
    return is_format and isinstance(function.value, ast.Call)  # type: ignore[attr-defined]


def _is_shell(keywords: Sequence[ast.keyword]) -> bool:
    return any(each.arg == "shell" and getattr(each.value, "value", None) is True for each in keywords)


def _of_program(words: ast.expr, text: str) -> str:
    """Return why a list of words is a hazard; empty for another, such as one that begins with `candidate`."""
    first, *others = words.elts if isinstance(words, ast.List | ast.Tuple) and len(words.elts) > 1 else (None,)
    program = ast.literal_eval(first) if isinstance(first, ast.Constant) else ""
    if first is not None and _INTERPRETERS.search(ast.unparse(first)):
        return "" if _is_own(others[0], text) else _BRINGS
    if program in _READERS and any(isinstance(each, ast.Name | ast.Call | ast.Subscript) for each in others):
        return _READS
    return UNPACKS if program in _UNPACKERS else ""


def _is_own(script: ast.expr, text: str) -> bool:
    """Whether a script is named by the place of the grader's own file."""
    names = [each.id for each in ast.walk(script) if isinstance(each, ast.Name)]
    return "__file__" in names or any(re.search(rf"(?m)^\s*{name}\s*=[^\n]*\b__file__\b", text) for name in names)
