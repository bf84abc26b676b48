"""The table of interpreters, which run a file from their command line, such as `python3` and `bun run`. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from posixpath import basename
from typing import NamedTuple

from gradebox.sandbox.records import dataclass

SHELLS = frozenset({"sh", "bash", "dash", "ash"})
_VERSION = re.compile(r"(?<=python)[\d.]+$|(?<=pypy)\d$")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The syntax of one interpreter."""

    values: frozenset[str] = frozenset()  # Options whose value is the next word.
    # Options and first words with which it runs no file, but a text, tests or a package.
    no_file: frozenset[str] = frozenset()
    subcommands: frozenset[str] = frozenset()  # First words that precede a file.
    modules: frozenset[str] = frozenset()  # Options before a Python module.


def _known(values: str = "", no_file: str = "", subcommands: str = "", modules: str = "") -> Interpreter:
    return Interpreter(*(frozenset(words.split()) for words in (values, no_file, subcommands, modules)))


INTERPRETERS: Mapping[str, Interpreter] = {
    **dict.fromkeys(SHELLS, _known("-o -eo -uo -euo -euxo +o -O +O --rcfile --init-file", "-s")),
    **dict.fromkeys(
        ("python", "pypy"), _known("-W -X --check-hash-based-pycs", "-c -h --help -V --version", modules="-m")
    ),
    **dict.fromkeys(
        ("node", "nodejs"),
        _known(
            "-r --require --import --loader --experimental-loader -C --conditions --title --env-file --input-type "
            "--test-reporter --test-reporter-destination",
            "-e --eval -p --print -c --check --test --run -i --interactive",
        ),
    ),
    "bun": _known(
        "-r --preload --require --import --cwd -c --config --env-file -d --define -l --loader --conditions",
        "-e --eval -p --print test install i ci add a remove rm update outdated link unlink pm publish build init "
        "create c upgrade repl exec audit why info patch",
        "run",
    ),
    "deno": _known(
        "-c --config --import-map --lock --cert --env-file",
        "test eval fmt lint check install add remove task repl cache bench compile doc info types upgrade",
        "run serve",
    ),
    "tsx": _known("--tsconfig -r --require --import", "-e --eval -p --print --test", "watch"),
    "ts-node": _known("-r --require -P --project -O --compiler-options -I --ignore", "-e --eval -p --print -i"),
    "julia": _known(
        "-C --cpu-target -H --home -J --sysimage -L --load -p --procs -t --threads", "-e --eval -E --print -m"
    ),
    "ruby": _known("-r -I -C", "-e -c"),
    "perl": _known("-I -M", "-e -E -c"),
    "php": _known("-c -d", "-r -l"),
    "lua": _known("-l", "-e"),
    "Rscript": _known(no_file="-e"),
}
"""Interpreters by the name of the program, without a version."""


class Operands(NamedTuple):
    """The file or module that an interpreter runs."""

    files: tuple[str, ...] = ()  # The words that may be the file: the first, unless it is the value of an option.
    module: str = ""  # A Python module.


def interpreter(program: str) -> Interpreter | None:
    """Return the syntax of a program that is an interpreter, None for another program."""
    return INTERPRETERS.get(_VERSION.sub("", basename(program)))


def run(words: Sequence[str], known: Interpreter) -> Operands:
    """Return the file or module that an interpreter runs, from the words of its command."""
    place, ends, may_be_subcommand = 1, False, True
    while place < len(words):
        word = words[place]
        if word in known.modules and not ends:
            return Operands(module="".join(words[place + 1 : place + 2]))
        if word in known.no_file and not ends:
            return Operands()
        if word.startswith(("-", "+")) and not ends:
            ends = word == "--"
            place += 2 if word in known.values else 1
        elif word in known.subcommands and may_be_subcommand:
            place, may_be_subcommand = place + 1, False
        else:
            break
    return Operands(tuple(word for word in words[place:] if not word.startswith("-")))
