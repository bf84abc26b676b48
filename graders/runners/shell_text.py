"""Keeps the text of a shell line out of the shell's command line, which every process of a sandbox can read. Pure.

The shell reads the text from its stdin instead, before it starts anything. `read` takes single bytes, so that the rest
of stdin is left for the commands of the line. A line with one simple command has no secret, since the program that it
runs has the words in its own command line. In that case an interpreter replaces the shell, so that the sandbox shields
the interpreter.
"""

from __future__ import annotations

import re

from gradebox.graders.documents.command_lines.command_line import line_of, locate
from gradebox.graders.documents.command_lines.interpreters import interpreter
from gradebox.graders.model.plan import Step

_OPTIONS = re.compile(r"-[elu]*c")
_LONGEST = 64 * 1024
_IN_PLACE = re.compile(r"(?:cd [^;&|]+&&\s*)?")
# Its own variables are gone when the text runs.
_READ = """_n={count} _t=
while [ "$_n" -gt 0 ]; do
IFS= read -r _l
_t="$_t$_l
" _n=$((_n-1))
done
eval "unset _l _n _t
$_t\""""


def by_stdin(step: Step) -> tuple[tuple[str, ...], bytes]:
    """Return the command of a step and its stdin, so that the words do not contain the text of a line."""
    argv = step.argv
    is_line = line_of(argv) is not None and _OPTIONS.fullmatch(argv[1]) and not step.token
    if not is_line or len(argv[2]) > _LONGEST:
        return argv, step.stdin
    if line := locate(argv):
        start = line.tokens[0].start
        if interpreter(line.words[0]) and _IN_PLACE.fullmatch(line.text[:start]):
            return (*argv[:2], f"{line.text[:start]}exec {line.text[start:]}"), step.stdin
        return argv, step.stdin
    text = argv[2].removesuffix("\n")
    read = _READ.format(count=text.count("\n") + 1)
    return (*argv[:2], read, *argv[3:]), text.encode("utf-8", "surrogateescape") + b"\n" + step.stdin
