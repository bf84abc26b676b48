"""Finds the program of a command: after launchers, or in a line for a shell. Pure.

A line is parsed only if it is unambiguous: one simple command. `cd DIRECTORY &&` and assignments may precede the
command, words may contain variables and globs, and stdout and stderr may be redirected. A line with other features of
a shell (pipes, lists, substitutions, redirected stdin) is not parsed, and runs unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from posixpath import basename, normpath
from typing import NamedTuple

from gradebox.graders.documents.command_lines.interpreters import SHELLS
from gradebox.graders.documents.command_lines.launchers import ASSIGNMENT, start
from gradebox.sandbox.archive import check_path
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import WORKSPACE

LINE_FOLLOWS = re.compile(r"-[a-z]*c")
"""An option such as the `-lc` of `bash -lc`: the next word is itself a command line."""

_SHELL_OPTIONS = re.compile(r"-[elux]*c")
# Words that begin a construct of the shell, not a command.
_RESERVED = frozenset({"!", "{", "}", "[[", "if", "for", "while", "until", "case", "function", "select", "time"})
# Substitutions and line breaks, which the shell acts on. A variable with a plain name counts as text here.
_UNCLEAR = re.compile(r"[`\n]|\$[^A-Za-z_{]|\$\{[^A-Za-z_]|\$$")
_REDIRECTION = re.compile(r"[12]?>>?(?:&[12](?=\s|$)|[ \t]*(?=[^\s&|<>();]))")
_PIECE = re.compile(
    r"""(?P<single>'[^']*')|(?P<double>"(?:[^"\\]|\\.)*")|(?P<escaped>\\.)|(?P<bare>[^\s'"\\;|&()<>]+)""", re.DOTALL
)
_BLANKS = re.compile(r"(?:[ \t]|\\\n)*")
_EXPANDED = re.compile(r"[$*?\[{~]")


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a line."""

    text: str  # Without quotes, not expanded.
    # Where it begins and ends in the line.
    start: int
    end: int
    plain: bool = True  # Whether the shell expands nothing in it.
    joined: bool = True  # Whether only blanks separate it from the word before it.


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command split into its parts."""

    before: tuple[str, ...]  # The words before the program; empty for a shell line.
    words: tuple[str, ...]  # The program and the words after it.
    shell: tuple[str, ...] = ()  # The shell and its options; empty without a shell line.
    text: str = ""  # The shell line.
    tokens: tuple[Token, ...] = ()  # The tokens of `words` in the line.
    assignments: tuple[Token, ...] = ()  # The names of variables set before the program, with their places in the line.

    def is_plain(self, count: int) -> bool:
        """Return whether the shell expands nothing in the first words, and only blanks separate them."""
        head = self.tokens[:count]
        return all(token.plain for token in head) and all(token.joined for token in head[1:])

    def refers_to(self, name: str) -> bool:
        """Return whether the line uses the value of a variable."""
        return re.search(rf"\$\{{?{re.escape(name)}\b", self.text) is not None

    def rewritten(self, count: int, renamed: Mapping[str, str]) -> str:
        """Return the line with ``"$@"`` in place of the first words, and with some assigned variables renamed."""
        first, last = self.tokens[0], self.tokens[count - 1]
        text = f'{self.text[: first.start]}"$@"{self.text[last.end :]}'
        for token in reversed(self.assignments):
            text = f"{text[: token.start]}{renamed.get(token.text, token.text)}{text[token.end :]}"
        return text


class PlainCommand(NamedTuple):
    """The words of one command, and its directory relative to that of the shell that runs it."""

    words: tuple[str, ...]
    directory: str = ""


def locate(argv: Sequence[str]) -> CommandLine | None:
    """Split a command at its program. Return None for a line that cannot be parsed."""
    if line_of(argv) is not None:
        return _in_line(argv)
    place = start(argv, transparent=True).place
    return CommandLine(tuple(argv[:place]), tuple(argv[place:])) if place < len(argv) else None


def line_of(words: Sequence[str]) -> str | None:
    """Return the line that a command passes to a shell, None if it is not such a command."""
    if not words or basename(words[0]) not in SHELLS:
        return None
    options = takewhile(lambda word: word.startswith(("-", "+")) or word == "pipefail", words[1:])
    place = next((number for number, word in enumerate(options, 2) if LINE_FOLLOWS.fullmatch(word)), None)
    return None if place is None else "".join(words[place : place + 1])


def plain_command(argv: Sequence[str]) -> PlainCommand | None:
    """Return the simple command in a shell line, with its launchers, or any other command unchanged.

    None if the line is not one simple command, or the shell expands some of its words.
    """
    if line_of(argv) is None:
        return PlainCommand(tuple(argv))
    simple = _simple_line(argv)
    if simple is None or not simple.tokens or not all(token.plain for token in simple.tokens):
        return None
    words = tuple(token.text for token in simple.tokens)
    return None if words[0] in _RESERVED else PlainCommand(words, simple.directory)


def _in_line(argv: Sequence[str]) -> CommandLine | None:
    simple = _simple_line(argv)
    if simple is None:
        return None
    words = [token.text for token in simple.tokens]
    place = start(words, transparent=True).place
    launchers = simple.tokens[:place]
    if place >= len(words) or words[0] in _RESERVED or not all(token.plain for token in launchers):
        return None
    set_there = [_name(token, name[1]) for token in launchers if (name := ASSIGNMENT.match(token.text))]
    assignments = (*simple.assignments, *set_there)
    return CommandLine((), tuple(words[place:]), tuple(argv[:2]), simple.text, simple.tokens[place:], assignments)


class _SimpleLine(NamedTuple):
    """A line that is one simple command."""

    text: str
    directory: str
    assignments: tuple[Token, ...]
    tokens: tuple[Token, ...]


def _simple_line(argv: Sequence[str]) -> _SimpleLine | None:
    if len(argv) != 3 or not _SHELL_OPTIONS.fullmatch(argv[1]):
        return None
    text = argv[2].strip()
    found = _tokens(text)
    if found is None:
        return None
    directory, tokens = found
    assignments = []
    while tokens and (name := ASSIGNMENT.match(text[tokens[0].start : tokens[0].end])):
        assignments.append(_name(tokens.pop(0), name[1]))
    return _SimpleLine(text, directory, tuple(assignments), tuple(tokens))


def _name(token: Token, name: str) -> Token:
    return Token(name, token.start, token.start + len(name))


def _tokens(text: str) -> tuple[str, list[Token]] | None:
    """Return the directory that a line changes to and the words of its one simple command, None if it is not one."""
    if _UNCLEAR.search(text.replace("\\\n", " ")):
        return None
    found = list(_read(text))
    ends = [number for number, token in enumerate(found) if token is None]
    if not ends:
        return "", [token for token in found if token is not None]
    # Only a change of the directory may be joined to the command.
    first, directory = found[:2] if ends == [2] else (None, None)
    if first is None or directory is None or first.text != "cd" or not first.plain:
        return None
    return directory.text, [token for token in found[3:] if token is not None]


def _read(text: str) -> Iterator[Token | None]:
    """Yield the words of a line, and None between two commands. Redirections are left out."""
    position, joined = _skip(text, 0), True
    while position < len(text):
        redirection = _REDIRECTION.match(text, position)
        if redirection:
            position = redirection.end()
            if "&" not in redirection[0]:
                target = _word(text, position)
                position = target.end if target else position
            joined = False
        elif text.startswith("&&", position):
            yield None
            position, joined = position + 2, True
        else:
            token = _word(text, position)
            if token is None or (token.text.isdigit() and text.startswith(">", token.end)):
                yield from (None, None)
                return
            yield Token(token.text, token.start, token.end, token.plain, joined)
            position, joined = token.end, True
        position = _skip(text, position)


def _skip(text: str, position: int) -> int:
    blanks = _BLANKS.match(text, position)
    return blanks.end() if blanks else position


def _word(text: str, start: int) -> Token | None:
    """Return the word that begins at a position, None if none can be parsed there."""
    if text[start] == "#":
        return None
    parts, plain, position = [], True, start
    while position < len(text) and (piece := _PIECE.match(text, position)):
        written = piece[0]
        match piece.lastgroup:
            case "single":
                parts.append(written[1:-1])
            case "double":
                parts.append(re.sub(r'\\([$`"\\])', r"\1", written[1:-1]))
                plain = plain and "$" not in written
            case "escaped":
                parts.append("" if written == "\\\n" else written[1])
            case _:
                parts.append(written)
                plain = plain and not _EXPANDED.search(written)
        position = piece.end()
    return Token("".join(parts), start, position, plain) if position > start else None


def in_workspace(word: str) -> str | None:
    """Return a word as a path below the workspace, None if it cannot be one."""
    word = word.removeprefix(f"{WORKSPACE}/")
    if not word or word.startswith("/") or "\0" in word:
        return None
    path = normpath(word)
    return None if check_path(path) else path
