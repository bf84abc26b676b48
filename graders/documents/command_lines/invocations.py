"""Finds every program that a command starts, and the file that each of them runs. Pure.

A line for a shell is read loosely: each of its commands counts, whatever joins them, and so do lines within that line
and what it substitutes. What a program reads, as from a here-document, is not a file that it runs.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from posixpath import join

from gradebox.graders.documents.command_lines import launchers
from gradebox.graders.documents.command_lines.command_line import line_of, plain_command
from gradebox.graders.documents.command_lines.interpreters import interpreter, run
from gradebox.sandbox.records import dataclass

_OPERATORS = "();<>|&\n"
_REDIRECTION = re.compile(r"[<>&|]*[<>][<>&|]*")
_RESERVED = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "{"})
_SUBSTITUTION = re.compile(r"[$<>]\(|`")
_HERE_DOCUMENT = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1([^\n]*)\n.*?^\t*\2$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Invocation:
    """One program that a command starts."""

    words: tuple[str, ...]  # The program and what follows.
    launchers: tuple[str, ...] = ()  # The programs that start it, the outermost first.
    # The words that may be the file that it runs: the first that is a file.
    files: tuple[str, ...] = ()
    module: str = ""  # The module of Python that it runs.
    reads: bool = False  # Whether the file is read by an interpreter, and need not be executable.
    directory: str = ""  # Where a line has changed to before, relative to where the command runs.


def invocations(argv: Sequence[str]) -> Iterator[Invocation]:
    """Yield the programs that a command starts; of a shell with a line, those of the line."""
    found = _read(argv)
    if found is not None:
        line = line_of(found.words)
        yield from [found] if line is None else invocations_of_line(line)


def invocations_of_line(line: str) -> Iterator[Invocation]:
    """Yield the programs that a line for a shell starts."""
    words = words_of(_HERE_DOCUMENT.sub(r"\3", line.replace("\\\n", " ")))
    for directory, command in _commands(words):
        for found in invocations(command):
            yield replace(found, directory=join(directory, found.directory).rstrip("/"))
    # Each depth makes a line shorter. A quoted word may hold a command, too.
    inner = (part.strip("()`\"' ") for word in words for part in _SUBSTITUTION.split(word)[1:])
    for part in inner:
        if part and len(part) < len(line):
            yield from invocations_of_line(part)


def only_invocation(argv: Sequence[str]) -> Invocation | None:
    """Return the one program that a command starts, None if it is a line that is not certain to start only this."""
    plain = plain_command(argv)
    found = plain and _read(plain.words)
    if plain is None or found is None or line_of(found.words) is not None:
        return found and only_invocation(found.words)
    return replace(found, directory=plain.directory)


def words_of(line: str) -> list[str]:
    """Return the words and the operators of a line; the words as far as blanks go if its quotes do not match."""
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
        # A directory that a subshell has changed to is left at its end.
        directory = "" if ")" in word else _entered(directory, command)
        command = []


def _entered(directory: str, command: list[str]) -> str:
    """Return the directory after a command; one that only the shell knows changes nothing."""
    if len(command) != 2 or command[0] != "cd" or command[1].startswith(("-", "~")) or "$" in command[1]:
        return directory
    return join(directory, command[1])


def _read(words: Sequence[str]) -> Invocation | None:
    """Return the program behind the launchers of a command, None if they start none."""
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
