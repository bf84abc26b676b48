"""Which files a command names: the words of its arguments that are, or may be, paths in the workspace. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise, takewhile

from graders.model.plan import Step
from graders.model.tree import Tree
from graders.runners.command_line import in_workspace, is_interpreter, is_shell
from sandbox.types import WORKSPACE

_GLOB = re.compile(r"[*?\[]")
_OPERATORS = frozenset("();<>|&")
_REDIRECTION = re.compile(r"[<>&|]*[<>][<>&|]*")
_BEFORE_PROGRAM = re.compile(
    r"\w+=.*|npx|bunx|cross-env|env|timeout|nice|nohup|exec|time|command|uv|run|if|then|elif|else|while|until|do|!"
    r"|-[\w-]*|\d+(?:\.\d+)?[smhd]?",
    re.DOTALL,
)
# After it, a word is a line of its own; `bash -lc` is one.
_LINE_FOLLOWS = re.compile(r"-[a-z]*c")
_SUBSTITUTION = re.compile(r"[$<>]\(|`")
# With these it only looks at files, runs those of tests, or a program that is written there.
_RUNS_NO_FILE = frozenset({"--check", "--test", "-c", "-e", "--eval", "-p", "--print", "-m"})


def named_entries(steps: Iterable[Step], tree: Tree) -> frozenset[str]:
    """Return the entries of a tree that steps name, themselves or by a glob below a directory that is written out."""
    paths = {path for step in steps for path in named_paths(step.mentions, step.cwd)}
    globs = [glob.split("/") for glob in paths if _GLOB.search(glob) and not _GLOB.search(glob.partition("/")[0])]
    found = {path for path in paths if path in tree.entries}
    for path in tree.entries if globs else ():
        parts = path.split("/")
        if any(len(parts) == len(glob) and all(map(fnmatchcase, parts, glob)) for glob in globs):
            found.add(path)
    return frozenset(found)


def named_paths(arguments: Iterable[str], cwd: str = WORKSPACE) -> tuple[str, ...]:
    """Return the words of a command that may be paths in the workspace, relative to it or to the command's directory.

    Every word of an argument counts, so that ``sh -c "bash grading/run.sh x"`` and ``--config=grading/a.toml`` name
    their files too, as do a line within that line and the file part of ``grading/test_a.py::test_b``.
    """
    found: dict[str, None] = {}
    previous = ""
    for argument in arguments:
        # What follows is a module (python) or a marker (pytest), never a file.
        module, previous = previous == "-m", argument
        for word in () if module else _words_at_all_depths(argument):
            for part in (word, word.partition("=")[2], word.partition("::")[0]):
                for path in (in_workspace(part), in_workspace(f"{cwd}/{part}") if _is_relative(part) else None):
                    if path is not None:
                        found[path] = None
    return tuple(found)


def program_files(argv: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the same as `programs` for a command, and for what its line substitutes."""
    if not is_shell(argv):
        yield from _programs(argv)
        return
    pending = [*argv[2:3]]
    for line in pending:
        yield from programs(line)
        # A quoted word may hold a command.
        inner = (part.strip("()`\"' ") for word in _words(line)[1:] for part in _SUBSTITUTION.split(word)[1:])
        pending += [part for part in inner if len(part) < len(line)]


def programs(line: str) -> Iterator[tuple[str, ...]]:
    """Yield for each command of a shell line the words that may be the file of its program: the first that is one.

    The input of such a program is not among them: it may be what the candidate had to write.
    """
    return _programs(_words(line)[1:] or [line])


def _programs(words: Iterable[str]) -> Iterator[tuple[str, ...]]:
    command: list[str] = []
    redirected = False
    for word in (*words, ";"):
        if not _OPERATORS.issuperset(word):
            command += [] if redirected else [word]
            redirected = False
            continue
        redirected = _REDIRECTION.fullmatch(word) is not None
        if redirected:
            continue
        while command and _BEFORE_PROGRAM.fullmatch(command[0]):
            del command[0]
        options = takewhile(lambda word: word.startswith(("-", "+")) or word == "pipefail", command[1:])
        line = next((number for number, word in enumerate(options, 2) if _LINE_FOLLOWS.fullmatch(word)), None)
        if line is not None and is_shell(command):
            # Each depth of quotes makes a line shorter.
            yield from (found for inner in command[line : line + 1] for found in programs(inner))
        elif command and is_interpreter(command[0]):
            operands = list(takewhile(lambda option: option not in _RUNS_NO_FILE, command[1:]))
            if len(operands) == len(command) - 1:
                yield tuple(operand for operand in operands if not operand.startswith("-"))
        elif command:
            yield (command[0],)
        command = []


def _is_relative(part: str) -> bool:
    return bool(part) and not part.startswith("/")


def _words_at_all_depths(argument: str) -> Iterator[str]:
    words = _words(argument)
    yield from words
    for before, word in pairwise(words):
        if _LINE_FOLLOWS.fullmatch(before) and word != argument:
            yield from _words_at_all_depths(word)


def _words(argument: str) -> list[str]:
    if not any(character.isspace() for character in argument):
        return [argument]
    lexer = shlex.shlex(argument, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return [argument, *lexer]
    except ValueError:
        return [argument, *argument.split()]
