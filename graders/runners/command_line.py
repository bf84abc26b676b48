"""Where in a command its program is: behind `env`, `timeout` and `uv run`, or in a line for a shell. Pure.

A line is understood only as far as nothing can be mistaken: one simple command. `cd DIRECTORY &&` and assignments may
stand before it, words may hold variables and globs, and stdout and stderr may be redirected. What else a shell can do
(pipes, lists, substitutions, stdin from elsewhere) makes a line one that is run as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import basename, normpath

from sandbox.archive import check_path
from sandbox.records import dataclass
from sandbox.types import WORKSPACE

_SHELLS = frozenset({"sh", "bash", "dash", "ash"})
_SHELL_OPTIONS = re.compile(r"-[elux]*c")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_INTERPRETER = re.compile(
    r"(?:\S*/)?(?:node|nodejs|bun|deno|tsx|ts-node|sh|dash|bash|python[\d.]*|pypy\d?|julia|ruby|perl|php|lua|Rscript)"
)
# What begins a construct of the shell, not a command.
_RESERVED = frozenset({"!", "{", "}", "[[", "if", "for", "while", "until", "case", "function", "select", "time"})
# Whatever a shell would not take as it stands; a variable by a name is no more than text to us.
_UNCLEAR = re.compile(r"[`\n]|\$[^A-Za-z_{]|\$\{[^A-Za-z_]|\$$")
_REDIRECTION = re.compile(r"[12]?>>?(?:&[12](?=\s|$)|[ \t]*(?=[^\s&|<>();]))")
_PIECE = re.compile(
    r"""(?P<single>'[^']*')|(?P<double>"(?:[^"\\]|\\.)*")|(?P<escaped>\\.)|(?P<bare>[^\s'"\\;|&()<>]+)""", re.DOTALL
)
_BLANKS = re.compile(r"(?:[ \t]|\\\n)*")
_EXPANDED = re.compile(r"[$*?\[{~]")
_DURATION = re.compile(r"\d+(\.\d+)?[smhd]?")


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a line."""

    text: str  # Unquoted, not expanded.
    # Where it is written.
    start: int
    end: int
    plain: bool = True  # Whether the shell makes nothing else of it.
    joined: bool = True  # Whether nothing but blanks lies between it and the word before it.


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command taken apart."""

    before: tuple[str, ...]  # Words before its program, as they are run; empty for a shell's line.
    words: tuple[str, ...]  # Its program and what follows.
    shell: tuple[str, ...] = ()  # The shell and its options, empty if it is no line for a shell.
    text: str = ""  # The line.
    tokens: tuple[Token, ...] = ()  # Of `words`, in the line.
    assignments: tuple[Token, ...] = ()  # Names of the variables set before the program, with their places in the line.

    def is_plain(self, count: int) -> bool:
        """Say whether the first words are what they seem, and nothing stands between them."""
        head = self.tokens[:count]
        return all(token.plain for token in head) and all(token.joined for token in head[1:])

    def refers_to(self, name: str) -> bool:
        """Say whether the line takes the value of a variable."""
        return re.search(rf"\$\{{?{re.escape(name)}\b", self.text) is not None

    def rewritten(self, count: int, renamed: Mapping[str, str]) -> str:
        """Return the line with ``"$@"`` in place of the first words, and with some variables under other names."""
        first, last = self.tokens[0], self.tokens[count - 1]
        text = f'{self.text[: first.start]}"$@"{self.text[last.end :]}'
        for token in reversed(self.assignments):
            text = f"{text[: token.start]}{renamed.get(token.text, token.text)}{text[token.end :]}"
        return text


def locate(argv: Sequence[str]) -> CommandLine | None:
    """Return a command with its program found, None if it is a line that is not understood."""
    if is_shell(argv):
        return _in_line(argv)
    start = _program(argv)
    return CommandLine(tuple(argv[:start]), tuple(argv[start:])) if start < len(argv) else None


def is_interpreter(program: str) -> bool:
    """Say whether a program runs the file that it is given."""
    return _INTERPRETER.fullmatch(program) is not None


def is_shell(argv: Sequence[str]) -> bool:
    """Say whether a command is a shell with options, such as ``sh -c LINE``."""
    return basename(argv[0]) in _SHELLS and len(argv) > 1 and argv[1].startswith("-")


def _in_line(argv: Sequence[str]) -> CommandLine | None:
    if len(argv) != 3 or not _SHELL_OPTIONS.fullmatch(argv[1]):
        return None
    text = argv[2].strip()
    tokens = _tokens(text)
    if tokens is None:
        return None
    assignments = []
    start = 0
    while start < len(tokens) and (found := _ASSIGNMENT.match(text[tokens[start].start : tokens[start].end])):
        assignments.append(_name(tokens[start], found[1]))
        start += 1
    words = [token.text for token in tokens]
    if start < len(words) and words[start] == "exec":
        start += 1
    program = start + _program(words[start:])
    assignments += [
        _name(token, found[1]) for token in tokens[start:program] if (found := _ASSIGNMENT.match(token.text))
    ]
    if program >= len(tokens) or words[start] in _RESERVED or not all(token.plain for token in tokens[start:program]):
        return None
    return CommandLine((), tuple(words[program:]), tuple(argv[:2]), text, tuple(tokens[program:]), tuple(assignments))


def _name(token: Token, name: str) -> Token:
    return Token(name, token.start, token.start + len(name))


def _program(words: Sequence[str]) -> int:
    """Return where the program is that `env`, `timeout` and `uv run` run, 0 if none of them does."""
    place = 0
    while place < len(words):
        match basename(words[place]):
            case "env":
                place += 1
                while place < len(words) and _ASSIGNMENT.fullmatch(words[place]):
                    place += 1
            case "timeout":
                place += 1
                while place < len(words) and words[place].startswith("-"):
                    place += 2 if words[place] in ("-k", "-s") else 1
                if place >= len(words) or not _DURATION.fullmatch(words[place]):
                    return len(words)
                place += 1
            case "uv" if words[place + 1 : place + 2] in (["run"], ("run",)):
                place += 2
                while place < len(words) and words[place].startswith("-"):
                    place += 1
            case _:
                break
    return place


def _tokens(text: str) -> list[Token] | None:
    """Return the words of the one simple command of a line, None if it is not one."""
    if _UNCLEAR.search(text.replace("\\\n", " ")):
        return None
    found = list(_read(text))
    ends = [number for number, token in enumerate(found) if token is None]
    if not ends:
        return [token for token in found if token is not None]
    # All that may be joined to the command is a change of the directory before it.
    first = found[0]
    if ends != [2] or first is None or first.text != "cd" or not first.plain:
        return None
    return [token for token in found[3:] if token is not None]


def _read(text: str) -> Iterator[Token | None]:
    """Yield the words of a line, None where one command ends and another begins; redirections are left out."""
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
    """Return the word that begins at a place, None if there is none that can be read."""
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
