"""The protocol between the host and the item runner of a language. Pure.

A runner is one source text (`bundle`), passed as an argument of the interpreter, so no part of it is in the workspace.
It runs in the workspace as the candidate's user, with descriptor 3 open for its report.

**Stdin** is a sequence of parts. A part is a line ``NAME LENGTH``, LENGTH bytes of UTF-8, and a newline::

    program := token import* setup* item teardown*
    shared  := token shared import* setup* (next setup* item teardown*)* end teardown*

- ``token``: random hexadecimal digits that only the host and the runner know.
- ``import``: a requirement of the environment, one name (a module, for bash a command) or one line of source. The
  runner imports it before it can load modules of the workspace, so no file of a candidate can replace it.
- ``setup``, ``item``, ``teardown``: source, run in this order as one program in one namespace. The working directory is
  ``/workspace``, where Python also looks first for modules.
- ``shared``, ``end`` are empty. ``next`` begins one of many items that share a process, and holds that item's own
  token. Later items see its changes of state. A failing item does not stop the next one; an item that ends the process
  does. The setup before the first item and the teardown after the last belong to all items.

The runner reads all parts before it runs any, so their code finds stdin at its end.

**Descriptor 3** gets a line ``TOKEN`` when everything ended without an error. In a shared process, each item that ended
without an error first gets a line with its own token. ``TOKEN missing NAME`` reports an ``import`` that was not found,
and ``TOKEN image NAME PATH`` a module of the case that is built into the interpreter. A runner with controls (Python's)
replaces an item's token by ``TOKEN control WHAT`` if something that must fail passed after the item. An item that runs
apart may report more (`boundary_report`). The host ignores anything else on this descriptor. Before the runner loads
the candidate's code, it saves what it needs to send these lines and hides the descriptor from child processes. After
sending them it exits at once, without handlers or finalisers.

**Exit status**: 0 with the token, 1 after an error (its text is on stderr, without the runner's own frames), 90 when an
import is missing (stderr begins with ``missing import: NAME``). The candidate causes any other status. Every ordinary
way to end a program early with 0 (``exit``, ``sys.exit``, ``process.exit``) is an error too. So a process that ends
with 0 but without its token has deliberately bypassed the runner. An item in a process of its own passed if its token
was sent and the status is 0.

**Languages.** A bash part fails at the first command that fails at its top level, as under ``set -e``. Functions and
sourced files of the candidate may use other statuses than 0. Julia parts are evaluated in a module of their own.
A JavaScript or TypeScript program is one ES module with top-level ``await``. In a shared process, each item is a module
that begins with the common setup, and items share state by ``globalThis`` or by modules.

Code in the runner's process can, with effort, find the token in its memory. ``inside/python/guard.py`` describes how
far Python's runner hides it. A check that must withstand this belongs in a `code-grader`, which runs the candidate's
work in another process.
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
    # Sources that run before and after the item; blank ones are left out.
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
    in the order in which they run; blank ones are left out. `composed` is `Language.composed`.

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

    The runner sends `token` after all items; each program has a token of its own.

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
    """Return whether a program, or an item of a shared process, ended without an error.

    `token` is its token; `report` is everything that was written to descriptor 3.
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
    """Return a message that a module of the case was not judged, with a remedy. `taken` is its name and path."""
    name, _, path = taken.partition(" ")
    where = path.removeprefix(f"{WORKSPACE}/")
    return f"`{name}` is built into Python, so {where} was not imported; rename the file, or load it by its path"
