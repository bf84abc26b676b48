"""The code of an answer: turns fenced blocks of markdown into files. Pure, and linear in the length of hostile input.

    ```python src/app.py          a fence that names a path is that file; the last fence with a path wins
    ```python                     if no fence names a path, the fences of the case's language are joined to one file
    ```                           if none has that language, the fences without a language are joined

A case without a language takes the language of its file's suffix. Then a single fence counts in any language.

A text without fences is all code. A fence names a path as a word after the language, as ``path=``, ``file=``,
``filename=`` or ``title=``, or as ``python:src/app.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from gradebox.graders.languages import languages, of_fence
from gradebox.graders.model.case import Case
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import Tree, parents
from gradebox.sandbox.archive import check_path, file_entry
from gradebox.sandbox.types import WORKSPACE

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MAX_ANSWER_BYTES = 4 * 1024 * 1024
# The suffixes of answers in markdown and in code, and the name that each gets in the workspace.
ANSWER_FILES = {".md": "answer.md", ".jl": "answer.jl"}
MAX_FILES = 1000
# The limit for markdown: parsing a hostile line takes up to 0.3 ms.
MAX_LINES = 20_000
_LONGEST_PATH = 1000
_LONGEST_NAME = 255

_UNNAMED = frozenset({""})

_ATTRIBUTE = re.compile(r"(?:\A|[\s{])(?:path|file|filename|title)=(?:\"([^\"]*)\"|'([^']*)'|([^\s}]*))")
_WORD = re.compile(r"[^\s(){}<>\"'=,;]+\Z")
_ENDING = re.compile(r"[^/]\.[A-Za-z][A-Za-z0-9_]{0,15}\Z")
_LANGUAGE = re.compile(r"[{.]*([^\s{},.]*)")


def read_answer(name: str, text: str, *, file: str = ANSWER_FILES[".md"]) -> Submission:
    """Return the submission of an answer: its text, as a file of the workspace.

    `extract_code` finds the code in markdown later, when the case is known. `file` is one of the names in
    ANSWER_FILES: for markdown, or for text that is all code.
    """
    data = text.encode("utf-8", "replace")
    if len(data) > MAX_ANSWER_BYTES:
        return Submission(name, Form.ANSWER, problem=f"The answer is larger than {MAX_ANSWER_BYTES} bytes.")
    return Submission(name, Form.ANSWER, Tree({file: file_entry(file, data)}), output=text)


class AnswerRefused(ValueError):
    """The answer has too many lines or files, or names a file that no submission may have; the message says which."""


class Fence(NamedTuple):
    """A fenced block."""

    language: str  # The first word after the fence, in lower case; empty when there is none.
    path: str | None  # The path that the fence names, as written; None if it names none.
    code: str  # The content. Every line ends with a newline.


def fences(text: str) -> Iterator[Fence]:
    """Yield the fenced blocks of a text by the rules of CommonMark, also in lists and quotes. HTML is text.

    An unclosed fence reaches to the end, so that a truncated answer is judged by the code it has. Raises AnswerRefused
    if a text with fences has more than MAX_LINES lines.
    """
    if "```" not in text and "~~~" not in text:
        return
    # In Markdown a lone carriage return also ends a line.
    if text.count("\n") + text.count("\r") - text.count("\r\n") > MAX_LINES:
        raise AnswerRefused(f"An answer with code fences may have at most {MAX_LINES} lines.")
    for token in _markdown().parse(text):
        if token.type == "fence":
            code = token.content
            yield _fence(token.info.strip(), code if code.endswith("\n") or not code else f"{code}\n")


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - most runs have no answer, and it loads slowly

    # Only the rules that decide where a fence is, and none that parses inline text: time is linear in the lines.
    return MarkdownIt("zero").enable(["fence", "code", "list", "blockquote"]).disable("inline")


def files_of_answer(text: str, language: str | None, default_path: str | None, *, bare: bool = True) -> dict[str, str]:
    """Return the files of an answer by path, in the order in which they first appear.

    If no fence names a path, the code goes to `default_path`, unless that is None. With `bare`, a text without fences
    is code. Raises AnswerRefused if a path leads out of the workspace, or cannot be the path of a file.
    """
    found = list(fences(text))
    files: dict[str, str] = {}
    for fence in found:
        if fence.path is not None:
            files[_clean(fence.path)] = fence.code
            if len(files) > MAX_FILES:
                raise AnswerRefused(f"The answer names more than {MAX_FILES} files.")
    for path in files:
        beyond = next((parent for parent in parents(path) if parent in files), None)
        if beyond is not None:
            raise AnswerRefused(f"The answer names {beyond!r} as a file and {path!r} below it.")
    if files or default_path is None or not (found or bare):
        return files
    code = _code(text, found, language, default_path)
    return {default_path: code} if code.strip() else {}


def default_file(language: str | None) -> str | None:
    """Return the path for code that names none, in a case without `answer_file`; None without a language."""
    found = languages().get(language or "")
    return found.answer_file if found else None


def extract_code(case: Case, submission: Submission) -> Submission:
    """Replace an answer by the files that its code makes, and return other submissions unchanged.

    If checks of the case read the whole answer, it stays one file.
    """
    if submission.form is Form.SOURCE_FILE:
        return _of_source_file(case, submission)
    text = submission.output
    if text is None and submission.transcript is not None:
        text = submission.transcript.output
    if text is None or submission.form not in (Form.NOTHING, Form.ANSWER) or submission.problem or submission.fault:
        return submission
    if case.whole_answer:
        whole = submission if submission.form is Form.ANSWER else read_answer(submission.name, text)
        return replace(submission, form=whole.form, tree=whole.tree, problem=whole.problem)
    default = case.answer_file or default_file(case.language)
    try:
        # A file of code has no fences, even if its text looks like markdown.
        is_code = ANSWER_FILES[".jl"] in submission.tree.entries and bool(text.strip())
        # Only a submitted answer may be code without fences: the last message of an agent is mostly not code.
        bare = submission.form is Form.ANSWER
        files = {default: text} if is_code and default else files_of_answer(text, case.language, default, bare=bare)
    except AnswerRefused as refused:
        return replace(submission, form=Form.NOTHING, tree=Tree(), problem=str(refused))
    entries = {
        path: file_entry(path, code.encode("utf-8", "replace"), mode=0o755 if code.startswith("#!") else 0o644)
        for path, code in sorted(files.items())
    }
    return replace(submission, form=Form.DIRECTORY if entries else Form.NOTHING, tree=Tree(entries))


def _of_source_file(case: Case, submission: Submission) -> Submission:
    (file_name,) = submission.tree.entries
    answer_file = ANSWER_FILES.get(PurePath(file_name).suffix)
    if case.whole_answer and answer_file and submission.output is not None:
        answer = read_answer(submission.name, submission.output, file=answer_file)
        return replace(submission, form=answer.form, tree=answer.tree, problem=answer.problem)
    return submission


def _fence(info: str, code: str) -> Fence:
    words = info.split(maxsplit=2)
    if not words:
        return Fence("", None, code)
    written, _, tail = words[0].partition(":")
    match = _LANGUAGE.match(written)
    language = match[1].lower() if match else ""
    return Fence(language, _path(info, words, tail), code)


def _path(info: str, words: list[str], tail: str) -> str | None:
    attribute = _ATTRIBUTE.search(info)
    if attribute:
        return attribute[1] or attribute[2] or attribute[3] or ""
    for candidate in (tail, *words[1:2], words[0] if "/" in words[0] else ""):
        if len(candidate) <= _LONGEST_PATH and _WORD.match(candidate) and _is_file_name(candidate):
            return candidate
    return None


def _is_file_name(word: str) -> bool:
    return "/" in word[:-1] or _ENDING.search(word) is not None


def _clean(written: str) -> str:
    """Return the path of a fence in the form that trees use. Raises AnswerRefused if no submission may have it."""
    path = written.removeprefix(f"{WORKSPACE}/")
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    problem = check_path(path)
    if problem is None and (not path.isprintable() or "\\" in path):
        problem = "holds a character that no path of a submission has"
    if problem is None and (len(path) > _LONGEST_PATH or any(len(p.encode()) > _LONGEST_NAME for p in path.split("/"))):
        problem = "is too long"
    if problem is None and path.partition("/")[0] == ".git":
        problem = "lies in the repository's own directory"
    if problem is not None:
        raise AnswerRefused(f"The answer names the file {written[:100]!r}, and that path {problem}.")
    return path


def _code(text: str, found: list[Fence], language: str | None, path: str) -> str:
    """Return the code for the path that the case gives, empty if there is none."""
    if not found:
        return text.replace("\r\n", "\n").strip("\n") + "\n"
    ending = path.rpartition(".")[2].lower()
    known = languages().get(language) if language else of_fence(ending)
    for wanted in (known.fences if known else frozenset({language or ending}), _UNNAMED):
        blocks = [fence.code for fence in found if fence.language in wanted]
        if blocks:
            return "\n".join(blocks)
    return found[0].code if len(found) == 1 and language is None else ""
