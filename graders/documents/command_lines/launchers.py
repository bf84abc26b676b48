"""The table of launchers, which start the program named after them, such as `env`, `timeout` and `uv run`. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from posixpath import basename
from typing import NamedTuple

from gradebox.sandbox.records import dataclass

ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Launcher:
    """The syntax of one launcher."""

    values: frozenset[str] = frozenset()  # Options whose value is the next word.
    operands: int = 0  # The number of its own operands before the program.
    assigns: bool = False  # Whether NAME=VALUE may precede the program.
    # The suffix of files that it runs with Python, and the options before a Python module.
    scripts: str = ""
    modules: frozenset[str] = frozenset()
    # Whether the program gets the launcher's descriptors and environment, and options that prevent it.
    transparent: bool = True
    opaque: frozenset[str] = frozenset()
    of_packages: bool = False  # Whether it runs a package's program with Node.js.


def _values(options: str) -> frozenset[str]:
    return frozenset(options.split())


_UV = Launcher(
    _values(
        "--with --with-requirements --with-editable --python -p --project --directory --extra --group --env-file "
        "--index-url --extra-index-url --package"
    ),
    scripts=".py",
    modules=frozenset({"-m", "--module"}),
    opaque=frozenset({"-m", "--module"}),
)
_UV_TOOL = Launcher(_values("--from --with --python -p"), transparent=False)
_ENVIRONMENT = Launcher()
_PACKAGES = Launcher(_values("-p --package"), transparent=False, of_packages=True)
# This one may run the program with Bun.
_BUN_PACKAGES = Launcher(_values("-p --package"), transparent=False)

LAUNCHERS: Mapping[tuple[str, ...], Launcher] = {
    ("env",): Launcher(
        _values("-u --unset -C --chdir"), assigns=True, opaque=_values("- -i --ignore-environment -S --split-string")
    ),
    ("cross-env",): Launcher(assigns=True, transparent=False),
    ("timeout",): Launcher(_values("-k --kill-after -s --signal"), operands=1),
    ("nice",): Launcher(_values("-n --adjustment")),
    ("ionice",): Launcher(_values("-c --class -n --classdata")),
    ("taskset",): Launcher(operands=1),
    ("nohup",): Launcher(),
    ("setsid",): Launcher(),
    ("stdbuf",): Launcher(_values("-i -o -e --input --output --error")),
    ("time",): Launcher(_values("-f --format -o --output")),
    ("exec",): Launcher(_values("-a")),
    ("command",): Launcher(opaque=_values("-v -V")),
    ("flock",): Launcher(_values("-w --timeout -E --conflict-exit-code"), operands=1),
    ("sudo",): Launcher(_values("-u --user -g --group"), assigns=True, transparent=False),
    ("xvfb-run",): Launcher(
        _values("-n --server-num -s --server-args -e --error-file -f --auth-file -p --xauth-protocol -w --wait")
    ),
    ("uv", "run"): _UV,
    ("uv", "tool", "run"): _UV_TOOL,
    ("uvx",): _UV_TOOL,
    ("pipx", "run"): Launcher(_values("--spec --python"), transparent=False),
    ("poetry", "run"): _ENVIRONMENT,
    ("pipenv", "run"): _ENVIRONMENT,
    ("pdm", "run"): _ENVIRONMENT,
    ("npx",): _PACKAGES,
    ("npm", "exec"): _PACKAGES,
    ("npm", "x"): _PACKAGES,
    ("pnpm", "exec"): _PACKAGES,
    ("pnpm", "dlx"): _PACKAGES,
    ("yarn", "exec"): _PACKAGES,
    ("yarn", "dlx"): _PACKAGES,
    ("bunx",): _BUN_PACKAGES,
    ("bun", "x"): _BUN_PACKAGES,
}
"""Launchers by the words that start them."""

_MOST_WORDS = max(map(len, LAUNCHERS))


class Start(NamedTuple):
    """The place of a command's program, after its launchers."""

    place: int  # The number of words before the program.
    launchers: tuple[Launcher, ...] = ()  # The outermost first.
    names: tuple[str, ...] = ()  # The names of the launchers' programs.
    is_module: bool = False  # Whether the program is a Python module.


def start(words: Sequence[str], *, transparent: bool = False) -> Start:
    """Return the place of the program after the launchers; with `transparent`, only after transparent ones."""
    found = Start(0)
    while not found.is_module and (named := _named(words[found.place :])):
        launcher, length = named
        place = _after_options(words, found.place + length, launcher)
        options = words[found.place + length : place]
        if transparent and not (launcher.transparent and launcher.opaque.isdisjoint(options)):
            break
        while launcher.assigns and place < len(words) and ASSIGNMENT.fullmatch(words[place]):
            place += 1
        is_module = bool(options) and options[-1] in launcher.modules
        names = (*found.names, basename(words[found.place]))
        found = Start(place + launcher.operands, (*found.launchers, launcher), names, is_module)
    return found


def _named(words: Sequence[str]) -> tuple[Launcher, int] | None:
    """Return the launcher at the beginning of a command, and how many words name it; None if there is none."""
    for length in range(min(_MOST_WORDS, len(words)), 0, -1):
        name = (basename(words[0]), *words[1:length])
        if name in LAUNCHERS:
            return LAUNCHERS[name], length
    return None


def _after_options(words: Sequence[str], place: int, launcher: Launcher) -> int:
    while place < len(words) and words[place].startswith("-"):
        option = words[place]
        place += 2 if option in launcher.values else 1
        if option == "--" or option in launcher.modules:
            break
    return place
