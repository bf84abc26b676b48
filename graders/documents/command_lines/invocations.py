"""Finds every program that a command starts, and the file that each of them runs. Pure.

A shell line is parsed loosely: all its commands count, whatever joins them, also those in nested shell lines and in
substitutions. Input that a program reads, as from a here-document, is not a file that it runs.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from posixpath import join

from gradebox.graders.documents.command_lines import launchers
from gradebox.graders.documents.command_lines.command_line import line_of, plain_command
from gradebox.graders.documents.command_lines.interpreters import interpreter, run
from gradebox.sandbox.records import dataclass

_OPERATORS = "();<>|&\n"
_REDIRECTION = re.compile(r"[<>&|]*[<>][<>&|]*")
_RESERVED = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "{"})
# What opens, closes and quotes a command within another one.
_MARK = re.compile(r"""\\.|["'()]|\$\(""", re.DOTALL)
_DEEPEST = 50
_SUBSTITUTION = re.compile(r"[$<>]\(|`")
_HERE_DOCUMENT = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1([^\n]*)\n.*?^\t*\2$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Invocation:
    """One program that a command starts."""

    words: tuple[str, ...]  # The program and the words after it.
    launchers: tuple[str, ...] = ()  # The programs that start it, the outermost first.
    # Words that may be the file that the program runs: the first one that is a file.
    files: tuple[str, ...] = ()
    module: str = ""  # The Python module that it runs.
    reads: bool = False  # Whether an interpreter reads the file, which then need not be executable.
    directory: str = ""  # The directory that the line has changed to, relative to that of the command.


def invocations(argv: Sequence[str]) -> Iterator[Invocation]:
    """Yield the programs that a command starts. For a shell with a line, yield those of the line."""
    found = _read(argv)
    if found is not None:
        line = line_of(found.words)
        yield from [found] if line is None else invocations_of_line(line)


def invocations_of_line(line: str) -> Iterator[Invocation]:
    """Yield the programs that a shell line starts."""
    rest, nested = _without_substitutions(_HERE_DOCUMENT.sub(r"\3", line.replace("\\\n", " ")))
    words = words_of(rest)
    for directory, command in _commands(words):
        for found in invocations(command):
            yield replace(found, directory=join(directory, found.directory).rstrip("/"))
    # Each level of nesting makes the line shorter. A quoted word may also contain a command.
    inner = (part.strip("()`\"' ") for word in words for part in _SUBSTITUTION.split(word)[1:])
    for part in chain(nested, inner):
        if part and len(part) < len(line):
            yield from invocations_of_line(part)


def _without_substitutions(line: str) -> tuple[str, list[str]]:
    """Return a line with a variable in place of each `$(...)`, and their texts, which have quotes of their own."""
    rest, found, kept, place = [], [], 0, 0
    # Where each parenthesis began, and whether that was within double quotes.
    opened: list[tuple[int, bool]] = []
    quoted = False
    while (mark := _MARK.search(line, place)) and len(opened) < _DEEPEST:
        place, text = mark.end(), mark[0]
        if text == "'" and not quoted:
            place = line.find("'", place) + 1 or len(line)
        elif text == '"':
            quoted = not quoted
        elif text == "$(" or (text == "(" and opened and not quoted):
            opened.append((mark.start(), quoted))
            quoted = False
        elif text == ")" and opened and not quoted:
            start, quoted = opened.pop()
            if not opened:
                rest.append(f"{line[kept:start]}$_")
                found.append(line[start + 2 : mark.start()])
                kept = place
    return (line, []) if opened else ("".join(rest) + line[kept:], found)


def only_invocation(argv: Sequence[str]) -> Invocation | None:
    """Return the program that a command starts, None for a line that may start more than one."""
    plain = plain_command(argv)
    found = plain and _read(plain.words)
    if plain is None or found is None or line_of(found.words) is not None:
        return found and only_invocation(found.words)
    return replace(found, directory=plain.directory)


def words_of(line: str) -> list[str]:
    """Return the words and operators of a line. If its quotes do not match, split it at blanks."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace_split = True
    lexer.whitespace = " \t\r"
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        return line.split()


def _commands(words: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the directory and the words of each command of a line."""
    directory, command, redirected = "", [], False
    for word in (*words, ";"):
        if not set(_OPERATORS).issuperset(word):
            command += [] if redirected else [word]
            redirected = False
            continue
        redirected = _REDIRECTION.fullmatch(word) is not None
        if redirected:
            continue
        while command and (command[0] in _RESERVED or launchers.ASSIGNMENT.fullmatch(command[0])):
            del command[0]
        if command:
            yield directory, command
        # A subshell's change of the directory ends with the subshell.
        directory = "" if ")" in word else _entered(directory, command)
        command = []


def _entered(directory: str, command: list[str]) -> str:
    """Return the directory after a command; a `cd` to a directory that only the shell knows is ignored."""
    if len(command) != 2 or command[0] != "cd" or command[1].startswith(("-", "~")) or "$" in command[1]:
        return directory
    return join(directory, command[1])


def _read(words: Sequence[str]) -> Invocation | None:
    """Return the program after the launchers of a command, None if there is none."""
    start = launchers.start(words)
    rest = tuple(words[start.place :])
    if not rest:
        return None
    if start.is_module:
        return Invocation(("python3", "-m", *rest), start.names, module=rest[0])
    known = interpreter(rest[0])
    if known is not None:
        ran = run(rest, known)
        return Invocation(rest, start.names, ran.files, ran.module, reads=True)
    scripts = tuple(each.scripts for each in start.launchers[-1:] if each.scripts)
    return Invocation(rest, start.names, rest[:1], reads=rest[0].endswith(scripts))
