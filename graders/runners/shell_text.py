"""Keeps the text of a shell's line out of its command line, which every process of a sandbox can read. Pure.

The shell reads the text from its stdin instead, before it starts anything. `read` takes it a byte at a time, so that
what follows on stdin is there for the commands of the line. A line that is one simple command has no secret: the
program that it runs has the words in its own command line. There, an interpreter takes the place of the shell, so that
it is what the sandbox shields.
"""

from __future__ import annotations

import re

from gradebox.graders.documents.command_lines.command_line import line_of, locate
from gradebox.graders.documents.command_lines.interpreters import interpreter
from gradebox.graders.model.plan import Step

_OPTIONS = re.compile(r"-[elu]*c")
_LONGEST = 64 * 1024
_IN_PLACE = re.compile(r"(?:cd [^;&|]+&&\s*)?")
# Nothing but the text is left when it runs.
_READ = """_n={count} _t=
while [ "$_n" -gt 0 ]; do
IFS= read -r _l
_t="$_t$_l
" _n=$((_n-1))
done
eval "unset _l _n _t
$_t\""""


def by_stdin(step: Step) -> tuple[tuple[str, ...], bytes]:
    """Return the command of a step and its stdin, such that no text of a line is among the words."""
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
