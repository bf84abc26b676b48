"""Reads a Dockerfile before its build: the images that it needs, and features that only BuildKit has. Pure.

We use an engine's classic builder, which refuses some instructions with messages that name no line. This module parses
only as much as is needed to name it, and does not interpret instructions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_VARIABLE = re.compile(r"\$(?:\{(?P<braced>\w+)(?::(?P<how>[-+])(?P<other>[^}]*))?\}|(?P<plain>\w+))")
_DIRECTIVE = re.compile(r"#\s*(?P<name>\w+)\s*=\s*(?P<value>\S+)\s*$")
_HEREDOC = re.compile(r"(?<!<)<<-?(?!<)\s*(?P<quote>[\"']?)(?P<word>[A-Za-z_]\w*)(?P=quote)")
_FLAGS = {
    "RUN": ("mount", "network", "security", "device"),
    "COPY": ("link", "chmod", "parents", "exclude"),
    "ADD": ("link", "chmod", "checksum", "keep-git-dir", "exclude", "unpack"),
}
# A name in FROM that is no image.
_NO_IMAGE = "scratch"


class Instruction(NamedTuple):
    """One instruction."""

    line: int  # The number of its first line, counted from 1.
    name: str  # Its name, such as ``RUN``.
    text: str  # The text after the name, joined to one line.
    body: bool = False  # Whether a here-document follows it.


class Need(NamedTuple):
    """A feature that only BuildKit has."""

    line: int
    what: str
    blocks: bool = True  # Whether the classic builder refuses it; it ignores other features.


def instructions(text: str) -> Iterator[Instruction]:
    """Yield the instructions of a Dockerfile, with continued lines joined."""
    lines = text.splitlines()
    escape = "\\"
    at = 0
    while at < len(lines) and (found := _DIRECTIVE.match(lines[at].strip())):
        escape = found["value"] if found["name"].lower() == "escape" else escape
        at += 1
    while at < len(lines):
        first, pieces = at, list[str]()
        while at < len(lines):
            line = lines[at].strip()
            at += 1
            if line.startswith("#") or (not line and pieces):
                continue
            pieces.append(line.removesuffix(escape))
            if not line.endswith(escape):
                break
        name, _, rest = " ".join(pieces).strip().partition(" ")
        words = [found["word"] for found in _HEREDOC.finditer(rest)] if name.upper() in _FLAGS else []
        for word in words:
            while at < len(lines) and lines[at].strip() != word:
                at += 1
            at += 1
        if name and not name.startswith("#"):
            line_of = next(number for number in range(first, at) if not _is_comment(lines[number]))
            yield Instruction(line_of + 1, name.upper(), rest.strip(), bool(words))


def _is_comment(line: str) -> bool:
    return not line.strip() or line.strip().startswith("#")


def buildkit_needs(text: str) -> tuple[Need, ...]:
    """Return the used features that only BuildKit has, in the order of the lines."""
    found = [
        Need(number, f"`{match[0].rstrip()}`", blocks=False)
        for number, line in enumerate(_directives(text), 1)
        if (match := _DIRECTIVE.match(line)) and match["name"].lower() == "syntax"
    ]
    for one in instructions(text):
        flags = re.match(r"(?:--\S+\s*)*", one.text)
        found += [
            Need(one.line, f"`{one.name} --{flag}`")
            for flag in _FLAGS.get(one.name, ())
            if flags and re.search(rf"--{flag}\b", flags[0])
        ]
        if one.body:
            found.append(Need(one.line, f"a here-document in `{one.name}`"))
    return tuple(found)


def _directives(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if not _DIRECTIVE.match(line.strip()):
            return
        yield line.strip()


def copies_all(text: str) -> tuple[int, ...]:
    """Return the lines of the instructions that copy the whole context."""
    found = []
    for one in instructions(text):
        words = [word for word in one.text.split() if not word.startswith("--")]
        if one.name in ("COPY", "ADD") and "--from=" not in one.text and {".", "./", "*"} & {*words[:-1]}:
            found.append(one.line)
    return tuple(found)


def stages(text: str) -> tuple[str, ...]:
    """Return the names of the stages, in lower case."""
    return tuple(name for one in instructions(text) if one.name == "FROM" and (name := _stage(one)))


def needed_images(text: str, arguments: Mapping[str, str], target: str = "") -> tuple[str, ...]:
    """Return the references of the images that a build starts from or copies from, up to its target, each once.

    Args:
        text: The text of the Dockerfile.
        arguments: Its build arguments.
        target: The stage that is built, empty for the last one.
    """
    values: dict[str, str] = {}
    known, found = set[str](), dict[str, None]()
    begun = False
    for one in instructions(text):
        source = ""
        if one.name == "ARG" and not begun:
            name, _, default = one.text.partition("=")
            values[name] = arguments.get(name, _filled(default.strip("\"'"), values))
        elif one.name == "FROM":
            if target and begun and target.lower() in known:
                break
            begun = True
            words = [word for word in one.text.split() if not word.startswith("--")]
            source = _filled(words[0], values) if words else ""
        elif one.name == "COPY" and (flag := re.search(r"--from=(\S+)", one.text)):
            source = "" if flag[1].isdigit() else flag[1]
        if source and source.lower() not in known and source != _NO_IMAGE:
            found.setdefault(source)
        if one.name == "FROM":
            known.add(_stage(one))
    return tuple(found)


def _stage(of: Instruction) -> str:
    words = of.text.split()
    return words[-1].lower() if len(words) > 2 and words[-2].lower() == "as" else ""


def _filled(text: str, values: Mapping[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        known = values.get(found["braced"] or found["plain"], "")
        match found["how"]:
            case "-":
                return known or found["other"]
            case "+":
                return found["other"] if known else ""
            case _:
                return known

    return _VARIABLE.sub(value, text)
