"""The protocol between the host and the item runner of a language. Pure.

A runner is one source text (`bundle`). It is an argument of the interpreter, so none of it is in the workspace. It runs
in the workspace as the candidate's user, with descriptor 3 open for its report.

**Stdin** is a sequence of parts, then end of file. A part is a line ``NAME LENGTH``, LENGTH bytes of UTF-8, a newline::

    program := token import* setup* item teardown*
    shared  := token shared import* setup* (next setup* item teardown*)* end teardown*

- ``token``: random hexadecimal digits, not known to anything but the host and the runner.
- ``import``: a requirement of the environment, one name (a module, for bash a command) or one line of source. It is
  imported before modules of the workspace can be, so no file of a candidate can replace it.
- ``setup``, ``item``, ``teardown``: source, run in this order as one program in one namespace, ``/workspace`` being the
  working directory and, in Python, the first place that modules are looked for in.
- ``shared``, ``end`` are empty. ``next`` begins one item of many that share a process, and carries that item's own
  token. Later items see the state that it sets up. An item that fails does not stop the next, one that ends the process
  does. The setup before the first and the teardown after the last belong to all of them.

The runner reads all parts before it runs any, so the parts find stdin at its end.

**Descriptor 3** gets a line ``TOKEN`` when everything ended without an error, and in a shared process first a line with
an item's own token for each item that did. It gets ``TOKEN missing NAME`` if what an ``import`` names cannot be found
at all, and ``TOKEN image NAME PATH`` if a module that the case has is built into the interpreter. Where a runner has
controls of its own (Python's has), it gets ``TOKEN control WHAT`` in place of the item's token if something passed
after the item that must fail. An item that runs apart may report more (`boundary_report`). Nothing else on it means
anything. The runner takes what it needs for this before it
loads the candidate's code, keeps the descriptor from child processes, and exits at once afterwards, without handlers or
finalisers.

**Exit status**: 0 with the token, 1 after an error (its text is on stderr, without the runner's own frames), 90 when an
import is missing (stderr begins with ``missing import: NAME``). Anything else comes from the candidate. Every ordinary
way to end a program early with 0 (``exit``, ``sys.exit``, ``process.exit``) is an error too. So a process that ends
with 0 and without its token has deliberately avoided this. An item in a process of its own passed if its token was sent
and the status is 0.

**Languages.** A bash part fails at the first command that fails at its top level, as under ``set -e``; in functions
and sourced files a status other than 0 is the candidate's to use. Julia parts are evaluated in a module of their own.
A JavaScript or TypeScript program is one ES module with top-level ``await``; where many share a process each item is a
module, with the setup of all in front of it, and what one leaves for the next is in ``globalThis`` or in modules.

Code in the runner's process can, with effort, find the token in its memory; ``inside/python/guard.py`` says how far
Python's hides it. A check that must withstand this belongs in a `code-grader` that runs the candidate's work as another
process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from gradebox.sandbox.types import WORKSPACE

MISSING_IMPORT_STATUS = 90

Composed = Callable[[Iterable[tuple[str, str]]], Iterable[tuple[str, str]]]
"""Converts the parts of a program for the runner of a language."""

_TOKEN = re.compile(r"[0-9a-f]{16,128}")


class Program(NamedTuple):
    """One item of a shared process."""

    token: str  # Its own.
    item: str  # Its source.
    # Sources around it; blank ones are left out.
    setup: Sequence[str] = ()
    teardown: Sequence[str] = ()


def encode(
    token: str,
    *,
    item: str,
    imports: Iterable[str] = (),
    setup: Iterable[str] = (),
    teardown: Iterable[str] = (),
    composed: Composed = iter,
) -> bytes:
    """Return the stdin of a runner for one item in a process of its own.

    The token is new for every run: `secrets.token_hex(16)`. Imports are names or lines. Setup and teardown are sources
    in the order in which they run; blank ones are left out. `composed` is that of the language.

    Raises ValueError if the token is invalid, or a source holds a NUL or half a surrogate pair, which no language
    allows.
    """
    parts = (*_begin(token), *_each("import", imports), *_around(setup, item, teardown))
    return b"".join(_part(name, content) for name, content in composed(parts))


def encode_shared(
    token: str,
    programs: Iterable[Program],
    *,
    imports: Iterable[str] = (),
    setup: Iterable[str] = (),
    teardown: Iterable[str] = (),
    composed: Composed = iter,
) -> bytes:
    """Return the stdin of a runner for many items in one process, in order.

    The token is sent at the end of all; each program has its own.

    Raises:
        ValueError: As for `encode`.
    """
    parts = [*_begin(token), ("shared", ""), *_each("import", imports), *_each("setup", setup)]
    for program in programs:
        _check_token(program.token)
        parts += [("next", program.token), *_around(program.setup, program.item, program.teardown)]
    parts += [("end", ""), *_each("teardown", teardown)]
    return b"".join(_part(name, content) for name, content in composed(parts))


def completed(token: str, report: bytes) -> bool:
    """Return whether the program or item with this token ended without an error.

    The token is that of the program, or of one item of a shared process. The report is all that was written to
    descriptor 3.
    """
    return token.encode() in report.split(b"\n")


def controls(token: str, report: bytes) -> tuple[str, ...]:
    """Return the controls that passed but must fail, as the runner reported them after an item."""
    start = f"{token} control ".encode()
    lines = (line for line in report.split(b"\n") if line.startswith(start))
    return tuple(dict.fromkeys(line[len(start) :].decode("utf-8", "replace")[:300] for line in lines))


def missing_import(token: str, report: bytes, word: str = "missing") -> str | None:
    """Return the import that the environment lacks, None if the runner found all imports.

    With ``image`` as the word, return the name and path of a case's module that a module of the image replaced.
    """
    for line in report.split(b"\n"):
        if line.startswith(f"{token} {word} ".encode()):
            return line.decode("utf-8", "replace").partition(f" {word} ")[2]
    return None


def _begin(token: str) -> Iterator[tuple[str, str]]:
    _check_token(token)
    yield "token", token


def _each(name: str, sources: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((name, source) for source in sources if source.strip())


def _around(setup: Iterable[str], item: str, teardown: Iterable[str]) -> Iterator[tuple[str, str]]:
    yield from _each("setup", setup)
    yield "item", item
    yield from _each("teardown", teardown)


def _check_token(token: str) -> None:
    if not _TOKEN.fullmatch(token):
        raise ValueError(f"{token!r} is not a token: 16 to 128 hexadecimal digits.")


def _part(name: str, content: str) -> bytes:
    if "\0" in content:
        raise ValueError(f"The {name} {content[:80]!r} holds a NUL.")
    encoded = content.encode()
    return b"%s %d\n%s\n" % (name.encode(), len(encoded), encoded)


def built_in(taken: str) -> str:
    """Return a message that a module of the case was not judged, and the remedy. `taken` is its name and path."""
    name, _, path = taken.partition(" ")
    where = path.removeprefix(f"{WORKSPACE}/")
    return f"`{name}` is built into Python, so {where} was not imported; rename the file, or load it by its path"
